"""Notifying of an open incident now: destinations that were not told of it (specification 7.3)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from werkzeug.test import TestResponse

from inbox.flow.routing.route import route
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Incident
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.flow.plans import follow, step
from tests.flow.routing_fixtures import accept, incident, listen
from tests.silences import make_silence

Browsers = Callable[[str], Browser]


def opened(cast: Cast, severity: str = "ERROR") -> Incident:
    event = accept(cast.source, present(), severity=severity)
    route(present)
    return incident(event)


def path(one: Incident, rest: str = "") -> str:
    return f"/v1/incidents/{typeid('inc', one.id)}{rest}"


def notify(browser: Browser, one: Incident) -> TestResponse:
    return browser.post(path(one, "/notify"))


def told(one: Incident) -> list[tuple[str, str]]:
    rows = Delivery.select().where(Delivery.incident_id == one.id).order_by(Delivery.id)
    return [(Destination.get_by_id(row.destination_id).name, row.reason) for row in rows]


def newest(browser: Browser, one: Incident) -> dict[str, Any]:
    entry: dict[str, Any] = browser.get(path(one, "/timeline?limit=1")).get_json()["items"][0]
    return entry


def test_an_incident_older_than_the_first_destination_is_told_to_it(browser: Browsers, cast: Cast) -> None:
    one, mia = opened(cast), browser("mia")
    listen(cast.workspace, "Chat")

    answer = notify(mia, one)

    assert answer.status_code == 200
    assert answer.get_json()["notifiedNobody"] is False
    assert told(one) == [("Chat", "renotify")]
    assert newest(mia, one)["kind"] == "notified_now"
    assert newest(mia, one)["text"] == "Mia notified destinations that had not been told."


def test_the_notice_names_the_person(browser: Browsers, cast: Cast) -> None:
    one, mia = opened(cast), browser("mia")
    listen(cast.workspace, "Chat")

    notify(mia, one)

    notice = mia.get(path(one, "/notices?limit=1")).get_json()["items"][0]
    assert notice["text"].startswith("Mia notified destinations that had not been told.")


def test_only_destinations_that_were_not_told_are_notified(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace, "Chat")
    one = opened(cast)
    listen(cast.workspace, "Mail")

    notify(browser("mia"), one)

    assert told(one) == [("Chat", "opened"), ("Mail", "renotify")]


@pytest.mark.parametrize(
    ("status", "again"),
    [
        *((each, False) for each in ("pending", "retrying", "held", "sent", "gathered")),
        *((each, True) for each in ("failed", "skipped", "expired")),
    ],
)
def test_a_destination_is_told_again_only_if_its_notice_was_given_up(
    browser: Browsers, cast: Cast, status: str, *, again: bool
) -> None:
    listen(cast.workspace, "Chat")
    one = opened(cast)
    Delivery.update(status=status).where(Delivery.incident_id == one.id).execute()

    answer = notify(browser("mia"), one)

    assert answer.status_code == (200 if again else 409)
    assert len(told(one)) == (2 if again else 1)


def test_a_notice_before_the_reopening_does_not_count(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace, "Chat")
    one = opened(cast)
    later = present() + timedelta(seconds=1)
    Incident.update(opened_at=later, notified_at=later).where(Incident.id == one.id).execute()

    assert notify(browser("mia"), one).status_code == 200


def test_without_a_destination_nothing_is_sent(browser: Browsers, cast: Cast) -> None:
    one, mia = opened(cast), browser("mia")

    answer = notify(mia, one)

    assert (answer.status_code, answer.get_json()["code"]) == (409, "conflict")
    assert answer.get_json()["detail"].startswith("No destination is on the incident's route.")
    assert newest(mia, one)["kind"] == "opened"


def test_while_the_profile_waits_nobody_is_notified(browser: Browsers, cast: Cast) -> None:
    chat = listen(cast.workspace, "Chat", routed=False)
    follow(cast.workspace, step(5, chat))
    one = opened(cast)

    answer = notify(browser("mia"), one)

    assert (answer.status_code, told(one)) == (409, [])


@pytest.mark.parametrize(
    ("state", "status"),
    [("open", 200), ("acknowledged", 200), ("snoozed", 409), ("silenced", 409), ("resolved", 409)],
)
def test_only_open_and_acknowledged_incidents_notify(browser: Browsers, cast: Cast, state: str, status: int) -> None:
    one = opened(cast)
    listen(cast.workspace, "Chat")
    at = present()
    more: dict[str, dict[str, Any]] = {
        "acknowledged": {"acknowledged_at": at},
        "snoozed": {"snoozed_until": at + timedelta(hours=1)},
        "silenced": {"silenced_by": make_silence(cast.workspace).id},
        "resolved": {"resolved_at": at, "resolved_by": {"type": "user"}},
    }
    Incident.update(state=state, **more.get(state, {})).where(Incident.id == one.id).execute()

    answer = notify(browser("mia"), one)

    assert (answer.status_code, len(told(one))) == (status, 1 if status == 200 else 0)


def test_a_destination_below_its_minimum_severity_stays_untold(browser: Browsers, cast: Cast) -> None:
    one = opened(cast, "ERROR")
    listen(cast.workspace, "Chat", min_severity="CRITICAL")

    answer = notify(browser("mia"), one)

    assert (answer.status_code, told(one)) == (200, [])
    assert answer.get_json()["notifiedNobody"] is True


def test_many_incidents_are_told_at_once_without_an_undo(browser: Browsers, cast: Cast) -> None:
    one, mia = opened(cast), browser("mia")
    listen(cast.workspace, "Chat")

    answer = mia.post("/v1/incidents/bulk", {"ids": [typeid("inc", one.id)], "action": "notify"}).get_json()

    assert [each["status"] for each in answer["results"]] == [200]
    assert (answer["undoId"], told(one)) == (None, [("Chat", "renotify")])


def test_viewers_and_people_of_other_workspaces_cannot_notify(browser: Browsers, cast: Cast) -> None:
    one = opened(cast)
    listen(cast.workspace, "Chat")

    assert [notify(browser(name), one).status_code for name in ("vic", "eve")] == [403, 404]
    assert told(one) == []
