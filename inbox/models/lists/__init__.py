"""Pages of lists: index scans, lookups and cursors."""
