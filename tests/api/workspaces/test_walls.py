"""The link to the wall display: who makes and ends it, what it shows, and to whom (specification 12.11)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from werkzeug.test import TestResponse

from inbox.api.workspaces.walls import SHOWN
from inbox.config import settings as settings_module
from inbox.config.settings import Settings
from inbox.domain.senders import keys
from inbox.domain.values.refusals import RateLimited
from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.workspaces.tables import Workspace
from inbox.services.workspaces import walls
from inbox.services.workspaces.walls import MAX_NAMED, READS_A_MINUTE
from tests.browser import Browser
from tests.cast import NOW, Cast, present, typeid
from tests.flow.routing_fixtures import routed
from tests.heartbeats import make_monitor

Browsers = Callable[[str], Browser]


def link_path(cast: Cast) -> str:
    return f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/wall-link"


def token_of(browser: Browser, cast: Cast) -> str:
    made = browser.post(link_path(cast)).get_json()
    return str(made["link"]).partition("/wall#token=")[2]


def shown(browser: Browser, token: object) -> TestResponse:
    return browser.post("/v1/wall", {"token": token})


def test_whoever_has_the_link_reads_the_display_without_an_account(
    browser: Browsers, cast: Cast, anonymous: Browser
) -> None:
    routed(cast.source, NOW, key="a", severity="ERROR", title="Slow", resource="host:db-1", body="secret text")
    routed(cast.source, NOW, key="b", severity="CRITICAL", title="Down")
    token = token_of(browser("adam"), cast)

    display = shown(anonymous, token).get_json()

    assert (display["workspaceName"], display["byState"]["open"]) == (cast.workspace.name, 2)
    assert [each["title"] for each in display["incidents"]] == ["Down", "Slow"]
    assert set(display["incidents"][1]) == {
        "id", "title", "severity", "state", "resource", "firstSeenAt", "reopenCount",
    }  # fmt: skip
    assert (display["bySeverity"]["CRITICAL"], display["bySeverity"]["ERROR"]) == (1, 1)
    assert "secret text" not in json.dumps(display)


def test_only_the_hash_of_the_token_is_stored(browser: Browsers, cast: Cast) -> None:
    token = token_of(browser("adam"), cast)

    row = Workspace.select().where(Workspace.id == cast.workspace.id).dicts().get()
    assert bytes(row["wall_hash"]) == keys.digest(token)
    assert token not in str(row)


def test_the_link_ends_with_its_revocation_and_with_a_new_one(
    browser: Browsers, cast: Cast, anonymous: Browser
) -> None:
    adam = browser("adam")
    first = token_of(adam, cast)
    second = token_of(adam, cast)
    assert [shown(anonymous, each).status_code for each in (first, second)] == [404, 200]

    assert adam.delete(link_path(cast)).status_code == 204

    assert shown(anonymous, second).status_code == 404
    assert adam.get(link_path(cast)).get_json() == {"createdAt": None}
    assert adam.delete(link_path(cast)).status_code == 204


def test_a_closed_workspace_has_no_display(browser: Browsers, cast: Cast, anonymous: Browser) -> None:
    token = token_of(browser("adam"), cast)
    Workspace.update(deleted_at=present()).where(Workspace.id == cast.workspace.id).execute()

    assert shown(anonymous, token).status_code == 404


@pytest.mark.parametrize("token", ["", "svc_wall_x", None, 7, ["svc_wall_x"], "svc_wall_" + "0" * 49])
def test_other_tokens_show_nothing(cast: Cast, anonymous: Browser, token: object) -> None:
    assert shown(anonymous, token).status_code == 404


def test_the_token_signs_nobody_in(browser: Browsers, cast: Cast, anonymous: Browser) -> None:
    token = token_of(browser("adam"), cast)

    answer = anonymous.get("/v1/incidents", headers={"Authorization": f"Bearer {token}"})

    assert answer.status_code == 401


@pytest.mark.parametrize(("incidents", "most"), [(SHOWN - 1, SHOWN - 1), (SHOWN, SHOWN), (SHOWN + 1, SHOWN)])
def test_a_display_has_at_most_40_incidents(
    browser: Browsers, cast: Cast, anonymous: Browser, incidents: int, most: int
) -> None:
    for number in range(incidents):
        routed(cast.source, NOW, key=f"k{number}", severity="ERROR")

    display = shown(anonymous, token_of(browser("adam"), cast)).get_json()

    assert (len(display["incidents"]), display["byState"]["open"]) == (most, incidents)


@pytest.mark.parametrize("monitors", [MAX_NAMED - 1, MAX_NAMED, MAX_NAMED + 1])
def test_failing_monitors_are_counted_and_some_are_named(
    browser: Browsers, cast: Cast, anonymous: Browser, monitors: int
) -> None:
    for number in range(monitors):
        make_monitor(cast.source, name=f"Job {number:02}")
    HeartbeatMonitor.update(down_since=present() - timedelta(hours=1)).execute()

    beats = shown(anonymous, token_of(browser("adam"), cast)).get_json()["heartbeats"]

    assert (beats["byStatus"]["down"], len(beats["named"])) == (monitors, min(monitors, MAX_NAMED))
    assert beats["named"][0] == {"name": "Job 00", "status": "down"}


def test_the_reads_of_a_network_are_limited(browser: Browsers, cast: Cast, settings: Settings) -> None:
    token = token_of(browser("adam"), cast)
    settings_module.use(replace(settings, rate_limits=True))

    for _ in range(READS_A_MINUTE):
        walls.find(token, NOW, address="192.0.2.7")
    with pytest.raises(RateLimited):
        walls.find(token, NOW, address="192.0.2.7")
    assert walls.find(token, NOW + timedelta(seconds=1), address="192.0.2.7").id == cast.workspace.id


def test_administrators_alone_make_and_end_the_link(browser: Browsers, cast: Cast) -> None:
    assert [browser(name).post(link_path(cast)).status_code for name in ("mia", "vic", "eve")] == [403, 403, 404]
    assert [browser(name).delete(link_path(cast)).status_code for name in ("mia", "eve")] == [403, 404]
    assert browser("vic").get(link_path(cast)).get_json() == {"createdAt": None}
