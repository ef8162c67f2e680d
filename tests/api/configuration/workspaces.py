"""A workspace with a record of each kind that files keep."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from inbox.api.configuration import application, exports, files, yaml_documents
from inbox.api.configuration.application import Options
from inbox.api.configuration.plan import Plan
from inbox.domain.routing.people import PageTarget
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.workspaces.roles import Role
from inbox.domain.workspaces.settings import DefaultRoute
from inbox.models.workspaces.tables import Workspace
from inbox.services.deliveries import destinations
from inbox.services.heartbeats import monitors
from inbox.services.insight import views
from inbox.services.oncall import schedules
from inbox.services.routing import profiles, rules, silences
from inbox.services.senders import sources
from inbox.services.workspaces import workspaces
from tests.cast import Cast, present, typeid

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
TOKEN = "Bearer 0123456789abcdef"
ENVIRONMENT = {"PAGER_SECRET": SECRET, "PAGER_HEADERS_AUTHORIZATION": TOKEN}


def furnish(cast: Cast) -> None:
    """Creates a record of each kind in the workspace of the cast, as people do."""
    workspace_id, now, olga = cast.workspace.id, present(), cast.users["olga"].id
    config = {"url": "http://127.0.0.1:9/hook", "secret": SECRET, "headers": {"Authorization": TOKEN}}
    pager = destinations.create(workspace_id, {"name": "Pager", "kind": "webhook", "config": config}, now=now).id
    layer: dict[str, Any] = {
        "name": "Weeks", "level": 1, "timezone": None, "start": now.replace(tzinfo=None, microsecond=0, second=0),
        "unit": "week", "every": 1, "members": [[olga], [cast.users["mia"].id]], "windows": [], "from_": None,
        "until": None, "counts": "all",
    }  # fmt: skip
    backend = schedules.create(workspace_id, {"name": "Backend", "timezone": "UTC", "layers": [layer]}, now=now).id
    step = {"after_minutes": 5, "min_severity": None, "destination_ids": [pager], "people": [{"schedule_id": backend}]}
    on_call = profiles.create(workspace_id, {"name": "On call", "steps": [step]}, now=now).id
    sources.edit(cast.source, {"routing_profile_id": on_call, "group_by": ["resource"]}, expected_rev=None, now=now)
    then = {
        "disposition": RuleAction.INCIDENT,
        "destination_ids": [pager],
        "people": [{"user_id": olga}],
        "add_tags": ["db"],
    }
    rule = {"name": "Databases", "match_text": 'resource startsWith "host:db"', "then": then}
    rules.create(workspace_id, {**rule, "source_ids": [cast.source.id]}, now=now)
    rules.create(
        workspace_id,
        {"name": "All", "match_text": "severity >= ERROR", "then": {"disposition": RuleAction.INCIDENT}},
        now=now,
    )
    monitor = {"name": "Backup", "source_id": cast.source.id, "schedule": {"kind": "simple", "periodSeconds": 3600}}
    monitors.create(workspace_id, {**monitor, "grace_seconds": 60}, now=now)
    recurrence = {"rrule": "FREQ=WEEKLY;BYDAY=SU", "timezone": "UTC", "durationMinutes": 60}
    silence = {"match_text": 'title contains "reboot"', "comment": "Reboots", "recurrence": recurrence}
    silences.create(workspace_id, {**silence, "ends_at": now + timedelta(days=30)}, by=olga, now=now)
    view = {"name": "Mine", "list": "incidents", "filters": {"sourceId": [typeid("src", cast.source.id)]}}
    views.create(workspace_id, {**view, "shared": True}, person=olga, role=Role.OWNER, now=now)
    quiet = {"quietHours": {"enabled": True, "windows": [{"days": ["sat"], "start": "22:00", "end": "07:00"}]}}
    changes = {"timezone": "Europe/Berlin", "settings": {**quiet, "fallbackDestinationId": str(pager)}}
    workspaces.change(workspace_id, changes, expected_rev=None, now=now)
    people = (PageTarget(user_id=olga),)
    route = DefaultRoute((pager,), None, {"WARNING": "log"}, people)
    workspaces.set_route(workspace_id, route, expected_rev=None, now=now)


def exported(workspace: Workspace) -> str:
    """The configuration of a workspace as YAML."""
    return yaml_documents.write(exports.export(workspace.id))


def run(workspace: Workspace, path: Path, act: Any = application.apply, **options: Any) -> Plan:
    """Plans or applies the files of a path."""
    environment = options.pop("environment", ENVIRONMENT)
    found: Plan = act(workspace.id, files.read(path), Options(environment, **options), present())
    return found
