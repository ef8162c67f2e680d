"""An edit of one incident is undone within ten seconds as an act is (specification 7.5)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.values import times
from inbox.models.incidents.tables import Incident
from inbox.models.incidents.undo_tokens import UndoTokenRow
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.flow.routing_fixtures import incident, listen, routed, timeline
from tests.silences import make_silence

Browsers = Callable[[str], Browser]
UNDO = "/v1/incidents/undo"


@pytest.fixture
def existing(cast: Cast) -> Incident:
    """An open incident of Acme, notified to a webhook."""
    listen(cast.workspace)
    return incident(routed(cast.source, present() - timedelta(minutes=1), tags=["db"]).id)


def path_of(existing: Incident) -> str:
    return f"/v1/incidents/{typeid('inc', existing.id)}"


def statuses(answer: Any) -> list[int]:
    return [result["status"] for result in answer.get_json()["results"]]


@pytest.mark.parametrize(
    "fields",
    [
        {"assigneeId": "mia"},
        {"assigneeId": None},
        {"tags": ["db", "prod"]},
        {"tags": []},
        {"title": "Disk of db1"},
        {"severity": "CRITICAL"},
        {"severity": "WARNING"},
        {"assigneeId": "mia", "tags": ["x"], "title": "Disk of db1", "severity": "crit"},
    ],
)
def test_an_edit_can_be_undone_like_an_act(
    browser: Browsers, cast: Cast, existing: Incident, fields: dict[str, Any]
) -> None:
    mia, path = browser("mia"), path_of(existing)
    required = fields | ({"assigneeId": typeid("usr", cast.users["mia"].id)} if fields.get("assigneeId") else {})
    mia.patch(path, {"assigneeId": typeid("usr", cast.users["adam"].id)})
    before = mia.get(path).get_json()
    done, repeated = mia.patch(path, required), mia.patch(path, required)

    answer = mia.post(UNDO, {"undoId": done.headers["X-Undo-Id"]})

    after = mia.get(path).get_json()
    assert times.parse(done.headers["X-Undo-Until"]) > present()
    assert "X-Undo-Id" not in repeated.headers
    assert statuses(answer) == [200]
    assert {name: after[name] for name in before.keys() - {"rev"}} == {
        name: before[name] for name in before.keys() - {"rev"}
    }
    assert (done.get_json()["rev"], after["rev"]) == (before["rev"] + 1, before["rev"] + 2)
    rises = fields.get("severity") in ("CRITICAL", "crit")
    assert timeline(existing.id)[-2:] == ["escalated" if rises else "updated", "undone"]


def test_an_edit_that_was_edited_since_is_not_undone(browser: Browsers, existing: Incident) -> None:
    path = path_of(existing)
    done = browser("mia").patch(path, {"tags": ["x"]})
    browser("adam").patch(path, {"tags": ["y"]})

    (result,) = browser("mia").post(UNDO, {"undoId": done.headers["X-Undo-Id"]}).get_json()["results"]

    assert (result["status"], result["detail"]) == (409, "The incident has changed since.")
    assert Incident.get_by_id(existing.id).tags == ["y"]


def test_an_edit_that_is_refused_leaves_nothing_to_take_back(browser: Browsers, existing: Incident) -> None:
    path = path_of(existing)

    stale = browser("mia").patch(path, {"tags": ["x"]}, headers={"If-Match": '"9"'})

    assert (stale.status_code, "X-Undo-Id" in stale.headers, UndoTokenRow.select().count()) == (412, False, 0)


@pytest.mark.parametrize(("start", "status"), [(timedelta(minutes=5), 200), (timedelta(days=1, hours=-1), 409)])
def test_a_resolve_is_undone_under_an_active_recurring_silence(
    browser: Browsers, cast: Cast, existing: Incident, start: timedelta, status: int
) -> None:
    recurrence = {"rrule": "FREQ=DAILY", "timezone": "UTC", "durationMinutes": 10}
    began = present() - start
    silence = make_silence(cast.workspace, start=began, ends_at=began + timedelta(days=9), recurrence=recurrence)
    Incident.update(state="silenced", state_before_silence="open", silenced_by=silence.id).execute()
    done = browser("mia").post(f"{path_of(existing)}/resolve", {})

    answer = browser("mia").post(UNDO, {"undoId": done.headers["X-Undo-Id"]})

    assert statuses(answer) == [status]
    assert Incident.get_by_id(existing.id).state == ("silenced" if status == 200 else "resolved")
