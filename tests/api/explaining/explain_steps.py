"""Explanations over HTTP, as tests read them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from inbox.models.incidents.tables import Incident
from inbox.services.explaining.forecasts import forecast
from tests.browser import Browser
from tests.cast import NOW, typeid

Browsers = Callable[[str], Browser]


MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)


LIST = "/v1/incidents"


def explained(browser: Browsers, incident_id: Any) -> dict[str, Any]:
    answer: dict[str, Any] = browser("vic").get(f"{LIST}/{typeid('inc', incident_id)}/explain").get_json()
    return answer


def notices(answer: dict[str, Any]) -> dict[str, Any]:
    """By reason."""
    return {item["reason"]: item for item in answer["items"] if item["kind"] == "notice"}


def to_come(incident_id: Any, minutes: int = 0) -> list[tuple[str, str]]:
    """(kind, words) of what is to come, so many minutes after `NOW`."""
    found = forecast(Incident.get_by_id(incident_id), NOW + minutes * MINUTE)
    return [(one["kind"], one["text"]) for one in found["upcoming"]]
