"""Acts on many incidents, with an answer for each id (specification 7.4)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from inbox.models.incidents.tables import Incident
from tests.api.incidents.incident_bulk_steps import (
    BULK,
    Browsers,
    order,
    soon,
    states,
    statuses,
    three,  # noqa: F401
)
from tests.cast import Cast, join, present, typeid
from tests.flow.routing_fixtures import incident, reasons, routed


@pytest.fixture
def foreign(cast: Cast) -> Incident:
    """Eve's."""
    return incident(routed(cast.foreign_source, present() - timedelta(minutes=1), key="hers").id)


def test_each_id_is_answered_in_the_order_given(browser: Browsers, three: list[Incident]) -> None:
    backwards = three[::-1]

    answer = browser("mia").post(BULK, order(backwards))

    results = answer.get_json()["results"]
    assert [result["id"] for result in results] == [typeid("inc", one.id) for one in backwards]
    assert [(result["status"], result["incident"]["state"]) for result in results] == [(200, "acknowledged")] * 3
    assert [reasons(one.id) for one in three] == [["opened", "acknowledged"]] * 3


def test_a_failing_item_of_a_bulk_act_leaves_the_others_done(
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


def test_a_viewer_of_a_workspace_gets_forbidden_for_each_id_of_a_bulk_act(
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


def test_five_hundred_incidents_are_accepted(browser: Browsers, three: list[Incident]) -> None:
    sent = {**order(three), "ids": [typeid("inc", uuid4()) for _ in range(499)] + [typeid("inc", three[0].id)]}

    assert statuses(browser("mia").post(BULK, sent)) == [404] * 499 + [200]


def test_an_assignee_from_another_workspace_is_refused(browser: Browsers, cast: Cast, three: list[Incident]) -> None:
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
