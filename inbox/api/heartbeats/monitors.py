"""Heartbeat monitors: jobs that must report in time (specification 18.1)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import url_for

from inbox.api.heartbeats.schemas.monitors import (
    BadgeCreated,
    FlipsPage,
    FlipsQuery,
    MonitorCreated,
    MonitorEdit,
    MonitorNew,
    MonitorRecord,
    MonitorsPage,
    MonitorsQuery,
    PingsPage,
    PingsQuery,
    SchedulePreview,
    SchedulePreviewRequest,
)
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.paging import containing, paged
from inbox.api.http.policy import (
    ADMIN,
    MEMBER,
    USER,
    VIEWER,
    EndpointPolicy,
    authorize,
    authorize_in,
    readable_workspaces,
)
from inbox.api.http.request_examples import RequestExample
from inbox.api.http.revisions import expected_rev, tagged
from inbox.config import settings
from inbox.domain.heartbeats import monitor as rules
from inbox.domain.heartbeats import preview, schedule
from inbox.models.heartbeats import history, locked_watchers, monitors
from inbox.models.heartbeats.tables import HeartbeatFlip, HeartbeatMonitor, HeartbeatPing
from inbox.services.heartbeats import monitors as heartbeats

blp = Blueprint(
    "heartbeat_monitors",
    __name__,
    url_prefix="/v1/heartbeat-monitors",
    description="Heartbeat monitors: alerts when a job does not report in time.",
    section="18.1",
)

SORTS = {"name": HeartbeatMonitor.name, "created": HeartbeatMonitor.created_at}
ONE = "/<typeid(mon):monitor_id>"


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER)
@blp.arguments(MonitorsQuery, location="query")
@blp.response(200, MonitorsPage)
def list_monitors(args: dict[str, Any]) -> dict[str, Any]:
    """List heartbeat monitors

    Each with its present status and the outcomes of its last 50 periods.
    """
    query = monitors.existing(readable_workspaces(args.get("workspace_id")))
    if "source_id" in args:
        query = query.where(HeartbeatMonitor.source_id == args["source_id"])
    page = paged(
        containing(query, args, HeartbeatMonitor.name), args, sorts=SORTS, id=HeartbeatMonitor.id, dump=lambda row: row
    )
    return {**page, "items": _presented(page["items"])}


@blp.route("/", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, ADMIN, workspace_from="body")
@RequestExample(leave_out=("schedule.periodSeconds",))
@blp.arguments(MonitorNew, cross_check=lambda fields: heartbeats.check(fields["workspace_id"], fields))
@blp.response(201, MonitorCreated)
@blp.refuses("conflict")
def create(fields: dict[str, Any]) -> tuple[HeartbeatMonitor, int, dict[str, str]]:
    """Create a heartbeat monitor

    `pingUrl` contains its token, which is answered this once; only its hash is stored.
    """
    workspace_id = authorize_in(fields.pop("workspace_id"))
    created = heartbeats.create(workspace_id, fields, now=datetime.now(UTC))
    where = {"Location": url_for("heartbeat_monitors.read", monitor_id=created.monitor.id)}
    return _with_url(created), 201, where


@blp.route(ONE, methods=["GET"], endpoint="read")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(200, MonitorRecord)
def read(monitor_id: UUID) -> HeartbeatMonitor:
    """Read a heartbeat monitor"""
    return _one(authorize(monitors.find(monitor_id)))


@blp.route(ONE, methods=["PATCH"], endpoint="edit")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@RequestExample(leave_out=("schedule.periodSeconds",))
@blp.arguments(MonitorEdit)
@blp.response(200, MonitorRecord)
@blp.refuses("conflict")
def edit(fields: dict[str, Any], monitor_id: UUID) -> HeartbeatMonitor:
    """Change a heartbeat monitor

    With another schedule or other times, the next ping is expected from now on. An open incident stays open. The name and
    the schedule of a monitor that belongs to a watcher follow the watcher.
    """
    monitor = authorize(monitors.find(monitor_id))
    return _one(heartbeats.edit(monitor, fields, expected_rev=expected_rev(), now=datetime.now(UTC)))


@blp.route(ONE, methods=["DELETE"], endpoint="remove")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.response(204)
@blp.refuses("conflict")
def remove(monitor_id: UUID) -> None:
    """Delete a heartbeat monitor

    Its token is refused at once, and its open incident resolves. One that belongs to a watcher is deleted with the watcher.
    """
    heartbeats.remove(authorize(monitors.find(monitor_id)), expected_rev=expected_rev(), now=datetime.now(UTC))


@blp.route(f"{ONE}/pause", methods=["POST"], endpoint="pause")
@EndpointPolicy(USER, ADMIN, workspace_from="record", section="18.4")
@blp.response(200, MonitorRecord)
def pause(monitor_id: UUID) -> HeartbeatMonitor:
    """Pause a heartbeat monitor

    No ping is expected until it resumes. Its open incident resolves. Pings are stored and change nothing.
    """
    monitor = authorize(monitors.find(monitor_id))
    return _one(heartbeats.pause(monitor, expected_rev=expected_rev(), now=datetime.now(UTC)))


@blp.route(f"{ONE}/resume", methods=["POST"], endpoint="resume")
@EndpointPolicy(USER, ADMIN, workspace_from="record", section="18.4")
@blp.response(200, MonitorRecord)
def resume(monitor_id: UUID) -> HeartbeatMonitor:
    """Resume a heartbeat monitor

    The next ping is expected by the schedule, counted from now.
    """
    monitor = authorize(monitors.find(monitor_id))
    return _one(heartbeats.resume(monitor, expected_rev=expected_rev(), now=datetime.now(UTC)))


@blp.route(f"{ONE}/ping", methods=["POST"], endpoint="ping")
@EndpointPolicy(USER, MEMBER, workspace_from="record", section="18.5")
@blp.response(200, MonitorRecord)
def ping(monitor_id: UUID) -> HeartbeatMonitor:
    """Ping a heartbeat monitor in place of its job

    A success, such as after a run by hand. The log of pings names the person. A paused monitor stays paused.
    """
    monitor = authorize(monitors.find(monitor_id))
    return _one(heartbeats.ping(monitor, by=caller().actor["name"], now=datetime.now(UTC)))


@blp.route(f"{ONE}/rotate", methods=["POST"], endpoint="rotate")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.response(201, MonitorCreated)
def rotate(monitor_id: UUID) -> HeartbeatMonitor:
    """Replace the token of a heartbeat monitor

    The former token is refused from the next request on. `pingUrl` is answered this once.
    """
    return _with_url(heartbeats.rotate(authorize(monitors.find(monitor_id)), now=datetime.now(UTC)))


@blp.route(f"{ONE}/badge", methods=["POST"], endpoint="create_badge")
@EndpointPolicy(USER, ADMIN, workspace_from="record", section="18.8")
@blp.response(201, BadgeCreated)
def create_badge(monitor_id: UUID) -> dict[str, str]:
    """Create a status badge

    Anybody with its address can read the name and the status. The address is answered once. A former badge ends.
    """
    created = heartbeats.create_badge(authorize(monitors.find(monitor_id)), now=datetime.now(UTC))
    address = f"{settings.current().base_url}/v1/badges/{created.token}"
    return {"svg_url": f"{address}.svg", "json_url": f"{address}.json", "shields_url": f"{address}.shields"}


@blp.route(f"{ONE}/badge", methods=["DELETE"], endpoint="remove_badge")
@EndpointPolicy(USER, ADMIN, workspace_from="record", section="18.8")
@blp.response(204)
def remove_badge(monitor_id: UUID) -> None:
    """Delete a status badge

    Its address is refused from the next request on.
    """
    heartbeats.remove_badge(authorize(monitors.find(monitor_id)), now=datetime.now(UTC))


@blp.route(f"{ONE}/pings", methods=["GET"], endpoint="pings")
@EndpointPolicy(USER, VIEWER, workspace_from="record", section="18.7")
@blp.arguments(PingsQuery, location="query")
@blp.response(200, PingsPage)
def list_pings(args: dict[str, Any], monitor_id: UUID) -> dict[str, Any]:
    """List the pings of a heartbeat monitor

    The newest 1,000 are kept, within the retention of events.
    """
    monitor = authorize(monitors.find(monitor_id))
    at = {"at": HeartbeatPing.at}
    return paged(history.pings(monitor.id), args, sorts=at, id=HeartbeatPing.id, dump=lambda row: row)


@blp.route(f"{ONE}/flips", methods=["GET"], endpoint="flips")
@EndpointPolicy(USER, VIEWER, workspace_from="record", section="18.7")
@blp.arguments(FlipsQuery, location="query")
@blp.response(200, FlipsPage)
def list_flips(args: dict[str, Any], monitor_id: UUID) -> dict[str, Any]:
    """List the status changes of a heartbeat monitor"""
    monitor = authorize(monitors.find(monitor_id))
    at = {"at": HeartbeatFlip.at}
    return paged(history.flips(monitor.id), args, sorts=at, id=HeartbeatFlip.id, dump=lambda row: row)


@blp.route("/preview-schedule", methods=["POST"], endpoint="preview_schedule")
@EndpointPolicy(USER, workspace_from="none", section="18.3")
@RequestExample(leave_out=("schedule.periodSeconds",))
@blp.arguments(SchedulePreviewRequest)
@blp.response(200, SchedulePreview)
def preview_schedule(order: dict[str, Any]) -> Mapping[str, Any]:
    """Preview a schedule

    The next five runs, the schedule in words, and the hours that a change of clocks skips or doubles. Nothing is stored.
    """
    requested = order["schedule"]
    if requested["kind"] == "cron":
        try:
            requested = {**requested, "expression": schedule.normalized(requested["expression"])}
        except schedule.BadExpression as bad:
            error = {"detail": str(bad), "start": bad.start, "end": bad.end}
            return {"text": "", "runs": [], "clock_changes": [], "error": error}
    found, now = schedule.of_stored(requested), datetime.now(UTC)
    zone = requested.get("timezone", "UTC")
    runs = [{"at": at, "local": preview.local_text(at, zone)} for at in preview.next_runs(found, now)]
    return {"text": found.words, "runs": runs, "clock_changes": preview.clock_changes(found, now), "error": None}


def _with_url(created: heartbeats.Created) -> HeartbeatMonitor:
    monitor = _one(created.monitor)
    monitor.ping_url = f"{settings.current().base_url}/v1/heartbeats/{created.token}"
    return monitor


def _one(monitor: HeartbeatMonitor) -> HeartbeatMonitor:
    return tagged(_presented([monitor])[0])


def _presented(rows: list[HeartbeatMonitor]) -> list[HeartbeatMonitor]:
    now, incidents = datetime.now(UTC), monitors.open_incidents(rows)
    watcher_ids = locked_watchers.of_monitors(row.id for row in rows)
    for row in rows:
        chosen = row.settings
        row.present_status = rules.status(row.state, chosen, now)
        row.schedule_text = chosen.schedule.words
        row.incident_id = incidents.get(row.id)
        row.watcher_id = watcher_ids.get(row.id)
        row.badge_is_on = row.badge_hash is not None
    return rows
