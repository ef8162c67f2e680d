"""Preferences of a person: defaults, changes, limits and readers (specification 11.9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inbox.live.feed import Change
from inbox.models.people.preferences import UserPreferences
from inbox.services.people.preferences import DEFAULTS
from tests.browser import Browser
from tests.cast import Cast, make_workspace, typeid

Browsers = Callable[[str], Browser]
PREFERENCES = "/v1/me/preferences"
WEEK = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WINDOW = {"days": WEEK, "start": "22:00", "end": "07:00"}
NIGHT: dict[str, Any] = {"enabled": True, "timezone": "Europe/Berlin", "windows": [WINDOW]}


def test_a_person_who_changed_nothing_has_the_defaults(browser: Browsers) -> None:
    answer = browser("mia").get(PREFERENCES)

    assert answer.get_json() == {**DEFAULTS, "rev": 0}


def test_changed_preferences_are_stored_and_the_others_stay(browser: Browsers, cast: Cast) -> None:
    mia, here = browser("mia"), typeid("wsp", cast.workspace.id)

    first = mia.patch(PREFERENCES, {"theme": "dark", "lastWorkspaceId": here})
    second = mia.patch(PREFERENCES, {"density": "compact"}, headers={"If-Match": '"1"'})

    assert (first.status_code, first.get_json()["rev"]) == (200, 1)
    retained = {**DEFAULTS, "theme": "dark", "lastWorkspaceId": here, "density": "compact", "rev": 2}
    assert second.get_json() == mia.get(PREFERENCES).get_json() == retained
    assert browser("vic").get(PREFERENCES).get_json() == {**DEFAULTS, "rev": 0}
    assert mia.patch(PREFERENCES, {"theme": "light"}, headers={"If-Match": '"1"'}).status_code == 412


def test_an_entry_of_a_workspace_is_replaced_alone_and_removed_by_null(browser: Browsers, cast: Cast) -> None:
    here, there = (typeid("wsp", each.id) for each in (cast.workspace, make_workspace("Two", owner=cast.users["mia"])))
    mia = browser("mia")
    mia.patch(PREFERENCES, {"perWorkspace": {here: {"dismissed": ["welcome"]}, there: {"dismissed": []}}})

    changed = mia.patch(PREFERENCES, {"perWorkspace": {there: None}}).get_json()

    assert changed["perWorkspace"] == {here: {"dismissed": ["welcome"]}}


@pytest.mark.parametrize(
    "quiet", [None, NIGHT, {**NIGHT, "windows": [WINDOW] * 19}, {**NIGHT, "windows": [WINDOW] * 20}]
)
def test_a_person_has_quiet_hours_of_their_own(browser: Browsers, quiet: dict[str, Any] | None) -> None:
    answer = browser("mia").patch(PREFERENCES, {"phoneQuietHours": quiet})

    assert (answer.status_code, answer.get_json()["phoneQuietHours"]) == (200, quiet)


@pytest.mark.parametrize("minutes", [[], [0, 1, 2, 3], [0, 60, 1_440, 2_880, 10_080]])
def test_lead_times_of_shifts_are_chosen(browser: Browsers, minutes: list[int]) -> None:
    answer = browser("mia").patch(PREFERENCES, {"shiftNoticeMinutes": minutes})

    assert (answer.status_code, answer.get_json()["shiftNoticeMinutes"]) == (200, minutes)


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"theme": "pink"}, "/theme"),
        ({"shortcuts": "yes"}, "/shortcuts"),
        ({"defaultSnoozeMinutes": 0}, "/defaultSnoozeMinutes"),
        ({"colour": "red"}, "/colour"),
        ({"rev": 1}, "/rev"),
        ({"lastWorkspaceId": "usr_x"}, "/lastWorkspaceId"),
        ({"shiftNoticeMinutes": [0, 1, 2, 3, 4, 5]}, "/shiftNoticeMinutes"),
        ({"shiftNoticeMinutes": [10_081]}, "/shiftNoticeMinutes/0"),
        ({"shiftNoticeMinutes": [-1]}, "/shiftNoticeMinutes/0"),
        ({"phoneQuietHours": {**NIGHT, "timezone": "Mars"}}, "/phoneQuietHours/timezone"),
        (
            {"phoneQuietHours": {**NIGHT, "windows": [{**WINDOW, "start": "00:00", "end": "00:00"}]}},
            "/phoneQuietHours/windows",
        ),
        ({"phoneQuietHours": {**NIGHT, "windows": [WINDOW] * 21}}, "/phoneQuietHours/windows"),
    ],
)
def test_an_invalid_preference_is_refused_with_its_pointer(
    browser: Browsers, change: dict[str, Any], pointer: str
) -> None:
    answer = browser("mia").patch(PREFERENCES, change)

    assert answer.status_code == 422
    assert [each["pointer"] for each in answer.get_json()["errors"]] == [pointer]


def test_a_workspace_of_others_is_refused(browser: Browsers, cast: Cast) -> None:
    foreign = typeid("wsp", cast.foreign.id)

    answer = browser("mia").patch(PREFERENCES, {"lastWorkspaceId": foreign, "perWorkspace": {foreign: {}}})

    assert answer.status_code == 422
    pointers = [each["pointer"] for each in answer.get_json()["errors"]]
    assert pointers == ["/lastWorkspaceId", f"/perWorkspace/{foreign}"]


def test_preferences_have_a_maximum_total_size(browser: Browsers, cast: Cast) -> None:
    long = {"dismissed": [f"{place:064}" for place in range(100)]}
    others = [make_workspace(name, owner=cast.users["mia"]) for name in ("Two", "Three")]
    ids, mia = [typeid("wsp", each.id) for each in (cast.workspace, *others)], browser("mia")

    assert mia.patch(PREFERENCES, {"perWorkspace": {ids[0]: long, ids[1]: long}}).status_code == 200
    answer = mia.patch(PREFERENCES, {"perWorkspace": {ids[2]: long}})

    assert (answer.status_code, answer.get_json()["errors"][0]["pointer"]) == (422, "/perWorkspace")
    assert len(mia.get(PREFERENCES).get_json()["perWorkspace"]) == 2


def test_a_change_of_preferences_is_published_to_other_browsers(browser: Browsers, cast: Cast) -> None:
    browser("mia").patch(PREFERENCES, {"theme": "dark"})

    (reference,) = Change.select().order_by(Change.seq.desc()).limit(1).get().refs
    assert (reference["type"], reference["to"]) == ("me", typeid("usr", cast.users["mia"].id))


def test_a_closed_account_keeps_no_preferences(browser: Browsers, cast: Cast) -> None:
    mia = browser("mia")
    mia.patch(PREFERENCES, {"theme": "dark"})

    assert mia.delete("/v1/me").status_code == 204

    assert UserPreferences.select().count() == 0
