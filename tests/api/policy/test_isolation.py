"""What belongs to somebody else is not there: their ids, wherever an id may stand, are answered as ids of nothing.

Every id position of every operation is taken from the routes and the document, so new operations are covered by themselves.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from copy import deepcopy
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import peewee
import pytest
from flask import Flask

from inbox.api.http.policy import POLICY
from inbox.config.settings import Settings
from inbox.database.base import db, new_id
from inbox.domain.values import ids
from tests.api.openapi.operations import Operation, operations
from tests.api.stage import IDS, IN_FORCE, Stage, some_workspace
from tests.browser import Browser
from tests.cast import sign_in
from tests.database.tables import tables
from tests.proving import HOME
from tests.stand_ins.phone import Phone, pair

Answered = tuple[int, str, dict[str, str]]
PER_ID = {("incidents.bulk", ("ids", 0))}
"""Where many ids are answered each by itself, and the answer as a whole is none of refusal."""

SIGNED = {"hooks.receive_signed", "hooks.receive_signed_by_put", "interactions.receive", "phone_answers.text_message"}
"""Their credential is a signature by a secret of the record that the id names. A wrong id is a wrong signature."""

PER_REQUEST = {"X-Request-Id", "Date", "Content-Length", "ETag"}
ENDPOINTS = sorted(POLICY)


@pytest.fixture
def in_force(ground: peewee.Database, in_settings: Callable[..., Settings]) -> None:
    in_settings(**IN_FORCE)


def records_of(stage: Stage) -> dict[str, UUID]:
    """One record of the stage for each prefix."""
    named = {"usr": "user_id", "wsp": "workspace_id", "src": "source_id", "key": "key_id", "evt": "event_id",
             "inc": "incident_id", "dst": "destination_id", "dlv": "delivery_id", "ntc": "notice_id", "inv": "invite_id",
             "rul": "rule_id", "view": "view_id", "sil": "silence_id", "prf": "profile_id", "ses": "session_id", "psk": "passkey_id",
             "prv": "preview_id", "mon": "monitor_id", "wat": "watcher_id", "cac": "chat_account_id",
             "tbr": "trusted_browser_id", "sch": "schedule_id", "ovr": "override_id",
             "fwd": "forwarding_id", "cal": "feed_id", "cme": "contact_method_id"}  # fmt: skip
    found = {prefix: IDS[name](stage) for prefix, name in named.items()}
    [layer] = stage.schedule.layers
    return {**found, "dev": IDS["device_id"](stage), "lay": ids.decode("lay", layer["id"])}


def rows_about(stage: Stage, records: Mapping[str, UUID]) -> str:
    """A hash of every row in which an id of theirs stands, in whatever table and column."""
    required = [f"%{each}%" for each in {*records.values(), stage.workspace.id, stage.owner.id}]
    hashed = hashlib.sha256()
    for table in tables():
        statement = f'SELECT t::text FROM "{table}" t WHERE t::text LIKE ANY(%s) ORDER BY 1'
        for row in db.execute_sql(statement, (required,)).fetchall():
            hashed.update(f"{table}:{row[0]}\n".encode())
    return hashed.hexdigest()


def attempt(app: Flask, operation: Operation, kind: str, place: Any, prefix: str, value: UUID) -> Answered:
    """The operation as an owner of another workspace, on their own records but for the id at this place.

    Status, text and headers, without what belongs to the request and with the id itself blotted out.
    """
    own = Stage()
    token = sign_in(own.owner)
    own.act(own.owner, token)
    values, body, used, query = operation.values(own), operation.body(own), ids.encode(prefix, value), ""
    if kind == "path":
        values[place] = value
    elif kind == "query":
        query = f"?{urlencode({place: used})}"
    else:
        body = put(body, place, used)
    browser = Browser(app, HOME, cookie=token)
    if POLICY[operation.endpoint].credential == "device":
        browser = Phone(app, HOME, pair(own.owner).access_token)
    with closing(browser.call(operation.method, operation.path(app, values) + query, body)) as answer:
        text = answer.get_data(as_text=True).replace(answer.headers["X-Request-Id"], "REQUEST").replace(used, "ID")
        text = text.replace(ids.encode("wsp", own.workspace.id), "WORKSPACE")
        headers = {name: value.replace(used, "ID") for name, value in answer.headers if name not in PER_REQUEST}
        return answer.status_code, text, headers


def prefix_in(schema: Mapping[str, Any]) -> str | None:
    """The prefix of the ids that this schema takes, if it takes any."""
    pattern = schema.get("pattern", "")
    return next((each for each in ids.Prefix if re.search(rf"(?:^\^?|\|){each}_\[", pattern)), None)


def places_in(schema: Mapping[str, Any], document: Mapping[str, Any], at: tuple[Any, ...] = ()) -> Iterator[Any]:
    """Where an id may stand in a body, with its prefix: names, and 0 for a list's first item."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for part in (*schema.get("allOf", ()), *schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from places_in(part, document, at)
    if prefix_in(schema):
        yield at, prefix_in(schema)
    for name, inner in schema.get("properties", {}).items():
        if not inner.get("readOnly"):
            yield from places_in(inner, document, (*at, name))
    if isinstance(schema.get("items"), Mapping):
        yield from places_in(schema["items"], document, (*at, 0))


