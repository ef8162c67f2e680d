"""The database of the process: connections, helpers for SQL, and the migration to this version."""
