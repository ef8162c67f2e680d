"""Overrides over HTTP: covers of members, all others of administrators, and their bounds (specification 23.7)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.models.oncall.schedules import OnCallOverride, OnCallSchedule
from inbox.services.oncall import overrides
from tests.api.oncall.test_schedules import (
    Browsers,
    on_call,
    path,  # noqa: F401
    pointers,
    schedule,  # noqa: F401
    workspace,  # noqa: F401
)
from tests.cast import Cast, present, typeid
from tests.oncall import make_override, make_schedule


def order(cast: Cast, *people: str, hours: float = 1, **fields: Any) -> dict[str, Any]:
    """An override by these people for the next hours."""
    ends_at = present() + timedelta(hours=hours)
    return {"endsAt": ends_at.isoformat(), "userIds": [typeid("usr", cast.users[name].id) for name in people], **fields}


def user(cast: Cast, name: str) -> str:
    return typeid("usr", cast.users[name].id)


def test_a_member_covers_for_somebody_and_is_on_call_at_once(browser: Browsers, cast: Cast, workspace: str) -> None:
    path = f"/v1/schedules/{typeid('sch', make_schedule(cast.workspace, cast.users['olga']).id)}"

    made = browser("mia").post(f"{path}/overrides", order(cast, "mia", reason="Dentist"))

    assert made.status_code == 201, made.json
    assert made.json["createdBy"] == user(cast, "mia")
    now = on_call(browser("vic"), workspace)
    assert [(each["name"], each["origin"]) for each in now["people"]] == [
        ("Mia", {"kind": "override", "id": made.json["id"]})
    ]
    assert now["until"] == made.json["endsAt"]
    assert browser("vic").get(f"{path}/overrides").json["items"] == [made.json]


@pytest.mark.parametrize(
    ("people", "fields", "allowed"),
    [
        (["mia"], {"kind": "add"}, True),
        (["mia"], {"insteadOf": "olga"}, True),
        (["adam"], {"insteadOf": "mia"}, True),
        (["adam"], {}, False),
        (["mia", "adam"], {}, False),
        (["mia"], {"kind": "remove"}, False),
        ([], {}, False),
        ([], {"insteadOf": "mia"}, False),
        (["adam"], {"insteadOf": "olga"}, False),
    ],
)
def test_a_member_puts_themselves_on_call_or_somebody_in_their_place(
    people: list[str], fields: dict[str, Any], allowed: bool, browser: Browsers, cast: Cast, path: str
) -> None:
    named = {**fields, **({"insteadOf": user(cast, fields["insteadOf"])} if "insteadOf" in fields else {})}
    sent = [browser(who).post(f"{path}/overrides", order(cast, *people, **named)) for who in ("mia", "adam")]

    assert [each.status_code for each in sent] == [201 if allowed else 403, 201]


def test_a_viewer_makes_no_override(browser: Browsers, cast: Cast, path: str) -> None:
    assert browser("vic").post(f"{path}/overrides", order(cast, "vic")).status_code == 403


@pytest.mark.parametrize(
    ("people", "fields", "pointer"),
    [
        (["eve"], {}, "/userIds/0"),
        ([], {"kind": "add"}, "/userIds"),
        (["mia"], {"insteadOf": "usr_01j0000000e008000000000001"}, "/insteadOf"),
        (["mia"], {"layerIds": ["lay_01j0000000e008000000000001"]}, "/layerIds/0"),
        (["mia"], {"endsAt": "2026-01-01T00:00:00Z"}, "/endsAt"),
        (["mia"], {"startsAt": "2083-01-01T00:00:00Z", "endsAt": "2084-01-02T00:00:01Z"}, "/endsAt"),
        (["mia"], {"kind": "swap"}, "/kind"),
        (["mia"], {"reason": "x" * 201}, "/reason"),
    ],
)
def test_each_field_of_an_override_has_its_bounds(
    people: list[str], fields: dict[str, Any], pointer: str, browser: Browsers, cast: Cast, path: str
) -> None:
    assert pointers(browser("adam").post(f"{path}/overrides", order(cast, *people, **fields))) == [pointer]


def test_only_a_replacement_names_who_is_replaced(browser: Browsers, cast: Cast, path: str) -> None:
    sent = order(cast, "mia", kind="add", insteadOf=user(cast, "olga"))

    assert pointers(browser("adam").post(f"{path}/overrides", sent)) == ["/insteadOf"]


def test_an_override_lasts_at_most_366_days(browser: Browsers, cast: Cast, path: str) -> None:
    longest = order(cast, "mia", startsAt="2083-01-01T00:00:00Z", endsAt="2084-01-02T00:00:00Z")

    assert browser("adam").post(f"{path}/overrides", longest).status_code == 201


def test_a_start_in_the_past_is_now(browser: Browsers, cast: Cast, path: str) -> None:
    before = present()

    made = browser("mia").post(f"{path}/overrides", order(cast, "mia", startsAt="2026-01-01T00:00:00Z"))

    assert made.json["startsAt"] >= before.isoformat(timespec="milliseconds")[:23]


def test_a_schedule_has_at_most_1000_overrides_that_have_not_ended(
    browser: Browsers, cast: Cast, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overrides, "MAX_FUTURE", 2)

    made = [browser("mia").post(f"{path}/overrides", order(cast, "mia")).status_code for _ in range(3)]

    assert made == [201, 201, 409]


def test_a_running_override_ends_and_its_past_stays(
    browser: Browsers, cast: Cast, schedule: OnCallSchedule, path: str
) -> None:
    now = present()
    running = make_override(schedule, cast.users["mia"], starts_at=now - timedelta(hours=2))
    later = make_override(
        schedule, cast.users["mia"], starts_at=now + timedelta(hours=1), ends_at=now + timedelta(hours=2)
    )
    places = [f"{path}/overrides/{typeid('ovr', each.id)}" for each in (running, later)]

    removed = [browser("mia").delete(place).status_code for place in places]

    [stays] = OnCallOverride.select()
    assert (removed, stays.id) == ([204, 204], running.id)
    assert now <= stays.ends_at <= present()
    assert browser("mia").delete(places[0]).status_code == 409
    assert browser("mia").delete(places[1]).status_code == 404
    assert len(browser("vic").get(f"{path}/overrides?ended=true").json["items"]) == 1


def test_an_override_of_another_person_is_removed_by_an_administrator(
    browser: Browsers, cast: Cast, schedule: OnCallSchedule, path: str
) -> None:
    made = make_override(schedule, cast.users["olga"])
    place = f"{path}/overrides/{typeid('ovr', made.id)}"

    assert [browser(who).delete(place).status_code for who in ("mia", "adam")] == [403, 204]
