"""Timers: runs each due timer of an incident, a silence, a source or a workspace once."""
