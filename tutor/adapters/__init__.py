"""The plugs: one library each behind one socket, named <socket>_<library>."""
