"""Requests bulk acts on incidents."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.values import times
from inbox.models.incidents.tables import Incident
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.flow.routing_fixtures import incident, listen, routed

Browsers = Callable[[str], Browser]


BULK, UNDO = "/v1/incidents/bulk", "/v1/incidents/undo"


@pytest.fixture
def three(cast: Cast) -> list[Incident]:
    """Three open incidents of Acme, notified to a webhook."""
    listen(cast.workspace)
    made = [routed(cast.source, present() - timedelta(minutes=1), key=f"disk {n}", tags=["db"]) for n in range(3)]
    return [incident(event.id) for event in made]


def soon(**after: int) -> str:
    return times.rfc3339(present() + timedelta(**(after or {"hours": 1})))


def order(incidents: list[Incident], act: str = "acknowledge", **more: Any) -> dict[str, Any]:
    return {"ids": [typeid("inc", one.id) for one in incidents], "action": act, **more}


def statuses(answer: Any) -> list[int]:
    return [result["status"] for result in answer.get_json()["results"]]


def states(incidents: list[Incident]) -> list[str]:
    return [Incident.get_by_id(one.id).state for one in incidents]
