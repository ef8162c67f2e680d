"""The action for an event, from a rule's `disposition` or the default route (specification 6.1)."""

from __future__ import annotations

from inbox.domain.values.enums import FastStrEnum


class RuleAction(FastStrEnum):
    """The action that routing takes for an event."""

    INCIDENT = "incident"
    """The event opens, updates or resolves an incident."""

    LOG = "log"
    """The event is only stored."""

    NOTIFY = "notify"
    """A notice is sent for the event without an incident. For rules only."""

    DROP = "drop"
    """The event is dropped and stored as a record. For rules only."""


INCIDENT = RuleAction.INCIDENT
"""A module constant, because every event needs it and a lookup in its `Enum` takes far longer."""

DEFAULT_ROUTE_ACTIONS = (RuleAction.INCIDENT, RuleAction.LOG)
"""The actions that the default route allows."""
