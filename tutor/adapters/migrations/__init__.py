"""The history of the database's shape, run at every start."""
