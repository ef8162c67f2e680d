"""Queries and writes of incidents."""
