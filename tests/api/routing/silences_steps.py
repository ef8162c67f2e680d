"""Creates silences over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.domain.values import times
from inbox.models.incidents.tables import Incident
from inbox.models.routing.silences import Silence
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.silences import ANYTHING

Browsers = Callable[[str], Browser]


NIGHTLY = {"rrule": "FREQ=DAILY", "timezone": "Europe/Berlin", "durationMinutes": 60}


@pytest.fixture
def workspace(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


def stamp(at: datetime) -> str:
    return times.rfc3339(at)


def ahead(**more: float) -> str:
    return stamp(present() + timedelta(**more))


def required(workspace: str, **more: Any) -> dict[str, Any]:
    return {"workspaceId": workspace, "match": ANYTHING, "endsAt": ahead(hours=1), "comment": "Upgrade", **more}


def path(silence: Silence) -> str:
    return f"/v1/silences/{typeid('sil', silence.id)}"


def state(existing: Incident) -> str:
    return str(Incident.get_by_id(existing.id).state)
