"""Incident Inbox receives events, groups them into incidents and sends notices."""

__version__ = "1.0.0"
