"""A time zone that this machine lacks, after restoring older data, stops no routing and silences nobody."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.models.routing.routing_config import bump_revision
from inbox.models.routing.silences import Silence
from inbox.models.workspaces.tables import Workspace
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.flow.plans import NIGHT
from tests.flow.routing_fixtures import listen, reported, routed, settle
from tests.flow.rulemaking import profile, silence

Browsers = Callable[[str], Browser]
GONE = "Europe/Lemuria"


def move_to(workspace: Workspace, timezone: str) -> None:
    Workspace.update(timezone=timezone).where(Workspace.id == workspace.id).execute()
    bump_revision(workspace.id)


@pytest.mark.parametrize("zone", [None, GONE])
def test_an_incident_is_notified_though_the_time_zone_of_quiet_hours_is_unknown(cast: Cast, zone: str | None) -> None:
    pager = listen(cast.workspace)
    settle(cast.workspace, quietHours={**NIGHT, "timezone": zone})
    move_to(cast.workspace, GONE)

    assert routed(cast.source).disposition == "opened"

    assert reported(pager) == [("opened", "pending", None)]


@pytest.mark.parametrize(
    ("rule", "zone"),
    [("FREQ=DAILY", GONE), ("FREQ=DAILY;BYSETPOS=1;BYDAY=MO", "UTC"), ("FREQ=YEARLY;BYYEARDAY=1,-1", "UTC")],
)
def test_a_silence_that_is_not_understood_takes_nothing_and_can_still_be_read_and_ended(
    cast: Cast, browser: Browsers, rule: str, zone: str
) -> None:
    recurrence = {"rrule": rule, "timezone": zone, "durationMinutes": 60}
    since = present() - timedelta(hours=1)
    made = silence(cast.workspace, since=since, ends_at=since + timedelta(days=2), recurrence=recurrence, comment="x")
    adam, path = browser("adam"), f"/v1/silences/{typeid('sil', made.id)}"

    assert routed(cast.source).disposition == "opened"
    assert adam.get(path).json["state"] == "expired"
    assert adam.get("/v1/silences").json["items"][0]["nextChangeAt"] is None
    assert [len(adam.get(f"/v1/silences?state={state}").json["items"]) for state in ("active", "expired")] == [0, 1]
    assert adam.post(f"{path}/end", {}).status_code == 200
    assert adam.delete(path).status_code == 204
    assert Silence.get_by_id(made.id).deleted_at is not None


def test_simulation_and_explanation_work_with_an_unknown_time_zone(cast: Cast, browser: Browsers) -> None:
    standby = profile(cast.workspace, listen(cast.workspace))
    settle(cast.workspace, quietHours={**NIGHT, "timezone": None})
    move_to(cast.workspace, GONE)
    adam, order = browser("adam"), {"severity": "ERROR", "at": present().isoformat()}

    foreseen = adam.post(f"/v1/routing-profiles/{typeid('prf', standby.id)}/simulate", order)
    shown = adam.get(f"/v1/statistics?workspaceId={typeid('wsp', cast.workspace.id)}")

    opening = routed(cast.source)
    explained = adam.get(f"/v1/incidents/{typeid('inc', opening.incident_id)}/explain")

    assert sorted(each["kind"] for each in explained.json["items"]) == ["event", "notice"]
    assert [each["decision"] for each in foreseen.json["items"][0]["destinations"]] == ["notify"]
    assert (shown.status_code, shown.json["timezone"]) == (200, "UTC")


@pytest.mark.parametrize("zone", ["localtime", "posix/Europe/Berlin", "right/UTC", "posixrules", "Factory/../UTC"])
def test_a_file_of_this_machine_alone_is_no_time_zone(cast: Cast, browser: Browsers, zone: str) -> None:
    answer: Any = browser("olga").patch(f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}", {"timezone": zone})

    assert answer.status_code == 422
