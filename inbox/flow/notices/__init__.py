"""Notices: who is notified of what, when, and what happens when nobody can be reached."""
