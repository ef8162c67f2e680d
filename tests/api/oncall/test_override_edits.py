"""Changes of overrides over HTTP: what may change, when, and by whom (specification 23.7)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.models.oncall.schedules import OnCallOverride, OnCallSchedule
from tests.api.oncall.test_overrides import user
from tests.api.oncall.test_schedules import (
    Browsers,
    path,  # noqa: F401
    pointers,
    schedule,  # noqa: F401
)
from tests.cast import Cast, present, typeid
from tests.oncall import make_override


def place_of(path: str, override: OnCallOverride) -> str:
    return f"{path}/overrides/{typeid('ovr', override.id)}"


def coming(schedule: OnCallSchedule, cast: Cast, by: str) -> OnCallOverride:
    """An override by this person from tomorrow on, for one hour."""
    tomorrow = present() + timedelta(days=1)
    return make_override(schedule, cast.users[by], starts_at=tomorrow, ends_at=tomorrow + timedelta(hours=1))


def test_a_coming_override_changes_in_every_field(
    browser: Browsers, cast: Cast, schedule: OnCallSchedule, path: str
) -> None:
    place, [layer] = place_of(path, coming(schedule, cast, "mia")), schedule.layers
    fields = {
        "kind": "replace", "startsAt": "2090-01-01T00:00:00.000Z", "endsAt": "2090-01-02T00:00:00.000Z",
        "userIds": [user(cast, "adam")], "insteadOf": user(cast, "mia"), "layerIds": [layer["id"]], "reason": "Train",
    }  # fmt: skip

    changed = browser("mia").patch(place, fields)

    assert changed.status_code == 200, changed.json
    assert (changed.json, changed.headers["ETag"]) == ({**changed.json, **fields, "rev": 2}, '"2"')
    assert browser("vic").get(f"{path}/overrides").json["items"] == [changed.json]


def test_a_changed_start_in_the_past_is_now(browser: Browsers, cast: Cast, schedule: OnCallSchedule, path: str) -> None:
    before = present()

    changed = browser("mia").patch(place_of(path, coming(schedule, cast, "mia")), {"startsAt": "2026-01-01T00:00:00Z"})

    assert changed.json["startsAt"] >= before.isoformat(timespec="milliseconds")[:23]


@pytest.mark.parametrize(
    ("field", "status"),
    [("endsAt", 200), ("reason", 200), ("startsAt", 409), ("userIds", 409), ("insteadOf", 409), ("layerIds", 409)],
)
def test_of_a_running_override_the_end_and_the_reason_change(
    field: str, status: int, browser: Browsers, cast: Cast, schedule: OnCallSchedule, path: str
) -> None:
    now = present()
    running = make_override(schedule, cast.users["mia"], starts_at=now - timedelta(hours=2))
    values = {
        "endsAt": (now + timedelta(hours=3)).isoformat(), "reason": "Train", "startsAt": now.isoformat(),
        "userIds": [user(cast, "adam")], "insteadOf": user(cast, "olga"), "layerIds": [schedule.layers[0]["id"]],
    }  # fmt: skip

    changed = browser("adam").patch(place_of(path, running), {field: values[field], "kind": "replace"})

    assert changed.status_code == status, changed.json
    assert OnCallOverride.get_by_id(running.id).starts_at == running.starts_at


def test_a_running_override_does_not_end_in_the_past(
    browser: Browsers, cast: Cast, schedule: OnCallSchedule, path: str
) -> None:
    now = present()
    running = make_override(schedule, cast.users["mia"], starts_at=now - timedelta(hours=2))

    changed = browser("mia").patch(place_of(path, running), {"endsAt": (now - timedelta(minutes=1)).isoformat()})

    assert pointers(changed) == ["/endsAt"]


def test_an_override_that_has_ended_does_not_change(
    browser: Browsers, cast: Cast, schedule: OnCallSchedule, path: str
) -> None:
    now = present()
    over = make_override(
        schedule, cast.users["mia"], starts_at=now - timedelta(hours=2), ends_at=now - timedelta(hours=1)
    )

    assert browser("mia").patch(place_of(path, over), {"reason": "x"}).status_code == 409


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"userIds": ["eve"]}, "/userIds/0"),
        ({"userIds": [], "kind": "add"}, "/userIds"),
        ({"endsAt": "2026-01-01T00:00:00Z"}, "/endsAt"),
        ({"startsAt": "2090-01-01T00:00:00Z", "endsAt": "2091-01-02T00:00:01Z"}, "/endsAt"),
        ({"layerIds": ["lay_01j0000000e008000000000001"]}, "/layerIds/0"),
        ({"insteadOf": "usr_01j0000000e008000000000001"}, "/insteadOf"),
    ],
)
def test_each_changed_field_has_the_bounds_of_a_new_override(
    fields: dict[str, Any], pointer: str, browser: Browsers, cast: Cast, schedule: OnCallSchedule, path: str
) -> None:
    named = {**fields, **({"userIds": [user(cast, who) for who in fields["userIds"]]} if "userIds" in fields else {})}

    assert pointers(browser("adam").patch(place_of(path, coming(schedule, cast, "mia")), named)) == [pointer]


def test_a_member_changes_an_override_only_into_one_that_they_could_create(
    browser: Browsers, cast: Cast, schedule: OnCallSchedule, path: str
) -> None:
    place, adam = place_of(path, coming(schedule, cast, "mia")), {"userIds": [user(cast, "adam")]}
    of_another = place_of(path, coming(schedule, cast, "adam"))

    sent = [browser(who).patch(place, adam).status_code for who in ("mia", "vic", "eve", "adam")]

    assert sent == [403, 403, 404, 200]
    assert browser("mia").patch(of_another, {"reason": "x"}).status_code == 403
    assert browser("mia").patch(f"{path}/overrides/ovr_01j0000000e008000000000001", {"reason": "x"}).status_code == 404


def test_a_change_of_an_override_names_the_revision_that_it_changes(
    browser: Browsers, cast: Cast, schedule: OnCallSchedule, path: str
) -> None:
    place = place_of(path, coming(schedule, cast, "mia"))
    mia, first = browser("mia"), {"If-Match": '"1"'}

    answers = [mia.patch(place, {"reason": text}, headers=first).status_code for text in ("One", "Two")]

    assert answers == [200, 412]
    assert mia.call("DELETE", place, headers=first).status_code == 412
