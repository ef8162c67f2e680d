"""Acts on many incidents with an answer for each, and taking acts back within ten seconds (specification 7.4)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from inbox.domain import times
from inbox.domain.incident import Actor
from inbox.models.sql.base import new_id
from inbox.models.tables.incidents import Incident, Timer
from inbox.models.tables.undo_tokens import UndoTokenRow
from inbox.models.tables.workspaces import Member
from inbox.services import bulk
from inbox.services.bulk import BulkAct
from tests.browser import Browser
from tests.cast import Cast, join, present, typeid
from tests.flow.routing_fixtures import bodies, incident, listen, reasons, routed, timeline

Browsers = Callable[[str], Browser]
BULK, UNDO = "/v1/incidents/bulk", "/v1/incidents/undo"


@pytest.fixture
def three(cast: Cast) -> list[Incident]:
    """Three open incidents of Acme, told to a webhook."""
    listen(cast.workspace)
    made = [routed(cast.source, present() - timedelta(minutes=1), key=f"disk {n}", tags=["db"]) for n in range(3)]
    return [incident(event.id) for event in made]


@pytest.fixture
def foreign(cast: Cast) -> Incident:
    """Eve's."""
    return incident(routed(cast.foreign_source, present() - timedelta(minutes=1), key="hers").id)


def soon(**after: int) -> str:
    return times.rfc3339(present() + timedelta(**(after or {"hours": 1})))


def order(incidents: list[Incident], act: str = "acknowledge", **more: Any) -> dict[str, Any]:
    return {"ids": [typeid("inc", one.id) for one in incidents], "action": act, **more}


def statuses(answer: Any) -> list[int]:
    return [result["status"] for result in answer.get_json()["results"]]


def states(incidents: list[Incident]) -> list[str]:
    return [Incident.get_by_id(one.id).state for one in incidents]


def test_each_id_is_answered_in_the_order_given(browser: Browsers, three: list[Incident]) -> None:
    backwards = three[::-1]

    answer = browser("mia").post(BULK, order(backwards))

    results = answer.get_json()["results"]
    assert [result["id"] for result in results] == [typeid("inc", one.id) for one in backwards]
    assert [(result["status"], result["incident"]["state"]) for result in results] == [(200, "acknowledged")] * 3
    assert [reasons(one.id) for one in three] == [["opened", "acknowledged"]] * 3


def test_one_that_cannot_be_done_fails_none_of_the_others(
    browser: Browsers, three: list[Incident], foreign: Incident
) -> None:
    browser("mia").post(f"/v1/incidents/{typeid('inc', three[1].id)}/resolve")
    unknown = typeid("inc", uuid4())
    sent = order([*three, foreign])
    sent["ids"].append(unknown)

    results = browser("mia").post(BULK, sent).get_json()["results"]

    assert [result["status"] for result in results] == [200, 409, 200, 404, 404]
    assert [result.get("code") for result in results] == [None, "invalid_transition", None, "not_found", "not_found"]
    assert {**results[3], "id": ""} == {**results[4], "id": ""}
    assert states([*three, foreign]) == ["acknowledged", "resolved", "acknowledged", "open"]


def test_where_one_only_views_each_id_is_forbidden(
    browser: Browsers, cast: Cast, three: list[Incident], foreign: Incident
) -> None:
    join(cast.foreign, cast.users["mia"], "viewer")

    results = browser("mia").post(BULK, order([three[0], foreign])).get_json()["results"]

    assert [(result["status"], result.get("code")) for result in results] == [(200, None), (403, "forbidden")]
    refused = browser("vic").post(BULK, order(three))
    assert (refused.status_code, refused.get_json()["requiredRole"]) == (403, "member")


def test_an_id_twice_is_done_once_and_answered_twice(browser: Browsers, three: list[Incident]) -> None:
    answer = browser("mia").post(BULK, order([three[0], three[0]]))

    assert statuses(answer) == [200, 200]
    assert reasons(three[0].id) == ["opened", "acknowledged"]


