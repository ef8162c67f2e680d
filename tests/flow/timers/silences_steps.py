"""Creates silences and their incidents."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.models.incidents.tables import Incident
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import settle

MINUTE = timedelta(minutes=1)


SOON = NOW + 10 * MINUTE


LATER = NOW + 20 * MINUTE


@pytest.fixture(autouse=True)
def calm(cast: Cast) -> None:
    """Nothing but silences has a clock here."""
    settle(cast.workspace, renotifyMinutes={"CRITICAL": 0, "ERROR": 0})


def reloaded(existing: Incident) -> Incident:
    found: Incident = Incident.get_by_id(existing.id)
    return found


def standing(existing: Incident) -> tuple[str, str | None, Any]:
    """(state, the state before, the silence)"""
    now = reloaded(existing)
    return now.state, now.state_before_silence, now.silenced_by