def put(body: Any, place: tuple[Any, ...], value: str) -> Any:
    """The body with the value at this place."""
    if not place:
        return value
    if place[0] == 0:
        return [put(None, place[1:], value)]
    whole = deepcopy(body) if isinstance(body, dict) else {}
    whole[place[0]] = put(whole.get(place[0]), place[1:], value)
    return whole


def _positions(operation: Operation, document: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """Kind, place and prefix of every id that the operation takes."""
    for name, prefix in operation.prefixes.items():
        yield "path", name, prefix
    for parameter in operation.described.get("parameters", []):
        if parameter.get("in") == "query":
            schema = parameter["schema"]
            prefix = prefix_in(schema) or prefix_in(schema.get("items", {}))
            if prefix:
                yield "query", parameter["name"], prefix
    body = operation.described.get("requestBody", {}).get("content", {}).get("application/json", {})
    for place, prefix in places_in(body.get("schema", {}), document):
        yield "body", place, prefix


def the_document(app: Flask) -> dict[str, Any]:
    document: dict[str, Any] = app.test_client().get("/v1/openapi.json").json
    return document


@pytest.mark.usefixtures("in_force")
@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_the_id_of_a_foreign_record_is_answered_like_an_unknown_id(endpoint: str, app: Flask) -> None:
    document = the_document(app)
    for operation in (each for each in operations(app) if each.endpoint == endpoint):
        positions = list(_positions(operation, document))
        if not positions:
            continue
        foreign_one = Stage()
        records = records_of(foreign_one)
        before = rows_about(foreign_one, records)
        for kind, place, prefix in positions:
            foreign, nothing = (attempt(app, operation, kind, place, prefix, of) for of in (records[prefix], new_id()))

            assert foreign == nothing, (operation.method, kind, place)
            is_admins = POLICY[endpoint].instance_admin  # whoever has a workspace is not let in at all
            answered = (kind == "query" and not is_admins) or (endpoint, place) in PER_ID
            refusals = (401,) if endpoint in SIGNED else (403, 404, 422)
            assert foreign[0] == 200 if answered else foreign[0] in refusals, (kind, place)
        assert rows_about(foreign_one, records) == before


def test_the_positions_are_found_in_paths_queries_and_bodies(app: Flask) -> None:
    document = the_document(app)
    found = {(each.endpoint, kind, place) for each in operations(app) for kind, place, _ in _positions(each, document)}

    assert found >= {
        ("keys.rotate", "path", "key_id"),
        ("keys.rotate", "path", "source_id"),
        ("incidents.list", "query", "assigneeId"),
        ("audit.list", "query", "actorId"),
        ("sources.create", "body", ("workspaceId",)),
        ("incidents.edit", "body", ("assigneeId",)),
        ("workspaces.change", "body", ("settings", "fallbackDestinationId")),
        ("workspaces.change_default_route", "body", ("destinationIds", 0)),
        ("workspaces.change_default_route", "body", ("routingProfileId",)),
        ("rules.create", "body", ("sourceIds", 0)),
        ("rules.create", "body", ("then", "destinationIds", 0)),
        ("rules.edit", "body", ("then", "routingProfileId")),
        ("rules.reorder", "body", ("ids", 0)),
        ("profiles.create", "body", ("steps", 0, "destinationIds", 0)),
        ("profiles.edit", "body", ("fallbackDestinationId",)),
        ("profiles.simulate_draft", "body", ("profile", "steps", 0, "destinationIds", 0)),
        ("silences.create", "body", ("sourceIds", 0)),
        ("silences.preview", "body", ("sourceIds", 0)),
        ("sources.edit", "body", ("routingProfileId",)),
        ("incidents.bulk", "body", ("ids", 0)),
        ("incidents.bulk", "body", ("assigneeId",)),
        ("previews.create", "body", ("rule", "then", "destinationIds", 0)),
        ("previews.create_of_event", "body", ("eventId",)),
    }
    assert {prefix for each in operations(app) for _, _, prefix in _positions(each, document)} >= {
        "usr", "wsp", "src", "key", "evt", "inc", "dst", "dlv", "ntc", "inv", "ses", "psk", "dev", "prf",
    }  # fmt: skip


def fill(stage: Stage) -> None:
    """Two of everything that is listed, wherever it is listed."""
    for repeated in (False, True, True):
        if not repeated:
            some_workspace(owner=stage.owner)
        for make in IDS.values():
            make(stage)
        if not repeated:
            for name in ("source", "incident", "destination_id", "profile"):
                del stage.__dict__[name]


@pytest.fixture
def crowded(in_force: None, app: Flask) -> dict[str, tuple[Stage, Browser]]:
    """Two people with more than a page of everything, and their browsers."""
    found = {}
    for name in ("theirs", "own"):
        stage = Stage()
        fill(stage)
        token = sign_in(stage.owner)
        stage.act(stage.owner, token)
        found[name] = (stage, Browser(app, HOME, cookie=token))
        found[name][1].patch(f"/v1/workspaces/{ids.encode('wsp', stage.workspace.id)}", {"name": f"Renamed {name}"})
    return found


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_the_cursor_of_another_person_reveals_no_foreign_rows(
    order: str, crowded: dict[str, tuple[Stage, Browser]], app: Flask
) -> None:
    (foreign_one, their_browser), (own, browser) = crowded["theirs"], crowded["own"]
    tried = set()
    for operation in (each for each in operations(app) if "cursor" in _parameters(each)):
        path, own_one = (operation.path(app, operation.values(stage)) for stage in (foreign_one, own))
        for query in _queries(operation, foreign_one):
            page = their_browser.get(f"{path}?{urlencode({'limit': 1, 'order': order, **query})}")
            if page.status_code != 200 or page.json["nextCursor"] is None:
                continue
            tried.add(operation.endpoint)
            used = {"cursor": page.json["nextCursor"], "limit": 200, "order": order, **query}
            answer = browser.get(f"{own_one}?{urlencode(used)}")
            everything = browser.get(f"{own_one}?{urlencode({'limit': 200, 'order': order})}").json["items"]

            assert answer.status_code in (200, 422), operation.endpoint
            if answer.status_code == 200:
                assert all(item in everything for item in answer.json["items"]), operation.endpoint
                assert not query or answer.json["items"] == [], operation.endpoint
    assert tried >= {
        "events.list", "incidents.list", "sources.list", "destinations.list", "deliveries.list", "keys.list",
        "members.list", "invites.list", "workspaces.list", "me.sessions", "devices.list", "incidents.events",
        "keys.of_source", "profiles.list",
    }  # fmt: skip


def _parameters(operation: Operation) -> set[str]:
    return {parameter["name"] for parameter in operation.described.get("parameters", []) if "name" in parameter}


def _queries(operation: Operation, foreign_one: Stage) -> list[dict[str, str]]:
    """Unfiltered, and where it can be filtered by workspace, by theirs."""
    filtered = {"workspaceId": ids.encode("wsp", foreign_one.workspace.id)}
    return [{}, filtered] if "workspaceId" in _parameters(operation) else [{}]
