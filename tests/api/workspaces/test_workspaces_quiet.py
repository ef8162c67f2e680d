"""The quiet hours of a workspace at the time of the answer (specification 8.5, 12.1)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.domain.values.windows import DAYS
from tests.browser import Browser
from tests.cast import Cast, present, typeid

Browsers = Callable[[str], Browser]


@pytest.fixture
def path(cast: Cast) -> str:
    return f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}"


def daily(start: datetime, end: datetime) -> dict[str, Any]:
    """Quiet hours from one time of day to another, every day in UTC."""
    window = {"days": list(DAYS), "start": f"{start:%H:%M}", "end": f"{end:%H:%M}"}
    return {"settings": {"quietHours": {"enabled": True, "timezone": "UTC", "windows": [window]}}}


def test_a_new_workspace_has_no_quiet_hours(browser: Browsers, path: str) -> None:
    expected = {"now": False, "until": None, "nextAt": None, "text": "Quiet hours are off."}

    assert browser("vic").get(path).json["quiet"] == expected


def test_an_edit_of_quiet_hours_answers_whether_they_are_active(browser: Browsers, path: str) -> None:
    now = present()
    end = now + timedelta(hours=2)

    changed = browser("adam").patch(path, daily(now - timedelta(hours=2), end)).json["quiet"]

    assert changed["now"] is True
    assert changed["until"] == f"{end:%Y-%m-%dT%H:%M}:00.000Z"
    assert changed["nextAt"] > changed["until"]
    assert changed["text"] == f"Quiet hours until {end:%Y-%m-%dT%H:%M}:00Z."


def test_the_next_start_of_quiet_hours_is_shown_outside_of_them(browser: Browsers, path: str) -> None:
    start = present() + timedelta(hours=2)
    browser("adam").patch(path, daily(start, start + timedelta(hours=1)))

    quiet = browser("vic").get(path).json["quiet"]

    assert (quiet["now"], quiet["until"]) == (False, None)
    assert quiet["nextAt"] == f"{start:%Y-%m-%dT%H:%M}:00.000Z"
    assert quiet["text"] == f"The next quiet hours begin at {start:%Y-%m-%dT%H:%M}:00Z."


def test_lists_and_the_start_have_the_quiet_hours_of_each_workspace(browser: Browsers, cast: Cast, path: str) -> None:
    now = present()
    browser("adam").patch(path, daily(now - timedelta(hours=2), now + timedelta(hours=2)))

    vic = browser("vic")

    assert [row["quiet"]["now"] for row in vic.get("/v1/workspaces").json["items"]] == [True]
    assert [row["quiet"]["now"] for row in vic.get("/v1/start").json["workspaces"]] == [True]
    assert [row["quiet"]["now"] for row in browser("eve").get("/v1/workspaces").json["items"]] == [False]


def test_the_quiet_hours_cannot_be_set_by_their_status(browser: Browsers, path: str) -> None:
    refused = browser("adam").patch(path, {"quiet": {"now": True}})

    assert refused.status_code == 422


def test_unsaved_quiet_hours_are_previewed_and_not_stored(browser: Browsers, cast: Cast, path: str) -> None:
    vic, window = browser("vic"), {"days": list(DAYS), "start": "22:00", "end": "07:00"}
    start = (present() + timedelta(days=1)).replace(hour=23, minute=0, second=0, microsecond=0)
    draft = {"quietHours": {"enabled": True, "timezone": "UTC", "windows": [window]}, "at": start.isoformat()}

    answer = vic.post(f"{path}/quiet-hours/preview", draft)

    end = start + timedelta(hours=8)
    assert (answer.status_code, answer.json["now"], answer.json["until"]) == (
        200,
        True,
        f"{end:%Y-%m-%dT%H:%M}:00.000Z",
    )
    assert answer.json["text"].startswith("Quiet hours until ")
    nights = [start.replace(hour=22) + timedelta(days=1 + number) for number in range(7)]
    assert [each["start"] for each in answer.json["upcoming"]] == [f"{at:%Y-%m-%dT%H:%M}:00.000Z" for at in nights]
    assert {each["start"][11:16] + each["end"][11:16] for each in answer.json["upcoming"]} == {"22:0007:00"}
    assert vic.get(path).json["quiet"]["text"] == "Quiet hours are off."


def test_a_quiet_hours_draft_inherits_missing_fields_from_the_workspace(browser: Browsers, path: str) -> None:
    now = present()
    browser("adam").patch(path, daily(now - timedelta(hours=2), now + timedelta(hours=2)))
    preview = f"{path}/quiet-hours/preview"

    assert browser("vic").post(preview, {"quietHours": {}}).json["now"] is True
    assert browser("vic").post(preview, {"quietHours": {"enabled": False}}).json["upcoming"] == []


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"at": "2500-01-01T00:00:00Z"}, "/at"),
        ({"timezone": "Mars/Olympus"}, "/timezone"),
        (
            {"quietHours": {"windows": [{"days": ["mon"], "start": "25:00", "end": "07:00"}]}},
            "/quietHours/windows/0/start",
        ),
        ({"quietHours": {"windows": [{"days": list(DAYS), "start": "00:00", "end": "00:00"}]}}, "/quietHours/windows"),
    ],
    ids=str,
)
def test_a_draft_that_could_not_be_saved_is_refused(
    browser: Browsers, path: str, change: dict[str, Any], pointer: str
) -> None:
    refused = browser("vic").post(f"{path}/quiet-hours/preview", {"quietHours": {}, **change})

    assert [fault["pointer"] for fault in refused.json["errors"]] == [pointer]


def test_quiet_hours_of_another_workspace_are_not_previewed(browser: Browsers, path: str) -> None:
    assert browser("eve").post(f"{path}/quiet-hours/preview", {"quietHours": {}}).status_code == 404
