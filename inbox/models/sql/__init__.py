"""The database of the process, and SQL that every table shares."""