def test_every_act_has_its_fields(browser: Browsers, cast: Cast, three: list[Incident]) -> None:
    mia, until, adam = browser("mia"), soon(), typeid("usr", cast.users["adam"].id)

    def after(act: str, **more: Any) -> dict[str, Any]:
        (result,) = mia.post(BULK, order(three[:1], act, **more)).get_json()["results"]
        shown: dict[str, Any] = result["incident"]
        return shown

    assert after("snooze", until=until)["snoozedUntil"] == until
    assert after("unsnooze")["state"] == "open"
    assert after("assign", assigneeId=adam)["assigneeId"] == adam
    assert after("assign", assigneeId=None)["assigneeId"] is None
    assert after("tag", tags=["prod", "db"])["tags"] == ["db", "prod"]
    assert after("untag", tags=["db", "gone"])["tags"] == ["prod"]
    assert after("acknowledge")["state"] == "acknowledged"
    assert after("unacknowledge")["state"] == "open"
    assert after("resolve")["state"] == "resolved"
    assert after("reopen")["state"] == "open"


@pytest.mark.parametrize(
    ("more", "pointer"),
    [
        ({"action": "delete"}, "/action"),
        ({"action": "snooze"}, "/until"),
        ({"action": "snooze", "until": "past"}, "/until"),
        ({"action": "snooze", "until": "beyond"}, "/until"),
        ({"action": "resolve", "until": "soon"}, "/until"),
        ({"action": "assign"}, "/assigneeId"),
        ({"action": "tag"}, "/tags"),
        ({"action": "tag", "tags": []}, "/tags"),
        ({"action": "tag", "tags": ["x"] * 21}, "/tags"),
        ({"action": "acknowledge", "ids": []}, "/ids"),
        ({"action": "acknowledge", "ids": ["inc_x"]}, "/ids/0"),
        ({"action": "acknowledge", "ids": 501}, "/ids"),
        ({"action": "acknowledge", "also": 1}, "/also"),
    ],
)
def test_a_bad_order_is_refused_as_a_whole(
    browser: Browsers, three: list[Incident], more: dict[str, Any], pointer: str
) -> None:
    moments = {"past": soon(seconds=-1), "beyond": soon(days=30, minutes=1), "soon": soon()}
    sent = {**order(three), **more}
    if "until" in sent:
        sent["until"] = moments[sent["until"]]
    if isinstance(sent["ids"], int):
        sent["ids"] = [typeid("inc", uuid4())] * sent["ids"]

    refused = browser("mia").post(BULK, sent)

    assert (refused.status_code, refused.get_json()["errors"][0]["pointer"]) == (422, pointer)
    assert states(three) == ["open"] * 3


def test_five_hundred_are_taken(browser: Browsers, three: list[Incident]) -> None:
    sent = {**order(three), "ids": [typeid("inc", uuid4()) for _ in range(499)] + [typeid("inc", three[0].id)]}

    assert statuses(browser("mia").post(BULK, sent)) == [404] * 499 + [200]


def test_a_person_of_no_workspace_of_mine_is_nobody(browser: Browsers, cast: Cast, three: list[Incident]) -> None:
    for who in (typeid("usr", cast.users["eve"].id), typeid("usr", uuid4())):
        refused = browser("mia").post(BULK, order(three, "assign", assigneeId=who))

        assert (refused.status_code, refused.get_json()["errors"][0]["pointer"]) == (422, "/assigneeId")


def test_a_member_of_another_workspace_of_mine_is_refused_for_each(
    browser: Browsers, cast: Cast, three: list[Incident], foreign: Incident
) -> None:
    join(cast.foreign, cast.users["mia"], "member")
    eve = typeid("usr", cast.users["eve"].id)

    results = browser("mia").post(BULK, order([three[0], foreign], "assign", assigneeId=eve)).get_json()["results"]

    assert [(result["status"], result.get("code")) for result in results] == [(422, "validation_failed"), (200, None)]


