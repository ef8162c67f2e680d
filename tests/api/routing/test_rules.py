"""Rules over HTTP: creation, valid fields and refusals."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.models.deliveries.destinations import Destination
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import Rule
from inbox.models.workspaces.tables import Workspace
from tests.api.routing.rules_steps import (
    DISK,
    HOURS,
    adam,  # noqa: F401
    destination,
    make,
    new,
    path,
    pointers,
    workspace,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, present, typeid


def profile(workspace: Workspace, name: str = "On-call", **more: Any) -> str:
    row = RoutingProfile.create(
        id=new_id(), workspace_id=workspace.id, name=name, created_at=present(), **{"steps": [], **more}
    )
    return typeid("prf", row.id)


def test_an_administrator_makes_a_rule_and_reads_it_back(cast: Cast, adam: Browser, workspace: str) -> None:
    pager, on_call = destination(cast.workspace), profile(cast.workspace)
    then = {
        "disposition": "incident", "severity": "ERROR", "addTags": ["db"], "groupBy": ["resource.kind"], "resolveWhen": "any",
        "destinationIds": [pager], "people": [], "routingProfileId": on_call, "snoozeMinutes": 30,
        "runbookUrl": "https://wiki.example.org/disk",
    }  # fmt: skip
    sent = new(
        workspace, name="  Disks at night ", sourceIds=[typeid("src", cast.source.id)], activeDuring=HOURS,
        openAfter={"count": 3, "withinMinutes": 10}, then={**then, "severity": "err"},
    )  # fmt: skip

    made = adam.post("/v1/rules", sent)

    assert made.status_code == 201
    assert made.json == {
        "id": made.json["id"], "workspaceId": workspace, "name": "Disks at night", "enabled": True, "position": 1,
        "sourceIds": [typeid("src", cast.source.id)], "match": DISK, "matchText": 'title contains "disk"',
        "activeDuring": HOURS, "openAfter": {"count": 3, "withinMinutes": 10}, "then": then, "continue": False,
        "matchedLast24h": 0, "lastMatchedAt": None, "tooCostly": None, "deletedAt": None, "createdAt": made.json["createdAt"], "rev": 1,
        "text": made.json["text"],
    }  # fmt: skip
    assert made.headers["ETag"] == '"1"'
    assert made.headers["Location"] == f"/v1/rules/{made.json['id']}"
    assert adam.get(made.headers["Location"]).json == made.json


def test_omitted_fields_of_a_rule_are_null_or_empty(adam: Browser, workspace: str) -> None:
    made = make(adam, workspace, match={"all": []})

    assert (made["matchText"], made["activeDuring"], made["openAfter"]) == ("any event", None, None)
    assert made["then"] == {
        "disposition": "incident", "severity": None, "addTags": [], "groupBy": [], "resolveWhen": "all", "destinationIds": [],
        "people": [], "routingProfileId": None, "snoozeMinutes": None, "runbookUrl": None,
    }  # fmt: skip


def test_a_match_may_be_sent_as_text(adam: Browser, workspace: str) -> None:
    made = make(adam, workspace, match=..., matchText='severity >= ERROR and title contains "disk"')

    assert made["match"] == {"all": [{"field": "severity", "op": "gte", "value": "ERROR"}, DISK]}
    assert made["matchText"] == 'severity >= ERROR and title contains "disk"'


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"match": ...}, "/match"),
        ({"matchText": "any event"}, "/matchText"),
        ({"match": ..., "matchText": "severity >>"}, "/matchText"),
        ({"match": {"all": [DISK, {"field": "weather", "op": "eq", "value": "x"}]}}, "/match/all/1/field"),
        ({"match": "title"}, "/match"),
        ({"name": " "}, "/name"),
        ({"name": "x" * 101}, "/name"),
        ({"position": 0}, "/position"),
        ({"then": ...}, "/then"),
        ({"then": {}}, "/then/disposition"),
        ({"then": {"disposition": "explode"}}, "/then/disposition"),
        ({"then": {"disposition": "incident", "severity": "awful"}}, "/then/severity"),
        ({"then": {"disposition": "incident", "addTags": ["x"] * 21}}, "/then/addTags"),
        ({"then": {"disposition": "incident", "addTags": ["x" * 65]}}, "/then/addTags/0"),
        ({"then": {"disposition": "incident", "addTags": [" "]}}, "/then/addTags/0"),
        ({"then": {"disposition": "incident", "groupBy": ["severity"]}}, "/then/groupBy/0"),
        ({"then": {"disposition": "incident", "groupBy": ["type"] * 11}}, "/then/groupBy"),
        ({"then": {"disposition": "incident", "snoozeMinutes": 0}}, "/then/snoozeMinutes"),
        ({"then": {"disposition": "incident", "snoozeMinutes": 43201}}, "/then/snoozeMinutes"),
        ({"then": {"disposition": "incident", "snoozeMinutes": True}}, "/then/snoozeMinutes"),
        ({"then": {"disposition": "log", "snoozeMinutes": 5}}, "/then/snoozeMinutes"),
        ({"then": {"disposition": "notify", "runbookUrl": "https://w.example"}}, "/then/runbookUrl"),
        ({"then": {"disposition": "incident", "runbookUrl": "javascript:alert(1)"}}, "/then/runbookUrl"),
        ({"then": {"disposition": "incident", "runbookUrl": "https://w.example/" + "x" * 2_031}}, "/then/runbookUrl"),
        ({"openAfter": {"count": 1, "withinMinutes": 5}}, "/openAfter/count"),
        ({"openAfter": {"count": 101, "withinMinutes": 5}}, "/openAfter/count"),
        ({"openAfter": {"count": 2, "withinMinutes": 0}}, "/openAfter/withinMinutes"),
        ({"openAfter": {"count": 2, "withinMinutes": 1441}}, "/openAfter/withinMinutes"),
        ({"openAfter": {"count": 2}}, "/openAfter/withinMinutes"),
        ({"openAfter": {"count": 2, "withinMinutes": 5}, "then": {"disposition": "log"}}, "/openAfter"),
        ({"activeDuring": {"timezone": "Nowhere/Nothing", "windows": HOURS["windows"]}}, "/activeDuring/timezone"),
        ({"activeDuring": {"windows": []}}, "/activeDuring/windows"),
        ({"continue": "yes"}, "/continue"),
        ({"sourceIds": ["src_x"]}, "/sourceIds/0"),
        ({"weather": "fine"}, "/weather"),
    ],
)
def test_an_invalid_rule_is_refused_with_its_pointer(
    adam: Browser, workspace: str, change: dict[str, Any], pointer: str
) -> None:
    assert pointers(adam.post("/v1/rules", new(workspace, **change))) == [pointer]
    assert Rule.select().count() == 0


@pytest.mark.parametrize(
    "change",
    [
        {"name": "x" * 100},
        {"then": {"disposition": "incident", "addTags": ["x" * 64, *map(str, range(19))]}},
        {"then": {"disposition": "incident", "snoozeMinutes": 1}},
        {"then": {"disposition": "incident", "snoozeMinutes": 43200}},
        {"openAfter": {"count": 2, "withinMinutes": 1}},
        {"openAfter": {"count": 100, "withinMinutes": 1440}},
        {"then": {"severity": "WARNING"}, "continue": True},
        {"then": {"disposition": "drop"}},
        {"then": {"disposition": "notify"}},
        {"activeDuring": {"windows": HOURS["windows"]}},
    ],
)
def test_a_rule_at_its_limits_is_accepted(adam: Browser, workspace: str, change: dict[str, Any]) -> None:
    made = make(adam, workspace, **change)

    assert adam.get(path(made)).json == made


def test_a_rule_refers_only_to_existing_records_of_its_workspace(cast: Cast, adam: Browser, workspace: str) -> None:
    own, foreign = destination(cast.workspace), destination(cast.foreign)
    gone, foreign_profile = destination(cast.workspace, "Gone"), profile(cast.foreign)
    Destination.update(deleted_at=present()).where(Destination.id == ids.decode("dst", gone)).execute()
    sources = [typeid("src", cast.source.id), typeid("src", cast.foreign_source.id)]
    then = {"disposition": "incident", "destinationIds": [own, foreign, gone], "routingProfileId": foreign_profile}
    wrong = ["/sourceIds/1", "/then/destinationIds/1", "/then/destinationIds/2", "/then/routingProfileId"]

    made = make(adam, workspace)

    assert pointers(adam.post("/v1/rules", new(workspace, sourceIds=sources, then=then))) == wrong
    assert pointers(adam.patch(path(made), {"sourceIds": sources, "then": then})) == wrong
    assert adam.get(path(made)).json == made
