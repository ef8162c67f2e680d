"""Routing: queued events are evaluated by rules and applied to incidents, in order per source."""
