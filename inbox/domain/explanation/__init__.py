"""Sentences: what an event did, who was notified and who was not, and what is still to come (specification 7.7)."""

from inbox.domain.explanation.event_text import of_event, reasons

__all__ = ["of_event", "reasons"]
