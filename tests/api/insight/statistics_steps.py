"""Incidents of a past week, and what `GET /v1/statistics` answers about it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from inbox.database.base import new_id
from inbox.models.incidents.tables import Incident
from tests.browser import Browser
from tests.cast import Cast

Browsers = Callable[[str], Browser]
STATISTICS = "/v1/statistics"
START = datetime(2026, 10, 23, tzinfo=UTC)


def happened(cast: Cast, at: datetime, number: int, **more: Any) -> Incident:
    made: Incident = Incident.create(
        **{
            "id": new_id(at), "workspace_id": cast.workspace.id, "number": number, "source_id": cast.source.id,
            "fingerprint": f"f1:{number}", "title": "Disk full", "severity": "ERROR", "last_severity": "ERROR",
            "state": "open", "first_seen_at": at, "last_seen_at": at, "opened_at": at, **more,
        }
    )  # fmt: skip
    return made


def read(browser: Browser, **query: str) -> dict[str, Any]:
    requested = {"since": "2026-10-23T00:00:00Z", "until": "2026-10-28T00:00:00Z", **query}
    answer = browser.get(f"{STATISTICS}?" + "&".join(f"{name}={value}" for name, value in requested.items()))
    assert answer.status_code == 200, answer.data
    found: dict[str, Any] = answer.get_json()
    return found
