"""Every read and every preview of a workspace, as its owner sends them, with each filter that the document names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import orjson
from flask import Flask

from inbox.domain.values import ids
from inbox.flow.routing.route import route
from inbox.models.deliveries.tables import Delivery
from inbox.models.routing.rules import Rule
from inbox.models.workspaces.tables import WorkspaceCounter
from tests.api.openapi.operations import Operation, operations
from tests.api.policy.expectations import EXPECTED
from tests.api.stage import IDS, Stage
from tests.browser import Browser
from tests.flow.routing_fixtures import accept, listen
from tests.flow.rulemaking import rule, silence

PREVIEWS = frozenset(
    {
        "previews.create", "previews.create_of_event", "profiles.simulate", "profiles.simulate_draft",
        "rules.parse", "silences.preview", "imports.preview", "workspaces.preview_quiet_hours", "heartbeat_monitors.preview_schedule",
        "schedule_previews.create",
    }
)  # fmt: skip
"""Operations that are written as POST and answer without any effect."""

OTHERS = frozenset({"stream.read"})
"""Reads that are no single answer."""

TRACES = {
    "audit.export": {"audit_log"},
    "export.read": {"audit_log", "export_runs"},
    "push.key": {"push_keys"},
}
"""Reads that leave a trace on purpose, and in which tables. The first read of the key for Web Push creates it."""

TIME = re.compile(r"\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|\+00:00)| \d\d:\d\d)")
"""Previews and simulations begin now."""

EVENTS = (
    {"key": "a", "severity": "CRITICAL"},
    {"key": "a", "severity": "CRITICAL"},
    {"key": "b", "severity": "ERROR", "tags": ["db"]},
    {"key": "c", "severity": "ERROR", "resource": "db-1"},
    {"key": "c", "action": "resolve"},
    {"key": "d", "severity": "WARNING", "type": "disk"},
    {"key": "e", "severity": "INFO"},
)
Answer = tuple[int, Any]
Request = tuple[str, str, Any]


def reads(app: Flask) -> Iterator[Operation]:
    """The reads and previews of signed-in people that are about workspaces."""
    for operation in operations(app):
        expected = EXPECTED[operation.endpoint]
        is_read = operation.method == "GET" or operation.endpoint in PREVIEWS
        of_a_workspace = expected.credential == "user" and not expected.instance_admin
        if is_read and of_a_workspace and operation.endpoint not in OTHERS:
            yield operation


def furnish(stage: Stage, at: datetime) -> None:
    """Rules, silences, destinations, one record of each kind, and events that were routed and notified, some as sent."""
    WorkspaceCounter.update(incidents=10**6).where(WorkspaceCounter.workspace == stage.workspace.id).execute()
    for make in IDS.values():
        make(stage)
    rule(stage.workspace, {"field": "severity", "op": "eq", "value": "CRITICAL"}, name="Critical")
    rule(stage.workspace, {"field": "tags", "op": "eq", "value": "db"}, "notify", name="Only told")
    rule(stage.workspace, {"field": "title", "op": "eq", "value": "never"}, name="Idle")
    Rule.update(created_at=at - timedelta(days=30)).where(Rule.workspace_id == stage.workspace.id).execute()
    for name in ("Pager", "Chat"):
        listen(stage.workspace, name)
    for each in EVENTS:
        accept(stage.source, at, **{**each, "title": "Disk full"})
    route(lambda: at)
    silence(stage.workspace, {"field": "resource", "op": "eq", "value": "db-9"}, at - timedelta(minutes=1))
    accept(stage.source, at, key="f", severity="ERROR", resource="db-9")
    route(lambda: at)
    own = Delivery.workspace_id == stage.workspace.id
    for status, first in (("sent", 0), ("failed", 1)):
        chosen = [row.id for row in Delivery.select(Delivery.id).where(own).order_by(Delivery.id)][first::3]
        Delivery.update(status=status, due_at=None, settled_at=at).where(Delivery.id.in_(chosen)).execute()


class Reader:
    """The owner of a stage, who sends the same requests whenever they are asked."""

    def __init__(self, app: Flask, browser: Browser, stage: Stage, at: datetime) -> None:
        self._browser = browser
        self.requests: dict[str, Request] = {}
        values = {name: make(stage) for name, make in sorted(IDS.items())}
        for operation in reads(app):
            needed = {name: values[name] for name in operation.rule.arguments}
            path, body = operation.path(app, needed), operation.body(stage)
            for query in _queries(operation, stage, values, at):
                whole = f"{path}?{query}" if query else path
                self.requests[f"{operation.endpoint} {query}"] = (operation.method, whole, body)

    def answers(self) -> dict[str, Answer]:
        """Status and document of each request."""
        return {
            name: self.send(request) for name, request in self.requests.items() if name.partition(" ")[0] not in TRACES
        }

    def send(self, request: Request) -> Answer:
        """Send one of the requests; of a list all pages, since a page may end early on a busy machine."""
        method, path, body = request
        status, document = self._one(method, path, body)
        whole = document
        while isinstance(document, dict) and (cursor := document.get("nextCursor")):
            more = f"{'&' if '?' in path else '?'}{urlencode({'cursor': cursor})}"
            status, document = self._one(method, path + more, body)
            whole["items"] += document["items"]
            whole["nextCursor"] = None
        if isinstance(whole, dict) and "items" in whole:
            whole.pop("partial", None)
        return status, whole

    def _one(self, method: str, path: str, body: Any) -> Answer:
        with closing(self._browser.call(method, path, body)) as answer:
            return answer.status_code, _document(answer)


def _document(answer: Any) -> Any:
    """What was answered, without what differs from request to request."""
    if not answer.is_json and answer.content_type != "application/problem+json":
        return answer.get_data(as_text=True)
    document = answer.get_json(force=True)
    if answer.request.method == "POST":
        document = orjson.loads(TIME.sub("TIME", orjson.dumps(document).decode()))
    if isinstance(document, dict):
        document.pop("requestId", None)
    return document


def _queries(operation: Operation, stage: Stage, values: Mapping[str, Any], at: datetime) -> Iterator[str]:
    """Nothing, and each value of each filter alone; where a span of time is asked for, always the same."""
    span = {}
    names = {
        each["name"]: each["schema"] for each in operation.described.get("parameters", []) if each["in"] == "query"
    }
    if operation.endpoint == "statistics.read":
        span = {"since": (at - timedelta(days=2)).isoformat(), "until": (at + timedelta(days=1)).isoformat()}
    if operation.endpoint in ("shifts.list", "on_call_log.list"):
        span = {"from": (at - timedelta(days=2)).isoformat(), "to": (at + timedelta(days=1)).isoformat()}
    if operation.endpoint == "person_shifts.list":
        span = {"from": (at + timedelta(hours=2)).isoformat(), "to": (at + timedelta(days=1)).isoformat()}
    yield urlencode(span)
    for name, schema in names.items():
        for value in _values(name, schema, values):
            yield urlencode({**span, name: value})


def _values(name: str, schema: Mapping[str, Any], values: Mapping[str, Any]) -> list[Any]:
    inner = schema.get("items", schema)
    if "enum" in inner:
        return list(inner["enum"])
    if inner.get("type") == "boolean":
        return ["true", "false"]
    if name == "q":
        return ["disk"]
    prefix = next((each for each in ids.Prefix if inner.get("pattern", "").lstrip("^").startswith(f"{each}_[")), None)
    found = [ids.encode(prefix, id) for key, id in values.items() if prefix and IDS_OF.get(key) == prefix]
    return found + {"limit": [3], "page": [1, 2]}.get(name, [])


IDS_OF = {
    "workspace_id": "wsp", "source_id": "src", "event_id": "evt", "incident_id": "inc", "rule_id": "rul",
    "silence_id": "sil", "schedule_id": "sch", "monitor_id": "mon", "watcher_id": "wat", "destination_id": "dst",
    "profile_id": "prf", "delivery_id": "dlv", "user_id": "usr",
}  # fmt: skip