def test_tags_stop_at_twenty_for_each(browser: Browsers, three: list[Incident]) -> None:
    Incident.update(tags=[f"t{n}" for n in range(19)]).where(Incident.id == three[0].id).execute()
    Incident.update(tags=[f"t{n}" for n in range(20)]).where(Incident.id == three[1].id).execute()

    answer = browser("mia").post(BULK, order(three, "tag", tags=["new"]))

    assert statuses(answer) == [200, 422, 200]
    assert answer.get_json()["results"][1]["detail"] == "The incident would have more than 20 tags."


@pytest.mark.parametrize(
    ("act", "more", "prepared", "told"),
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
def test_what_was_done_is_taken_back(
    browser: Browsers, three: list[Incident], act: str, more: dict[str, Any], prepared: str | None, told: str
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
    assert reasons(one.id)[-1] == told
    assert bodies(one.id)[-1]["data"]["state"] == before["state"]


def test_a_snooze_that_is_put_back_ends_when_it_would_have(browser: Browsers, three: list[Incident]) -> None:
    mia, until = browser("mia"), soon(hours=2)
    mia.post(BULK, order(three[:1], "snooze", until=until))
    done = mia.post(BULK, order(three[:1], "snooze", until=soon(hours=3))).get_json()

    mia.post(UNDO, {"undoId": done["undoId"]})

    assert times.rfc3339(Timer.get(Timer.kind == "incident.snooze_end").due_at) == until


def test_a_single_act_can_be_taken_back_too(browser: Browsers, three: list[Incident]) -> None:
    mia, path = browser("mia"), f"/v1/incidents/{typeid('inc', three[0].id)}"
    done, again = mia.post(f"{path}/resolve"), mia.post(f"{path}/resolve")

    assert times.parse(done.headers["X-Undo-Until"]) > present()
    assert "X-Undo-Id" not in again.headers
    assert statuses(mia.post(UNDO, {"undoId": done.headers["X-Undo-Id"]})) == [200]
    assert states(three[:1]) == ["open"]


def test_where_nothing_moved_there_is_nothing_to_take_back(browser: Browsers, three: list[Incident]) -> None:
    browser("mia").post(BULK, order(three))

    again = browser("mia").post(BULK, order(three)).get_json()

    assert (again["undoId"], again["undoUntil"]) == (None, None)
    assert [result["status"] for result in again["results"]] == [200] * 3


def test_one_that_moved_since_stays_and_the_others_go_back(browser: Browsers, three: list[Incident]) -> None:
    done = browser("mia").post(BULK, order(three)).get_json()
    browser("adam").post(f"/v1/incidents/{typeid('inc', three[1].id)}/resolve")

    answer = browser("mia").post(UNDO, {"undoId": done["undoId"]})

    assert dict(zip([result["id"] for result in answer.get_json()["results"]], statuses(answer), strict=True)) == {
        typeid("inc", one.id): status for one, status in zip(three, (200, 409, 200), strict=True)
    }
    assert states(three) == ["open", "resolved", "open"]


def test_a_repeat_that_was_only_counted_does_not_stand_in_the_way(
    browser: Browsers, cast: Cast, three: list[Incident]
) -> None:
    done = browser("mia").post(BULK, order(three[:1])).get_json()
    routed(cast.source, present(), key="disk 0")

    assert statuses(browser("mia").post(UNDO, {"undoId": done["undoId"]})) == [200]
    found = Incident.get_by_id(three[0].id)
    assert (found.state, found.event_count) == ("open", 2)


def test_taken_back_twice_it_is_taken_back_once(browser: Browsers, three: list[Incident]) -> None:
    done = browser("mia").post(BULK, order(three[:1])).get_json()
    first, second = (browser("mia").post(UNDO, {"undoId": done["undoId"]}) for _ in range(2))
    browser("adam").post(f"/v1/incidents/{typeid('inc', three[0].id)}/resolve")
    third = browser("mia").post(UNDO, {"undoId": done["undoId"]})

    assert (statuses(first), statuses(second), statuses(third)) == ([200], [409], [409])
    for answer in (second, third):
        assert answer.get_json()["results"][0]["detail"] == "The action was already undone."
    assert timeline(three[0].id).count("undone") == 1


def test_taken_back_by_two_at_the_same_time_it_is_taken_back_once(cast: Cast, three: list[Incident]) -> None:
    now, by, mia = present(), Actor("user", "", "Mia"), cast.users["mia"].id
    _, chance = bulk.run(BulkAct("acknowledge"), [three[0].id], now, by=by, person=mia)
    assert chance is not None
    seen_by_both = [bulk.find_undo(chance.id, mia), bulk.find_undo(chance.id, mia)]

    first, second = (bulk.undo(undone, now, by=by)[three[0].id] for undone in seen_by_both)

    assert (first, str(second)) == (None, "The action was already undone.")


def test_what_could_not_be_taken_back_may_be_tried_again(browser: Browsers, cast: Cast, three: list[Incident]) -> None:
    mia, path = browser("mia"), f"/v1/incidents/{typeid('inc', three[0].id)}"
    done = mia.patch(path, {"tags": ["x"]})
    other = browser("adam").patch(path, {"tags": ["y"]})
    assert statuses(mia.post(UNDO, {"undoId": done.headers["X-Undo-Id"]})) == [409]
    browser("adam").post(UNDO, {"undoId": other.headers["X-Undo-Id"]})

    assert statuses(mia.post(UNDO, {"undoId": done.headers["X-Undo-Id"]})) == [200]
    assert Incident.get_by_id(three[0].id).tags == ["db"]


def test_an_end_is_not_taken_back_beside_a_newer_incident(browser: Browsers, cast: Cast, three: list[Incident]) -> None:
    done = browser("mia").post(BULK, order(three[:1], "resolve")).get_json()
    newer = incident(routed(cast.source, present() + timedelta(hours=2), key="disk 0").id)
    assert newer.id != three[0].id

    (result,) = browser("mia").post(UNDO, {"undoId": done["undoId"]}).get_json()["results"]

    assert (result["status"], result["code"], states(three[:1])) == (409, "conflict", ["resolved"])


def test_only_who_did_it_takes_it_back(browser: Browsers, three: list[Incident]) -> None:
    done = browser("mia").post(BULK, order(three)).get_json()

    for who, undo_id in (("adam", done["undoId"]), ("eve", done["undoId"]), ("mia", typeid("und", new_id()))):
        refused = browser(who).post(UNDO, {"undoId": undo_id})

        assert (refused.status_code, refused.get_json()["code"]) == (404, "not_found")
    assert states(three) == ["acknowledged"] * 3


def test_who_became_a_viewer_meanwhile_takes_nothing_back(browser: Browsers, cast: Cast, three: list[Incident]) -> None:
    join(cast.foreign, cast.users["mia"], "member")
    done = browser("mia").post(BULK, order(three[:1])).get_json()
    Member.update(role="viewer").where(
        Member.user == cast.users["mia"].id, Member.workspace == cast.workspace.id
    ).execute()

    assert statuses(browser("mia").post(UNDO, {"undoId": done["undoId"]})) == [403]


@pytest.mark.parametrize(("late", "status"), [(0, "open"), (1, "acknowledged")])
def test_ten_seconds_are_the_end(cast: Cast, three: list[Incident], late: int, status: str) -> None:
    now, by, mia = present(), Actor("user", "", "Mia"), cast.users["mia"].id
    _, chance = bulk.run(BulkAct("acknowledge"), [three[0].id], now, by=by, person=mia)
    assert chance is not None and chance.until == now + timedelta(seconds=10)

    bulk.undo(bulk.find_undo(chance.id, mia), now + timedelta(seconds=10, microseconds=late), by=by)

    assert states(three[:1]) == [status]
    assert UndoTokenRow.get().expires_at == chance.until
