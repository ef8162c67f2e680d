"""Pages of long lists: index scans, cursors and time budgets."""
