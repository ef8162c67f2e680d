"""Sources over HTTP: permissions, visible fields, and the limits of each field (specification 5.1)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.live.feed import Change
from inbox.models.senders.sources import Source
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.database.stored import store

Browsers = Callable[[str], Browser]


@pytest.fixture
def workspace(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


@pytest.fixture
def path(cast: Cast) -> str:
    return f"/v1/sources/{typeid('src', cast.source.id)}"


def sent(cast: Cast, hours_ago: float) -> None:
    at = present() - timedelta(hours=hours_ago)
    store(workspace_id=cast.workspace.id, id=new_id(at), source_id=cast.source.id, received_at=at, occurred_at=at)


def test_an_administrator_makes_a_source_and_reads_it_back(browser: Browsers, workspace: str) -> None:
    made = browser("adam").post("/v1/sources", {"workspaceId": workspace, "name": "  Nightly jobs "})

    assert made.status_code == 201
    assert made.json == {
        "id": made.json["id"], "workspaceId": workspace, "name": "Nightly jobs", "kind": "events", "enabled": True,
        "defaultSeverity": "INFO", "groupBy": [], "incidentFor": "group", "resolveBy": "dedupKey", "resolveWhen": "all", "routingProfileId": None,
        "allowSenderAcknowledge": False, "keepOpenOnMissingData": False,
        "allowQueryToken": False, "expectEverySeconds": None, "recoveryPattern": None, "recoveryPreset": None,
        "mapping": None, "lastEventAt": None,
        "eventsLast24h": 0, "warnings": [], "warningsLast24h": 0, "keys": {"active": 0, "ending": 0, "oldestCreatedAt": None},
        "openIncidents": 0, "createdAt": made.json["createdAt"], "deletedAt": None,
        "rev": 1,
    }  # fmt: skip
    assert made.headers["ETag"] == '"1"'
    assert browser("vic").get(made.headers["Location"]).json == {**made.json, "keys": None}


def test_the_last_day_is_counted_and_no_longer(browser: Browsers, cast: Cast, path: str) -> None:
    for hours in (0.1, 23.9, 24.1):
        sent(cast, hours)

    read = browser("vic").get(path).json

    assert read["eventsLast24h"] == 2
    assert read["lastEventAt"] is not None


@pytest.mark.parametrize(
    ("field", "good", "bad", "pointer"),
    [
        ("name", "x" * 100, "x" * 101, "/name"),
        ("name", "x", " ", "/name"),
        ("name", "é", "two\nlines", "/name"),
        ("defaultSeverity", "warn", "loud", "/defaultSeverity"),
        ("groupBy", ["type"] * 10, ["type"] * 11, "/groupBy"),
        ("groupBy", ["metadata.team", "resource.kind"], ["severity"], "/groupBy/0"),
        ("groupBy", ["metadata." + "x" * 246], ["metadata." + "x" * 247], "/groupBy/0"),
        ("resolveBy", "fingerprint", "title", "/resolveBy"),
        ("incidentFor", "alert", "host", "/incidentFor"),
        ("enabled", False, "no", "/enabled"),
    ],
)
def test_each_field_has_its_bounds(browser: Browsers, path: str, field: str, good: Any, bad: Any, pointer: str) -> None:
    adam = browser("adam")

    assert adam.patch(path, {field: good}).status_code == 200
    refused = adam.patch(path, {field: bad})

    assert refused.status_code == 422
    assert [error["pointer"] for error in refused.json["errors"]] == [pointer]


@pytest.mark.parametrize("field", ["id", "workspaceId", "rev", "createdAt", "routingProfileId", "kind", "deletedAt"])
def test_read_only_fields_of_a_source_are_refused(browser: Browsers, path: str, field: str) -> None:
    assert browser("olga").patch(path, {field: "x"}).status_code == 422


def test_a_stale_revision_changes_nothing(browser: Browsers, path: str) -> None:
    adam = browser("adam")
    adam.patch(path, {"name": "Second"})

    stale = adam.patch(path, {"name": "Third"}, headers={"If-Match": '"1"'})
    fresh = adam.patch(path, {"name": "Fourth"}, headers={"If-Match": '"2"'})

    assert (stale.status_code, stale.json["code"], stale.json["rev"]) == (412, "rev_mismatch", 2)
    assert (fresh.status_code, fresh.json["name"], fresh.json["rev"]) == (200, "Fourth", 3)
    assert adam.delete(path, headers={"If-Match": '"2"'}).status_code == 412


def test_a_deleted_source_is_gone_from_everywhere_and_its_deletion_is_reported(
    browser: Browsers, cast: Cast, path: str
) -> None:
    adam = browser("adam")

    assert adam.delete(path).status_code == 204

    assert [adam.get(path).status_code, adam.patch(path, {}).status_code, adam.delete(path).status_code] == [404] * 3
    assert adam.get("/v1/sources").json["items"] == []
    assert adam.get(f"{path}/keys").status_code == 404
    assert adam.get("/v1/keys").json["items"] == []
    assert [ref["op"] for change in Change.select() for ref in change.refs] == ["deleted"]


@pytest.mark.parametrize("who", ["vic", "mia"])
def test_only_administrators_create_change_and_delete_sources(
    browser: Browsers, workspace: str, path: str, who: str
) -> None:
    person = browser(who)

    assert person.get(path).status_code == 200
    refused = [
        person.post("/v1/sources", {"workspaceId": workspace, "name": "Mine"}),
        person.patch(path, {"name": "Mine"}),
        person.delete(path),
    ]

    assert [(answer.status_code, answer.json["requiredRole"]) for answer in refused] == [(403, "admin")] * 3


def test_eve_cannot_distinguish_a_foreign_source_from_one_that_never_was(
    browser: Browsers, cast: Cast, path: str
) -> None:
    eve, nowhere = browser("eve"), f"/v1/sources/{typeid('src', new_id())}"
    before = Source.get_by_id(cast.source.id).__data__

    for call in (eve.get, lambda at: eve.patch(at, {"name": "Hers"}), eve.delete):
        answers = [call(path), call(nowhere)]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].json["detail"] == answers[1].json["detail"]
    made = [
        eve.post("/v1/sources", {"workspaceId": typeid("wsp", foreign), "name": "Hers"}).json["errors"]
        for foreign in (cast.workspace.id, new_id())
    ]

    assert made[0] == made[1] == [{"pointer": "/workspaceId", "detail": made[0][0]["detail"]}]
    assert [item["name"] for item in eve.get("/v1/sources").json["items"]] == ["Cron"]
    assert eve.get(f"/v1/sources?workspaceId={typeid('wsp', cast.workspace.id)}").json["items"] == []
    assert Source.get_by_id(cast.source.id).__data__ == before


def test_an_id_of_another_kind_is_not_found(browser: Browsers, cast: Cast) -> None:
    assert browser("olga").get(f"/v1/sources/{ids.encode('inc', cast.source.id)}").status_code == 404
