"""Searches the texts of alerts: the title and the key of each that the search row of its incident lacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import peewee

from inbox.database.patterns import like_pattern
from inbox.models.incidents.alerts import IncidentAlert

MAX_MATCHES = 10_000
"""The number of alerts with a text that a search examines."""

MAX_OF_INCIDENT = 100
"""The number of alerts that are examined for one incident, where more than `MAX_MATCHES` alerts have the text."""


def incidents_with(workspace_ids: Sequence[UUID], text: str) -> Any:
    """Returns the incidents of the alerts with this text, one for each alert."""
    found = IncidentAlert.select(IncidentAlert.incident_id).where(IncidentAlert.search_text ** like_pattern(text))
    return found.where(IncidentAlert.workspace_id.in_(list(workspace_ids)))


def has_alert(incident_id: Any, workspace_ids: Sequence[UUID], text: str) -> Any:
    """Returns a condition: the incident has an alert with this text.

    1. Look for it among the incidents of the first `MAX_MATCHES` alerts with the text. They are found once.
    2. Look in a few alerts of the incident, because a frequent text has more alerts than these.
    """
    frequent = incidents_with(workspace_ids, text).limit(MAX_MATCHES)
    own = IncidentAlert.select(IncidentAlert.search_text.alias("text")).where(
        IncidentAlert.incident_id == incident_id, IncidentAlert.search_text.is_null(False)
    )
    few = own.limit(MAX_OF_INCIDENT).alias("few")
    among_few = peewee.fn.EXISTS(few.select_from(peewee.SQL("1")).where(few.c.text ** like_pattern(text)))
    return incident_id.in_(frequent) | among_few
