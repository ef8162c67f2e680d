"""Use cases that count: statistics, activity, saved views."""
