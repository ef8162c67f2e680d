"""Undo of an act within ten seconds (specification 7.4)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.database.base import new_id
from inbox.domain.incidents.incident import Actor
from inbox.domain.values import times
from inbox.models.incidents.tables import Incident, Timer
from inbox.models.incidents.undo_tokens import UndoTokenRow
from inbox.models.people.members import Member
from inbox.services.incidents import bulk
from inbox.services.incidents.bulk import BulkAct
from tests.api.incidents.incident_bulk_steps import (
    BULK,
    UNDO,
    Browsers,
    order,
    soon,
    states,
    statuses,
    three,  # noqa: F401
)
from tests.cast import Cast, join, present, typeid
from tests.flow.routing_fixtures import bodies, incident, reasons, routed, timeline


@pytest.mark.parametrize(
    ("act", "more", "prepared", "reported"),
    [
        ("acknowledge", {}, None, "updated"),
        ("unacknowledge", {}, "acknowledge", "updated"),
        ("snooze", {"until": True}, None, "updated"),
        ("snooze", {"until": True}, "acknowledge", "updated"),
        ("unsnooze", {}, "snooze", "updated"),
        ("resolve", {}, None, "reopened"),
        ("resolve", {}, "snooze", "reopened"),
        ("reopen", {}, "resolve", "resolved"),
        ("tag", {"tags": ["new"]}, None, "updated"),
        ("untag", {"tags": ["db"]}, None, "updated"),
    ],
)
def test_every_bulk_act_can_be_undone(
    browser: Browsers, three: list[Incident], act: str, more: dict[str, Any], prepared: str | None, reported: str
) -> None:
    mia, one = browser("mia"), three[0]
    if prepared:
        mia.post(BULK, order([one], prepared, **({"until": soon(hours=2)} if prepared == "snooze" else {})))
    before = Incident.get_by_id(one.id).__data__
    done = mia.post(BULK, order([one], act, **({"until": soon()} if "until" in more else more))).get_json()
    assert Incident.get_by_id(one.id).__data__ != before

    answer = mia.post(UNDO, {"undoId": done["undoId"]})

    own = {
        "rev",
        "last_entry_at",
        "notice_count",
        "notified_at",
        "notified_severity",
        "renotify_count",
        "steps_start_at",
    }
    after = Incident.get_by_id(one.id).__data__
    assert statuses(answer) == [200]
    assert {name: after[name] for name in after.keys() - own} == {name: before[name] for name in before.keys() - own}
    assert after["rev"] == before["rev"] + 2
    assert timeline(one.id)[-1] == "undone"
    assert reasons(one.id)[-1] == reported
    assert bodies(one.id)[-1]["data"]["state"] == before["state"]


def test_a_restored_snooze_ends_at_its_original_time(browser: Browsers, three: list[Incident]) -> None:
    mia, until = browser("mia"), soon(hours=2)
    mia.post(BULK, order(three[:1], "snooze", until=until))
    done = mia.post(BULK, order(three[:1], "snooze", until=soon(hours=3))).get_json()

    mia.post(UNDO, {"undoId": done["undoId"]})

    assert times.rfc3339(Timer.get(Timer.kind == "incident.snooze_end").due_at) == until


def test_a_single_act_can_be_undone_too(browser: Browsers, three: list[Incident]) -> None:
    mia, path = browser("mia"), f"/v1/incidents/{typeid('inc', three[0].id)}"
    done, repeated = mia.post(f"{path}/resolve"), mia.post(f"{path}/resolve")

    assert times.parse(done.headers["X-Undo-Until"]) > present()
    assert "X-Undo-Id" not in repeated.headers
    assert statuses(mia.post(UNDO, {"undoId": done.headers["X-Undo-Id"]})) == [200]
    assert states(three[:1]) == ["open"]


def test_an_act_that_changed_nothing_has_no_undo(browser: Browsers, three: list[Incident]) -> None:
    browser("mia").post(BULK, order(three))

    repeated = browser("mia").post(BULK, order(three)).get_json()

    assert (repeated["undoId"], repeated["undoUntil"]) == (None, None)
    assert [result["status"] for result in repeated["results"]] == [200] * 3


def test_an_undo_skips_an_incident_that_changed_since(browser: Browsers, three: list[Incident]) -> None:
    done = browser("mia").post(BULK, order(three)).get_json()
    browser("adam").post(f"/v1/incidents/{typeid('inc', three[1].id)}/resolve")

    answer = browser("mia").post(UNDO, {"undoId": done["undoId"]})

    assert dict(zip([result["id"] for result in answer.get_json()["results"]], statuses(answer), strict=True)) == {
        typeid("inc", one.id): status for one, status in zip(three, (200, 409, 200), strict=True)
    }
    assert states(three) == ["open", "resolved", "open"]


def test_a_counted_repeat_does_not_prevent_an_undo(browser: Browsers, cast: Cast, three: list[Incident]) -> None:
    done = browser("mia").post(BULK, order(three[:1])).get_json()
    routed(cast.source, present(), key="disk 0")

    assert statuses(browser("mia").post(UNDO, {"undoId": done["undoId"]})) == [200]
    found = Incident.get_by_id(three[0].id)
    assert (found.state, found.event_count) == ("open", 2)


def test_an_act_undone_twice_is_undone_once(browser: Browsers, three: list[Incident]) -> None:
    done = browser("mia").post(BULK, order(three[:1])).get_json()
    first, second = (browser("mia").post(UNDO, {"undoId": done["undoId"]}) for _ in range(2))
    browser("adam").post(f"/v1/incidents/{typeid('inc', three[0].id)}/resolve")
    third = browser("mia").post(UNDO, {"undoId": done["undoId"]})

    assert (statuses(first), statuses(second), statuses(third)) == ([200], [409], [409])
    for answer in (second, third):
        assert answer.get_json()["results"][0]["detail"] == "The action was already undone."
    assert timeline(three[0].id).count("undone") == 1


def test_concurrent_undos_of_an_act_undo_it_once(cast: Cast, three: list[Incident]) -> None:
    now, by, mia = present(), Actor("user", "", "Mia"), cast.users["mia"].id
    _, chance = bulk.run(BulkAct("acknowledge"), [three[0].id], now, by=by, person=mia)
    assert chance is not None
    seen_by_both = [bulk.find_undo(chance.id, mia), bulk.find_undo(chance.id, mia)]

    first, second = (bulk.undo(undone, now, by=by)[three[0].id] for undone in seen_by_both)

    assert (first, str(second)) == (None, "The action was already undone.")


def test_an_undo_that_was_refused_can_be_tried_again(browser: Browsers, cast: Cast, three: list[Incident]) -> None:
    mia, path = browser("mia"), f"/v1/incidents/{typeid('inc', three[0].id)}"
    done = mia.patch(path, {"tags": ["x"]})
    other = browser("adam").patch(path, {"tags": ["y"]})
    assert statuses(mia.post(UNDO, {"undoId": done.headers["X-Undo-Id"]})) == [409]
    browser("adam").post(UNDO, {"undoId": other.headers["X-Undo-Id"]})

    assert statuses(mia.post(UNDO, {"undoId": done.headers["X-Undo-Id"]})) == [200]
    assert Incident.get_by_id(three[0].id).tags == ["db"]


def test_a_resolve_is_not_undone_beside_a_newer_incident(browser: Browsers, cast: Cast, three: list[Incident]) -> None:
    done = browser("mia").post(BULK, order(three[:1], "resolve")).get_json()
    newer = incident(routed(cast.source, present() + timedelta(hours=2), key="disk 0").id)
    assert newer.id != three[0].id

    (result,) = browser("mia").post(UNDO, {"undoId": done["undoId"]}).get_json()["results"]

    assert (result["status"], result["code"], states(three[:1])) == (409, "conflict", ["resolved"])


def test_only_the_author_of_an_act_can_undo_it(browser: Browsers, three: list[Incident]) -> None:
    done = browser("mia").post(BULK, order(three)).get_json()

    for who, undo_id in (("adam", done["undoId"]), ("eve", done["undoId"]), ("mia", typeid("und", new_id()))):
        refused = browser(who).post(UNDO, {"undoId": undo_id})

        assert (refused.status_code, refused.get_json()["code"]) == (404, "not_found")
    assert states(three) == ["acknowledged"] * 3


def test_a_member_who_became_a_viewer_cannot_undo_an_act(browser: Browsers, cast: Cast, three: list[Incident]) -> None:
    join(cast.foreign, cast.users["mia"], "member")
    done = browser("mia").post(BULK, order(three[:1])).get_json()
    Member.update(role="viewer").where(
        Member.user == cast.users["mia"].id, Member.workspace == cast.workspace.id
    ).execute()

    assert statuses(browser("mia").post(UNDO, {"undoId": done["undoId"]})) == [403]


@pytest.mark.parametrize(("late", "status"), [(0, "open"), (1, "acknowledged")])
def test_an_act_can_be_undone_until_its_tenth_second(cast: Cast, three: list[Incident], late: int, status: str) -> None:
    now, by, mia = present(), Actor("user", "", "Mia"), cast.users["mia"].id
    _, chance = bulk.run(BulkAct("acknowledge"), [three[0].id], now, by=by, person=mia)
    assert chance is not None and chance.until == now + timedelta(seconds=10)

    bulk.undo(bulk.find_undo(chance.id, mia), now + timedelta(seconds=10, microseconds=late), by=by)

    assert states(three[:1]) == [status]
    assert UndoTokenRow.get().expires_at == chance.until
