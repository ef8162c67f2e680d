"""Why an event did what it did, why somebody was told or not, and what is still to come: in sentences (decision 8)."""

from inbox.domain.explanation.event import of_event, whys

__all__ = ["of_event", "whys"]
