"""Queries and writes of events, and the event queue."""
