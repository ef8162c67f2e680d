"""What is to be made of an event: by a rule's `disposition`, or by the default route's (specification 6.1)."""

from __future__ import annotations

from inbox.domain.enums import FastStrEnum


class RuleAction(FastStrEnum):
    """What is to be made of an event."""

    INCIDENT = "incident"
    """It opens or updates an incident, or resolves one."""

    LOG = "log"
    """It is kept, nothing more."""

    NOTIFY = "notify"
    """It is told by itself, without an incident. For rules only."""

    DROP = "drop"
    """It is set aside and kept as a record. For rules only."""


INCIDENT = RuleAction.INCIDENT
"""By a name of its own, for what every event is asked: to look it up in its `Enum` takes far longer."""

DEFAULT_ROUTE_ACTIONS = (RuleAction.INCIDENT, RuleAction.LOG)
"""What the default route may say of a severity."""
