"""Routing: evaluates queued events by rules and applies them to incidents, in order per source."""
