"""Simulation of a routing profile over HTTP: names, quiet hours and thresholds (specification 6.10)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.values.times import rfc3339
from inbox.models.routing.profiles import RoutingProfile
from tests.api.routing.test_profiles import ALL, NOWHERE, a_step, pointers
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.stand_ins.outgoing_posts import make_destination, make_profile

Browsers = Callable[[str], Browser]


@pytest.fixture
def workspace(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


@pytest.fixture
def to(cast: Cast) -> str:
    return typeid("dst", make_destination(cast.workspace, NOWHERE, name="Pager").id)


@pytest.fixture
def path(cast: Cast) -> str:
    return f"{ALL}/{typeid('prf', make_profile(cast.workspace).id)}"


def simulated(answer: Any) -> list[tuple[str, str, int | None, list[tuple[str, str | None]]]]:
    assert answer.status_code == 200, answer.json
    return [
        (
            one["at"][11:16],
            one["reason"],
            one["step"],
            [
                (each["name"] + " " + each["decision"], (each["heldUntil"] or "")[11:16] or None)
                for each in one["destinations"]
            ],
        )
        for one in answer.json["items"]
    ]


def test_the_simulation_of_a_profile_has_names_quiet_hours_and_thresholds(
    browser: Browsers, cast: Cast, workspace: str, to: str
) -> None:
    off = typeid("dst", make_destination(cast.workspace, NOWHERE, name="Old", enabled=False).id)
    adam = browser("adam")
    night = {
        "enabled": True,
        "timezone": "UTC",
        "windows": [{"days": ["mon", "tue"], "start": "22:00", "end": "07:00"}],
    }
    adam.patch(f"/v1/workspaces/{workspace}", {"settings": {"quietHours": night}})
    steps = [a_step(to), a_step(off, to, after=20), a_step(to, after=1440), a_step(to, after=1441)]
    body = {"name": "On call", "steps": steps, "renotifyMax": 1, "renotifyMinutes": {"ERROR": 60}}
    made = adam.post(ALL, {"workspaceId": workspace, **body})
    monday = present() + timedelta(days=7 - present().weekday())
    at = monday.replace(hour=21, minute=50, second=0, microsecond=0)
    order = {"severity": "err", "at": rfc3339(at)}

    saved = browser("vic").post(f"{made.headers['Location']}/simulate", order)
    assert simulated(saved) == [
        ("21:50", "opened", 1, [("Pager notify", None)]),
        ("22:10", "escalated", 2, [("Old disabled", None), ("Pager quiet_hours", "07:00")]),
        ("23:10", "renotify", None, [("Pager quiet_hours", "07:00"), ("Old disabled", None)]),
        ("21:50", "escalated", 3, [("Pager notify", None)]),
    ]
    second = saved.json["items"][1]
    assert second["text"] == "Step 2 is due. Notified later: Pager. Not notified: Old."
    assert [each["text"] for each in second["destinations"]] == [
        "Old would not be notified: it is disabled.",
        "Pager would be notified after the quiet hours, at 07:00 UTC.",
    ]
    assert saved.json["until"] == rfc3339(at + timedelta(days=1))
    drafted = browser("vic").post(f"{ALL}/simulate", {"workspaceId": workspace, "profile": body, **order})
    assert drafted.json == saved.json
    assert RoutingProfile.select().count() == 1


@pytest.mark.parametrize(("days", "is_taken"), [(-365, True), (-367, False), (365, True), (367, False)])
def test_an_incident_is_imagined_within_a_year(browser: Browsers, path: str, days: int, is_taken: bool) -> None:
    at = (present() + timedelta(days=days)).isoformat()
    answer = browser("vic").post(f"{path}/simulate", {"severity": "ERROR", "at": at})

    assert answer.status_code == 200 if is_taken else pointers(answer) == ["/at"]


def test_an_incident_is_imagined_now_unless_said_otherwise(browser: Browsers, path: str) -> None:
    before = present()
    answer = browser("vic").post(f"{path}/simulate", {"severity": "ERROR"})

    opened = answer.json["items"][0]["at"]
    assert before - timedelta(seconds=1) <= present().fromisoformat(opened) <= present()


def test_a_draft_of_another_workspace_is_not_simulated(browser: Browsers, workspace: str, to: str) -> None:
    body = {"workspaceId": workspace, "profile": {"name": "x", "steps": [a_step(to)]}, "severity": "ERROR"}

    assert pointers(browser("eve").post(f"{ALL}/simulate", body)) == ["/workspaceId"]
