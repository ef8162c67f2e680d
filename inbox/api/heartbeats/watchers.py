"""Watchers: agents on hosts that check in (specification 20)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import request

from inbox.api.heartbeats.schemas.watchers import (
    LONGEST_NAME,
    CheckIn,
    CheckInAnswer,
    WatcherEdit,
    WatcherRecord,
    WatchersPage,
    WatchersQuery,
)
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.paging import containing, paged
from inbox.api.http.policy import ADMIN, SOURCE_KEY, USER, VIEWER, EndpointPolicy, authorize, readable_workspaces
from inbox.api.http.revisions import expected_rev, tagged
from inbox.domain.heartbeats import monitor as heartbeat_rules
from inbox.domain.heartbeats import pings
from inbox.domain.heartbeats import watchers as rules
from inbox.domain.senders import keys
from inbox.domain.values.redaction import redact
from inbox.flow.watchers.check_in import Report
from inbox.models.heartbeats import locked_watchers as queries
from inbox.models.heartbeats import monitors
from inbox.models.heartbeats.watchers import Watcher
from inbox.services.heartbeats import watchers

blp = Blueprint(
    "watchers",
    __name__,
    url_prefix="/v1/watchers",
    description="Watchers: agents on hosts that check in.",
    section="20.1",
)

CAP = 256 * 1024
"""Bytes of a check-in: 50 checks with their messages."""

SORTS = {"name": Watcher.name, "created": Watcher.created_at}
ONE = "/<typeid(wat):watcher_id>"


@blp.route("/check-in", methods=["POST"], endpoint="check_in")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", body_cap=CAP, section="20.2")
@blp.arguments(CheckIn)
@blp.response(200, CheckInAnswer)
@blp.alt_response(201, schema=CheckInAnswer, description="The first check-in: the watcher was created.")
@blp.refuses("conflict", "rate_limited")
def check_in(fields: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Check in as a watcher

    A ping of the watcher's heartbeat monitor, with its checks. The first one creates the watcher. Checks that changed
    become events of the source: `fail` an `ERROR`, `warn` a `WARNING`, and `ok` resolves.
    """
    now, client = datetime.now(UTC), (request.remote_addr or "", request.headers.get("User-Agent", ""))
    digest = keys.bearer_digest(request.headers.get("Authorization", "")).hex()
    done = watchers.receive(digest, _report(fields, client[1]), client, now)
    heartbeat = {
        "id": done.monitor.id,
        "interval_seconds": done.watcher.interval_seconds,
        "grace_seconds": done.monitor.grace_seconds,
    }
    answer = {
        "watcher": _presented([done.watcher])[0],
        "heartbeat": heartbeat,
        "next_check_in_seconds": done.watcher.interval_seconds,
    }
    return answer, 201 if done.is_new else 200


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER)
@blp.arguments(WatchersQuery, location="query")
@blp.response(200, WatchersPage)
def list_watchers(args: dict[str, Any]) -> dict[str, Any]:
    """List watchers

    Each with its present status and the checks of its last check-in.
    """
    query = watchers.existing(readable_workspaces(args.get("workspace_id")))
    if "source_id" in args:
        query = query.where(Watcher.source_id == args["source_id"])
    page = paged(containing(query, args, Watcher.name), args, sorts=SORTS, id=Watcher.id, dump=lambda row: row)
    return {**page, "items": _presented(page["items"])}


@blp.route(ONE, methods=["GET"], endpoint="read")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(200, WatcherRecord)
def read(watcher_id: UUID) -> Watcher:
    """Read a watcher"""
    return _one(authorize(watchers.find(watcher_id)))


@blp.route(ONE, methods=["PATCH"], endpoint="edit")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.arguments(WatcherEdit)
@blp.response(200, WatcherRecord)
def edit(fields: dict[str, Any], watcher_id: UUID) -> Watcher:
    """Rename a watcher

    Its heartbeat monitor has the same name. This monitor has the grace and the severity.
    """
    watcher = authorize(watchers.find(watcher_id))
    if "name" not in fields:
        return _one(watcher)
    return _one(watchers.edit(watcher, name=fields["name"], expected_rev=expected_rev(), now=datetime.now(UTC)))


@blp.route(ONE, methods=["DELETE"], endpoint="remove")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.response(204)
def remove(watcher_id: UUID) -> None:
    """Delete a watcher

    With its heartbeat monitor; their open incidents resolve. The next check-in creates it again.
    """
    watchers.remove(authorize(watchers.find(watcher_id)), expected_rev=expected_rev(), now=datetime.now(UTC))


def _report(fields: dict[str, Any], agent: str) -> Report:
    texts = {name: redact(fields.get(name, "")) for name in ("name", "hostname", "version")}
    checks = fields.get("checks")
    return Report(
        watcher_id=fields["watcher_id"],
        name=texts["name"] or texts["hostname"][:LONGEST_NAME] or fields["watcher_id"],
        hostname=texts["hostname"],
        version=texts["version"],
        interval_seconds=fields["interval_seconds"],
        labels={redact(key): redact(value) for key, value in fields.get("labels", {}).items()},
        checks=None if checks is None else tuple(checks),
        user_agent=pings.short_agent(agent),
    )


def _one(watcher: Watcher) -> Watcher:
    return tagged(_presented([watcher])[0])


def _presented(rows: list[Watcher]) -> list[Watcher]:
    now, found = datetime.now(UTC), queries.monitors_of(rows)
    open_checks, open_monitors = queries.check_incidents(rows), monitors.open_incidents(list(found.values()))
    for row in rows:
        monitor = found[row.monitor_id]
        row.present_checks = [_check(check, open_checks.get((row.id, check.name))) for check in row.stored_checks]
        row.status = heartbeat_rules.status(monitor.state, monitor.settings, now)
        row.grace_seconds, row.due_at, row.down_since = monitor.grace_seconds, monitor.next_due_at, monitor.down_since
        row.incident_id = open_monitors.get(monitor.id)
    return rows


def _check(check: rules.Check, incident_id: UUID | None) -> dict[str, Any]:
    return {
        "name": check.name,
        "status": str(check.status),
        "message": check.message,
        "since": check.since,
        "incident_id": incident_id,
    }
