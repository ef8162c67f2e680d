"""Notices that fail and are tried again: shown at the incident and at the destination, and tried at once on request."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.deliveries.delivery import ATTEMPTS
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Incident
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.flow.routing_fixtures import incident, listen, routed

Browsers = Callable[[str], Browser]
NEW, OLD = timedelta(seconds=30), timedelta(minutes=3)


def failing(cast: Cast, status: str, attempt: int, age: timedelta) -> Incident:
    """An incident whose notice has this status after so many attempts."""
    listen(cast.workspace)
    found = incident(routed(cast.source, present(), severity="ERROR").id)
    due = present() + timedelta(minutes=10)
    Delivery.update(status=status, attempt=attempt, due_at=due, created_at=present() - age).execute()
    return found


def shown(browser: Browser, of: Incident) -> Any:
    record = browser.get(f"/v1/incidents/{typeid('inc', of.id)}").get_json()
    (listed,) = browser.get("/v1/incidents").get_json()["items"]
    assert listed == record
    return record["undelivered"]


def health(browser: Browser) -> dict[str, Any]:
    (destination,) = browser.get("/v1/destinations").get_json()["items"]
    return dict(destination["health"])


@pytest.mark.parametrize(
    ("status", "attempt", "age", "is_shown"),
    [
        ("retrying", 3, NEW, True), ("retrying", 2, NEW, False), ("retrying", 1, OLD, True),
        ("sending", 3, NEW, False), ("sending", 4, NEW, True), ("sending", 1, OLD, False),
        ("pending", 0, OLD, False), ("sent", 5, OLD, False), ("failed", 10, OLD, False),
    ],
)  # fmt: skip
def test_a_notice_is_not_delivered_yet_after_three_attempts_or_two_minutes(
    browser: Browsers, cast: Cast, status: str, attempt: int, age: timedelta, *, is_shown: bool
) -> None:
    one = failing(cast, status, attempt, age)

    found = shown(browser("vic"), one)

    assert (found is not None) is is_shown
    assert (health(browser("vic"))["state"] == "retrying") is is_shown
    if found is not None:
        assert (found["destinationNames"], found["attempts"]) == (["Pager"], attempt - (status == "sending"))


def test_a_resolved_incident_is_not_shown_as_undelivered(browser: Browsers, cast: Cast) -> None:
    one = failing(cast, "retrying", 5, OLD)
    Incident.update(state="resolved", resolved_at=present()).execute()

    assert shown(browser("vic"), one) is None


def test_a_member_makes_waiting_deliveries_due(browser: Browsers, cast: Cast) -> None:
    failing(cast, "retrying", 5, OLD)
    (destination,) = Destination.select()
    path = f"/v1/destinations/{typeid('dst', destination.id)}/retry"

    assert browser("vic").post(path).status_code == 403
    assert browser("eve").post(path).status_code == 404
    answer = browser("mia").post(path)

    assert (answer.status_code, answer.get_json()) == (202, {"deliveries": 1})
    assert Delivery.get().due_at <= present()
    assert browser("mia").post(path).get_json() == {"deliveries": 0}


def test_the_last_two_attempts_keep_their_times(browser: Browsers, cast: Cast) -> None:
    failing(cast, "retrying", ATTEMPTS - 1, OLD)
    (destination,) = Destination.select()

    answer = browser("mia").post(f"/v1/destinations/{typeid('dst', destination.id)}/retry")

    assert answer.get_json() == {"deliveries": 0}
    assert Delivery.get().due_at > present()


def test_a_stopped_destination_is_not_retried(browser: Browsers, cast: Cast) -> None:
    failing(cast, "held", 1, OLD)
    Destination.update(stopped_at=present(), stopped_reason="http_410").execute()
    (destination,) = Destination.select()

    assert browser("mia").post(f"/v1/destinations/{typeid('dst', destination.id)}/retry").status_code == 409
