"""Facts and jobs in one SQL database: SQLite here, anything SQLAlchemy speaks in principle."""

from tutor.adapters.tracker_sql.tracker import SqlTracker

__all__ = ["SqlTracker"]
