"""Previews of rules count pages, and name the people of one event (specification 6.9, 23.13)."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.models.oncall.schedules import OnCallSchedule
from tests.api.routing.previews_steps import HOUR, adam, requested  # noqa: F401
from tests.browser import Browser
from tests.cast import NOW, Cast, typeid
from tests.flow.notices.paging_steps import mailing, schedule  # noqa: F401
from tests.flow.routing_fixtures import accept, settle

pytestmark = pytest.mark.usefixtures("mailing")


def a_rule(*people: dict[str, str]) -> dict[str, Any]:
    """A new rule for every event that pages these people."""
    return {"name": "Page", "matchText": "any event", "then": {"disposition": "incident", "people": list(people)}}


def test_a_preview_counts_each_entry_of_people_once_an_incident(
    adam: Browser,
    cast: Cast,
    schedule: OnCallSchedule,
) -> None:
    settle(cast.workspace, renotifyMax=0)
    for key in ("a", "a", "b"):
        accept(cast.source, NOW, key=key)
    people = {"scheduleId": typeid("sch", schedule.id)}, {"userId": typeid("usr", cast.users["adam"].id)}

    result = adam.post("/v1/rules/preview", requested(cast, rule=a_rule(*people))).json

    assert result["pages"] == {"before": 0, "after": 4}
    assert (result["notices"]["before"], result["deliveries"]["after"]) == (0, 0)
    assert result["notices"]["after"] == 2


def test_a_preview_counts_reminders_that_only_paged_people_get(adam: Browser, cast: Cast) -> None:
    settle(cast.workspace, renotifyMinutes={"ERROR": 60}, renotifyMax=2)
    accept(cast.source, NOW - 4 * HOUR)
    people = {"userId": typeid("usr", cast.users["adam"].id)}

    result = adam.post("/v1/rules/preview", requested(cast, rule=a_rule(people))).json

    assert result["notices"]["byReason"]["after"] == {"opened": 1, "renotify": 2}
    assert (result["notices"]["after"], result["pages"]["after"]) == (3, 1)


def test_a_preview_of_an_event_names_whom_it_would_page(
    adam: Browser,
    cast: Cast,
    schedule: OnCallSchedule,
) -> None:
    body = {
        "workspaceId": requested(cast)["workspaceId"],
        "eventId": typeid("evt", accept(cast.source, NOW)),
        "rule": a_rule({"scheduleId": typeid("sch", schedule.id)}),
    }

    [notice] = adam.post("/v1/rules/preview/event", body).json["notices"]["after"]

    assert notice["people"] == [
        {
            "userId": typeid("usr", cast.users["mia"].id),
            "scheduleId": typeid("sch", schedule.id),
            "name": "Mia",
            "decision": "notify",
        }
    ]
    assert notice["text"] == "The incident opens. Notified: Mia."
