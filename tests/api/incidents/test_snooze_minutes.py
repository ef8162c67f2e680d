"""A snooze for some minutes, which does not depend on the client's clock (specification 7.3)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.models.incidents.tables import Incident
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.stand_ins.outgoing_posts import make_incident

Browsers = Callable[[str], Browser]
BULK = "/v1/incidents/bulk"


def ends_in(shown: dict[str, Any]) -> timedelta:
    return datetime.fromisoformat(shown["snoozedUntil"]) - present()


def test_a_snooze_takes_minutes(browser: Browsers, cast: Cast) -> None:
    one = make_incident(cast)

    answer = browser("mia").post(f"/v1/incidents/{typeid('inc', one.id)}/snooze", {"forMinutes": 90})

    assert (answer.status_code, answer.json["state"]) == (200, "snoozed")
    assert timedelta(minutes=85) < ends_in(answer.json) <= timedelta(minutes=90)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/until"),
        ({"forMinutes": 0}, "/forMinutes"),
        ({"forMinutes": 43_201}, "/forMinutes"),
        ({"forMinutes": 5, "until": "2099-01-01T00:00:00Z"}, "/forMinutes"),
    ],
)
def test_a_snooze_takes_either_minutes_or_a_time(
    browser: Browsers, cast: Cast, body: dict[str, Any], pointer: str
) -> None:
    one = make_incident(cast)

    answer = browser("mia").post(f"/v1/incidents/{typeid('inc', one.id)}/snooze", body)

    assert answer.status_code == 422
    assert pointer in [each["pointer"] for each in answer.json["errors"]]
    assert Incident.get_by_id(one.id).state == "open"


def test_many_are_snoozed_for_minutes(browser: Browsers, cast: Cast) -> None:
    ids = [typeid("inc", make_incident(cast).id) for _ in range(2)]
    mia = browser("mia")

    answer = mia.post(BULK, {"ids": ids, "action": "snooze", "forMinutes": 30})

    assert {each["incident"]["state"] for each in answer.json["results"]} == {"snoozed"}
    assert ends_in(answer.json["results"][0]["incident"]) <= timedelta(minutes=30)
    refused = mia.post(BULK, {"ids": ids, "action": "resolve", "forMinutes": 30})
    assert [each["pointer"] for each in refused.json["errors"]] == ["/forMinutes"]
