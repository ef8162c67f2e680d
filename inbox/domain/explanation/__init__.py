"""Sentences: what an event did, who was notified and who was not, and what is still to come (decision 8)."""

from inbox.domain.explanation.event import of_event, whys

__all__ = ["of_event", "whys"]
