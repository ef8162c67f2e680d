"""Restoring deleted sources, destinations, silences and views (specification 12.10)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.flow.timers.run import run_due
from inbox.flow.upkeep.purge import purge
from inbox.models.records.audit import AuditEntry
from inbox.models.routing.silences import Silence
from inbox.services.routing.silences import MAX_SILENCES
from tests.api.insight.views_steps import new_view
from tests.api.routing.silences_steps import NIGHTLY, ahead, state
from tests.browser import Browser
from tests.cast import Cast, make_key, present, typeid
from tests.flow.routing_fixtures import incident, routed
from tests.silences import make_silence, titled
from tests.stand_ins.outgoing_posts import make_destination

Browsers = Callable[[str], Browser]


@pytest.fixture
def workspace(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


@pytest.fixture
def adam(browser: Browsers) -> Browser:
    return browser("adam")


def silence_of(cast: Cast, **fields: Any) -> str:
    return f"/v1/silences/{typeid('sil', make_silence(cast.workspace, cast.users['mia'], **fields).id)}"


def destination_of(cast: Cast) -> str:
    return f"/v1/destinations/{typeid('dst', make_destination(cast.workspace, 'http://127.0.0.1:9/', name='Pager').id)}"


def source_of(cast: Cast) -> str:
    return f"/v1/sources/{typeid('src', cast.source.id)}"


def deleted_ids(browser: Browser, path: str) -> list[str]:
    noun = path.rpartition("/")[0]
    return [each["id"] for each in browser.get(f"{noun}?deleted=true").json["items"]]


def send(browser: Browser, key: str) -> int:
    headers = {"Authorization": f"Bearer {key}"}
    return int(browser.post("/v1/events", {"title": "Disk full", "dedupKey": "disk"}, headers=headers).status_code)


KINDS: dict[str, Callable[[Cast, Browser, str], str]] = {
    "silence": lambda cast, browser, workspace: silence_of(cast),
    "destination": lambda cast, browser, workspace: destination_of(cast),
    "source": lambda cast, browser, workspace: source_of(cast),
    "view": lambda cast, browser, workspace: new_view(browser, workspace),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_deleted_record_is_listed_separately_and_restored_unchanged(
    adam: Browser, cast: Cast, workspace: str, kind: str
) -> None:
    path = KINDS[kind](cast, adam, workspace)
    before = adam.get(path).json
    assert adam.delete(path).status_code == 204

    assert deleted_ids(adam, path) == [before["id"]]
    assert adam.get(f"{path.rpartition('/')[0]}?deleted=true").json["items"][0]["deletedAt"] is not None
    restored = adam.post(f"{path}/restore")

    assert restored.status_code == 200, restored.json
    assert restored.json == {**before, "rev": before["rev"] + 2}
    assert (adam.get(path).json, deleted_ids(adam, path)) == (restored.json, [])


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_that_is_not_deleted_is_a_conflict(adam: Browser, cast: Cast, workspace: str, kind: str) -> None:
    path = KINDS[kind](cast, adam, workspace)

    refused = adam.post(f"{path}/restore")

    assert (refused.status_code, refused.json["code"]) == (409, "conflict")
    assert adam.get(path).json["rev"] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_eve_restores_and_lists_nothing_of_others(
    adam: Browser, browser: Browsers, cast: Cast, workspace: str, kind: str
) -> None:
    path = KINDS[kind](cast, adam, workspace)
    adam.delete(path)

    assert browser("eve").post(f"{path}/restore").status_code == 404
    assert deleted_ids(browser("eve"), path) == []
    assert deleted_ids(adam, path) != []


@pytest.mark.parametrize("kind", KINDS)
def test_a_deleted_record_cannot_be_restored_after_seven_days(
    adam: Browser, cast: Cast, workspace: str, kind: str
) -> None:
    path = KINDS[kind](cast, adam, workspace)
    adam.delete(path)
    purge(present() + timedelta(days=6, hours=23))
    assert deleted_ids(adam, path) != []

    purge(present() + timedelta(days=7, minutes=1))

    assert adam.post(f"{path}/restore").status_code == 404


@pytest.mark.parametrize(
    ("kind", "action"),
    [("silence", "silence.restored"), ("destination", "destination.restored"), ("source", "source.restored")],
)
def test_the_audit_log_names_restored_records(
    adam: Browser, cast: Cast, workspace: str, kind: str, action: str
) -> None:
    path = KINDS[kind](cast, adam, workspace)
    adam.delete(path)
    adam.post(f"{path}/restore")

    [entry] = AuditEntry.select().where(AuditEntry.action == action)
    assert (entry.target["id"], entry.actor["name"]) == (path.rpartition("/")[2], "Adam")


def test_a_key_of_a_restored_source_is_valid_again(adam: Browser, cast: Cast) -> None:
    path, key = source_of(cast), make_key(cast.source)
    adam.delete(path)
    assert send(adam, key) == 401

    adam.post(f"{path}/restore")

    assert send(adam, key) == 202


def test_incidents_of_a_source_that_is_restored_at_once_stay_open(adam: Browser, cast: Cast) -> None:
    opening = routed(cast.source)
    adam.delete(source_of(cast))
    adam.post(f"{source_of(cast)}/restore")

    run_due(present)

    assert adam.get(f"/v1/incidents/{typeid('inc', opening.incident_id)}").json["state"] == "open"


def test_a_restored_source_names_no_deleted_profile_and_is_in_no_rule(
    adam: Browser, cast: Cast, workspace: str
) -> None:
    pager = destination_of(cast).rpartition("/")[2]
    steps = [{"afterMinutes": 0, "destinationIds": [pager]}]
    profile = adam.post("/v1/routing-profiles", {"workspaceId": workspace, "name": "Night", "steps": steps})
    adam.patch(source_of(cast), {"routingProfileId": profile.json["id"]})
    fields = {"matchText": "any event", "then": {"disposition": "incident"}, "workspaceId": workspace, "name": "Disks"}
    rule = adam.post("/v1/rules", {**fields, "sourceIds": [typeid("src", cast.source.id)]}).headers["Location"]
    adam.delete(source_of(cast))
    assert adam.delete(profile.headers["Location"]).status_code == 204

    restored = adam.post(f"{source_of(cast)}/restore")

    assert (restored.status_code, restored.json["routingProfileId"]) == (200, None)
    assert (adam.get(rule).json["sourceIds"], adam.get(rule).json["enabled"]) == ([], False)


def test_a_restored_destination_is_working_and_on_no_route(adam: Browser, cast: Cast, workspace: str) -> None:
    path = destination_of(cast)
    route = f"/v1/workspaces/{workspace}/default-route"
    adam.put(route, {"destinationIds": [path.rpartition("/")[2]]})
    adam.delete(path)

    restored = adam.post(f"{path}/restore").json

    assert restored["usedBy"]["defaultRoute"] is False
    assert (restored["stopped"], restored["config"]["secretHint"]) == (
        None,
        adam.get(path).json["config"]["secretHint"],
    )
    assert adam.get(route).json["destinationIds"] == []


def test_a_restored_silence_that_is_active_covers_its_incidents_again(adam: Browser, cast: Cast) -> None:
    opening = incident(routed(cast.source).id)
    path = silence_of(cast)
    run_due(present)
    assert state(opening) == "silenced"
    adam.delete(path)
    run_due(present)
    assert state(opening) == "open"

    adam.post(f"{path}/restore")
    run_due(present)

    assert state(opening) == "silenced"


def test_an_ended_silence_is_restored_as_an_ended_one(adam: Browser, cast: Cast) -> None:
    path = silence_of(cast, start=present() - timedelta(hours=3))
    adam.delete(path)

    assert adam.post(f"{path}/restore").json["state"] == "expired"


@pytest.mark.parametrize(("others", "status"), [(MAX_SILENCES - 1, 200), (MAX_SILENCES, 409)])
def test_a_workspace_has_no_more_silences_by_a_restoration(adam: Browser, cast: Cast, others: int, status: int) -> None:
    path = silence_of(cast)
    adam.delete(path)
    base = Silence.get()
    rows = [
        {**base.__data__, "id": _number(index), "deleted_at": None, "match": titled(f"t{index}")}
        for index in range(others)
    ]
    Silence.insert_many(rows).execute()

    assert adam.post(f"{path}/restore").status_code == status


def test_deleted_silences_are_filtered_by_their_state(adam: Browser, cast: Cast) -> None:
    now, recurring = silence_of(cast), silence_of(cast, recurrence=None)
    later = silence_of(cast, start=present() + timedelta(hours=2))
    for path in (now, recurring, later):
        adam.delete(path)

    found = {
        each: len(adam.get(f"/v1/silences?deleted=true&state={each}").json["items"])
        for each in ("active", "pending", "expired")
    }

    assert found == {"active": 2, "pending": 1, "expired": 0}


def test_a_deleted_recurring_silence_is_found_by_its_state(browser: Browsers, cast: Cast, workspace: str) -> None:
    mia = browser("mia")
    fields = {"workspaceId": workspace, "matchText": "any event", "recurrence": NIGHTLY, "comment": "Nightly jobs"}
    path = mia.post("/v1/silences", {**fields, "endsAt": ahead(days=2)}).headers["Location"]
    current = mia.get(path).json["state"]
    mia.delete(path)

    assert len(mia.get(f"/v1/silences?deleted=true&state={current}").json["items"]) == 1
    assert mia.get(f"/v1/silences?state={current}").json["items"] == []


def test_members_restore_silences_and_administrators_the_rest(adam: Browser, browser: Browsers, cast: Cast) -> None:
    silence, destination, source = silence_of(cast), destination_of(cast), source_of(cast)
    for path in (silence, destination, source):
        adam.delete(path)

    statuses = {
        (who, path.split("/")[2]): browser(who).post(f"{path}/restore").status_code
        for who in ("vic", "mia", "adam")
        for path in (silence, destination, source)
    }

    assert [status for (who, _), status in statuses.items() if who == "vic"] == [403, 403, 403]
    assert [status for (who, _), status in statuses.items() if who == "mia"] == [200, 403, 403]
    assert [status for (who, _), status in statuses.items() if who == "adam"] == [409, 200, 200]


def _number(index: int) -> str:
    return f"00000000-0000-7000-8000-{index:012d}"
