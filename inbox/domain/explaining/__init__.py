"""Explanation sentences: the effect of an event, the recipients of a notice, upcoming changes (specification 7.7)."""

from inbox.domain.explaining.event_text import of_event, reasons

__all__ = ["of_event", "reasons"]
