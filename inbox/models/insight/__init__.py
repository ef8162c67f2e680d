"""Queries that explain and count: explanations, activity, statistics, saved views."""
