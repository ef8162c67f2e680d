"""Shapes of statistics, activity and saved views."""
