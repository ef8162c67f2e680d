"""Forwardings over HTTP: a person is replaced in all schedules for a time (specification 23.9)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.models.oncall.forwardings import OnCallForwarding
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.members import Member
from inbox.services.oncall import forwardings
from tests.api.oncall.test_overrides import user
from tests.api.oncall.test_schedules import (
    Browsers,
    on_call,
    path,  # noqa: F401
    pointers,
    workspace,  # noqa: F401
)
from tests.cast import Cast, present, typeid
from tests.oncall import make_forwarding, make_override, make_schedule

ALL = "/v1/forwardings"


@pytest.fixture
def schedule(cast: Cast) -> OnCallSchedule:
    """Mia is always on call."""
    return make_schedule(cast.workspace, cast.users["mia"])


def order(cast: Cast, person: str, to: str, hours: float = 1, **fields: Any) -> dict[str, Any]:
    """A forwarding for the next hours."""
    return {
        "workspaceId": typeid("wsp", cast.workspace.id), "userId": user(cast, person), "to": user(cast, to),
        "endsAt": (present() + timedelta(hours=hours)).isoformat(), **fields,
    }  # fmt: skip


def on_call_of(browser: Browsers, workspace: str) -> list[tuple[str, str]]:
    return [(each["name"], each["origin"]["kind"]) for each in on_call(browser("vic"), workspace)["people"]]


def test_a_forwarded_person_is_replaced_until_the_end(
    browser: Browsers, cast: Cast, workspace: str, schedule: OnCallSchedule
) -> None:
    made = browser("mia").post(ALL, order(cast, "mia", "adam", reason="Holidays"))

    assert made.status_code == 201, made.json
    assert (made.json["createdBy"], made.json["reason"]) == (user(cast, "mia"), "Holidays")
    now = on_call(browser("vic"), workspace)
    assert now["people"] == [
        {"userId": user(cast, "adam"), "name": "Adam", "origin": {"kind": "forwarding", "id": made.json["id"]}}
    ]
    assert now["until"] == made.json["endsAt"]
    assert browser("vic").get(f"{ALL}?workspaceId={workspace}").json["items"] == [made.json]


def test_a_forwarding_holds_in_all_schedules_and_for_overrides(
    browser: Browsers, cast: Cast, workspace: str, schedule: OnCallSchedule
) -> None:
    covered = make_schedule(cast.workspace, cast.users["olga"])
    make_override(covered, cast.users["mia"])
    make_forwarding(cast.workspace, cast.users["mia"], cast.users["adam"])

    items = browser("vic").get(f"/v1/schedules/on-call-now?workspaceId={workspace}").json["items"]

    assert [[each["name"] for each in item["people"]] for item in items] == [["Adam"], ["Adam"]]


def test_the_past_keeps_a_forwarding_that_has_ended(
    browser: Browsers, cast: Cast, schedule: OnCallSchedule, path: str
) -> None:
    now = present()
    begins, ends = now - timedelta(hours=2), now - timedelta(hours=1)
    make_forwarding(cast.workspace, cast.users["mia"], cast.users["adam"], starts_at=begins, ends_at=ends)
    period = f"from={begins:%Y-%m-%dT%H:%M:%SZ}&to={now:%Y-%m-%dT%H:%M:%SZ}"

    shown = browser("vic").get(f"{path}/shifts?{period}").json["items"]

    assert [each["people"][0]["name"] for each in shown] == ["Mia", "Adam", "Mia"]


def test_a_person_is_forwarded_once(browser: Browsers, cast: Cast, workspace: str, schedule: OnCallSchedule) -> None:
    make_forwarding(cast.workspace, cast.users["mia"], cast.users["adam"])
    make_forwarding(cast.workspace, cast.users["adam"], cast.users["olga"])

    assert on_call_of(browser, workspace) == [("Adam", "forwarding")]


def test_the_last_forwarding_of_a_person_counts(
    browser: Browsers, cast: Cast, workspace: str, schedule: OnCallSchedule
) -> None:
    make_forwarding(cast.workspace, cast.users["mia"], cast.users["adam"])
    make_forwarding(cast.workspace, cast.users["mia"], cast.users["olga"])

    assert on_call_of(browser, workspace) == [("Olga", "forwarding")]


def test_a_forwarding_to_a_person_who_left_has_no_effect(
    browser: Browsers, cast: Cast, workspace: str, schedule: OnCallSchedule
) -> None:
    make_forwarding(cast.workspace, cast.users["mia"], cast.users["adam"])
    Member.delete().where(Member.user == cast.users["adam"]).execute()

    assert on_call_of(browser, workspace) == [("Mia", "layer")]


def test_members_forward_themselves_and_administrators_everybody(browser: Browsers, cast: Cast) -> None:
    sent = [
        browser(who).post(ALL, order(cast, person, "olga")).status_code
        for who, person in (("mia", "mia"), ("mia", "adam"), ("adam", "mia"), ("vic", "vic"))
    ]

    assert sent == [201, 403, 201, 403]


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"userId": "usr_01j0000000e008000000000001"}, "/userId"),
        ({"to": "usr_01j0000000e008000000000001"}, "/to"),
        ({"endsAt": "2026-01-01T00:00:00Z"}, "/endsAt"),
        ({"startsAt": "2090-01-01T00:00:00Z", "endsAt": "2091-01-02T00:00:01Z"}, "/endsAt"),
        ({"reason": "x" * 201}, "/reason"),
    ],
)
def test_each_field_of_a_forwarding_has_its_bounds(
    fields: dict[str, Any], pointer: str, browser: Browsers, cast: Cast
) -> None:
    assert pointers(browser("adam").post(ALL, {**order(cast, "mia", "olga"), **fields})) == [pointer]


def test_nobody_is_forwarded_to_themselves(browser: Browsers, cast: Cast) -> None:
    assert pointers(browser("adam").post(ALL, order(cast, "mia", "mia"))) == ["/to"]


def test_a_forwarding_lasts_at_most_366_days(browser: Browsers, cast: Cast) -> None:
    longest = order(cast, "mia", "adam", startsAt="2090-01-01T00:00:00Z", endsAt="2091-01-02T00:00:00Z")

    assert browser("mia").post(ALL, longest).status_code == 201


def test_a_running_forwarding_ends_and_a_coming_one_is_removed(browser: Browsers, cast: Cast, workspace: str) -> None:
    now, mia, adam = present(), cast.users["mia"], cast.users["adam"]
    running = make_forwarding(cast.workspace, mia, adam, starts_at=now - timedelta(hours=2))
    coming = make_forwarding(
        cast.workspace, mia, adam, starts_at=now + timedelta(hours=1), ends_at=now + timedelta(hours=2)
    )
    places = [f"{ALL}/{typeid('fwd', each.id)}" for each in (running, coming)]

    removed = [browser("mia").delete(place).status_code for place in places]

    [stays] = OnCallForwarding.select()
    assert (removed, stays.id) == ([204, 204], running.id)
    assert now <= stays.ends_at <= present()
    assert [browser("mia").delete(place).status_code for place in places] == [409, 404]
    assert browser("vic").get(f"{ALL}?workspaceId={workspace}").json["items"] == []
    assert len(browser("vic").get(f"{ALL}?ended=true").json["items"]) == 1


def test_a_forwarding_ends_by_its_person_its_creator_or_an_administrator(browser: Browsers, cast: Cast) -> None:
    made = [
        make_forwarding(cast.workspace, cast.users[person], cast.users["olga"], created_by=cast.users[by].id)
        for person, by in (("mia", "adam"), ("adam", "mia"), ("adam", "adam"))
    ]

    sent = [browser("mia").delete(f"{ALL}/{typeid('fwd', each.id)}").status_code for each in made]

    assert sent == [204, 204, 403]
    assert browser("adam").delete(f"{ALL}/{typeid('fwd', made[2].id)}").status_code == 204


def test_forwardings_are_hidden_from_other_workspaces(browser: Browsers, cast: Cast) -> None:
    made = make_forwarding(cast.workspace, cast.users["mia"], cast.users["adam"])

    assert browser("eve").delete(f"{ALL}/{typeid('fwd', made.id)}").status_code == 404
    assert browser("eve").get(ALL).json["items"] == []


def test_a_workspace_has_at_most_1000_forwardings_that_have_not_ended(
    browser: Browsers, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forwardings, "MAX_FUTURE", 2)

    made = [browser("mia").post(ALL, order(cast, "mia", "adam")).status_code for _ in range(3)]

    assert made == [201, 201, 409]
