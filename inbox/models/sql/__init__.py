"""The database of the process, and SQL helpers for all tables."""
