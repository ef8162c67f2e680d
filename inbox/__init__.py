"""Incident Inbox: events in, incidents grouped, notices out."""

__version__ = "0.1.0"
