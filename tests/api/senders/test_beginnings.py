"""An alert that has fired for days is stored with its beginning, and warns about no clock (specification 4.3)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from flask import Flask

from inbox.domain.values import times
from inbox.models.senders.sources import Source
from tests.api.events.senders import only_event
from tests.api.senders.test_hooks import bearer
from tests.browser import Browser
from tests.cast import Cast
from tests.intake.payloads import payload

BEGAN = datetime.now(UTC).replace(microsecond=0) - timedelta(days=9)
START = times.rfc3339(BEGAN)


def group(tool: str) -> tuple[str, Any]:
    document = payload(tool, "alarm")
    return f"/v1/hooks/{tool}", {**document, "alerts": [{**document["alerts"][0], "startsAt": START}]}


def pushed() -> tuple[str, Any]:
    return "/v1/compat/alertmanager/api/v2/alerts", [{"labels": {"alertname": "DiskFull"}, "startsAt": START}]


def pagerduty(key: str) -> tuple[str, Any]:
    alert = {"summary": "Disk full", "severity": "error", "source": "db2", "timestamp": START}
    return "/v1/compat/pagerduty/v2/enqueue", {
        "routing_key": key, "event_action": "trigger", "dedup_key": "disk", "payload": alert,
    }  # fmt: skip


FORMS: dict[str, Callable[[str], tuple[str, Any]]] = {
    "alertmanager": lambda key: group("alertmanager"),
    "grafana": lambda key: group("grafana"),
    "prometheus": lambda key: pushed(),
    "pagerduty": pagerduty,
    "mapping": lambda key: ("/v1/hooks/custom", {"name": "Disk full", "began": START}),
}


@pytest.mark.parametrize("form", FORMS)
def test_an_alert_that_fires_for_nine_days_has_its_beginning_and_no_warning(app: Flask, cast: Cast, form: str) -> None:
    texts = {"title": {"template": "{name}"}, "occurred_at": {"template": "{began}"}}
    Source.update(mapping=texts).where(Source.id == cast.source.id).execute()
    path, body = FORMS[form](cast.key)

    answer = app.test_client().post(path, json=body, headers=bearer(cast.key))

    event = only_event()
    assert answer.status_code in (200, 202)
    assert (event.occurred_at, event.warnings, event.flags) == (BEGAN, [], [])


def test_events_in_the_order_of_their_times_include_an_old_beginning(
    app: Flask, browser: Callable[[str], Browser], cast: Cast
) -> None:
    path, body = group("alertmanager")
    app.test_client().post(path, json=body, headers=bearer(cast.key))
    since = times.rfc3339(datetime.now(UTC) - timedelta(hours=1))

    for order in ("asc", "desc"):
        found = browser("olga").get("/v1/events?" + urlencode({"sort": "occurred", "order": order, "since": since}))
        assert [each["occurredAt"] for each in found.get_json()["items"]] == [START]
