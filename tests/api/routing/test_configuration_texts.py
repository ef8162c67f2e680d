"""Rules, routing profiles and silences have sentences with names (specification 6.2, 6.7, 8.1)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.stand_ins.outgoing_posts import make_destination

Browsers = Callable[[str], Browser]


@pytest.fixture
def workspace(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


@pytest.fixture
def pager(cast: Cast) -> str:
    return typeid("dst", make_destination(cast.workspace, "http://127.0.0.1:9/", name="Pager").id)


def made(browser: Browser, path: str, **body: Any) -> str:
    answer = browser.post(path, body)
    assert answer.status_code == 201, answer.json
    return str(answer.headers["Location"])


def test_the_sentence_of_a_rule_names_sources_destinations_and_profiles(
    browser: Browsers, cast: Cast, workspace: str, pager: str
) -> None:
    adam = browser("adam")
    steps = [{"afterMinutes": 0, "destinationIds": [pager]}]
    profile = made(adam, "/v1/routing-profiles", workspaceId=workspace, name="On call", steps=steps)
    rule = made(
        adam, "/v1/rules", workspaceId=workspace, name="Disks", matchText="severity >= ERROR",
        sourceIds=[typeid("src", cast.source.id)],
        then={"disposition": "incident", "destinationIds": [pager], "routingProfileId": profile.rpartition("/")[2]},
    )  # fmt: skip

    vic = browser("vic")

    text = "When severity >= ERROR, from Prometheus: open an incident, notify Pager and use the profile On call."
    assert vic.get(rule).json["text"] == text
    assert [each["text"] for each in vic.get("/v1/rules").json["items"]] == [text]
    assert vic.get(profile).json["text"] == "At once: Pager."
    assert [each["text"] for each in vic.get("/v1/routing-profiles").json["items"]] == ["At once: Pager."]


def test_a_change_of_the_rule_and_of_a_name_changes_its_sentence(browser: Browsers, workspace: str, pager: str) -> None:
    adam = browser("adam")
    then = {"disposition": "incident", "destinationIds": [pager]}
    rule = made(adam, "/v1/rules", workspaceId=workspace, name="All", matchText="any event", then=then)
    adam.patch(f"/v1/destinations/{pager}", {"name": "Chat"})

    changed = adam.patch(rule, {"enabled": False}).json["text"]

    assert changed == "Every event: open an incident and notify Chat. The rule is disabled."


def test_the_times_of_a_silence_are_on_the_clock_of_its_recurrence(browser: Browsers, workspace: str) -> None:
    mia, start = browser("mia"), present() + timedelta(days=1)
    fields = {
        "workspaceId": workspace, "matchText": "any event", "comment": "Upgrade",
        "startsAt": start.isoformat(), "endsAt": (start + timedelta(days=9)).isoformat(),
    }  # fmt: skip
    recurrence = {"rrule": "FREQ=DAILY;INTERVAL=2", "timezone": "UTC", "durationMinutes": 30}

    once = made(mia, "/v1/silences", **fields)
    often = made(mia, "/v1/silences", **fields, recurrence=recurrence)

    assert mia.get(once).json["text"].startswith("From ")
    assert (
        mia.get(often).json["text"].startswith(f"Every 2 days at {start:%H:%M} UTC for 30 minutes, from {start:%a %d}")
    )
