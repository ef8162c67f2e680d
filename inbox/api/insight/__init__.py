"""Endpoints of statistics, activity and saved views."""
