"""Begins an import: stores the workspace, its members and its configuration in one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from itertools import chain, count
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.database.base import new_id
from inbox.domain.routing.active_periods import ActivePeriods
from inbox.domain.routing.people import targets_of
from inbox.domain.values import ids, times
from inbox.domain.values.ids import Prefix
from inbox.domain.workspaces import settings as rules
from inbox.domain.workspaces.roles import Role
from inbox.models.deliveries.destinations import Destination
from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.accounts import User
from inbox.models.people.members import Member
from inbox.models.routing.silences import Silence
from inbox.models.senders.sources import Source
from inbox.models.workspaces.imports import WorkspaceImport
from inbox.models.workspaces.tables import Workspace, WorkspaceCounter
from inbox.services.workspaces import members
from inbox.services.workspaces.imports.adjustments import ADJUSTMENTS, Context
from inbox.services.workspaces.imports.export_file import NAMES, ImportRefused, Record
from inbox.services.workspaces.imports.id_map import IdMap
from inbox.services.workspaces.imports.rows import BadRecord, LeftOut, Row, row_of
from inbox.services.workspaces.imports.survey import Survey
from inbox.services.workspaces.imports.targets import CONFIGURATION, TARGETS, attempts_of, store

Check = Callable[[UUID], list[str]]
"""Checks the stored configuration of a workspace as an editor would. Returns the faults as sentences."""

NO_OWNER = "No owner of the workspace has an account here. Name the account of one with --owner."
BAD_WORKSPACE = "workspace: The name, slug, time zone, settings or default route is missing or has another shape."
MAX_FAULTS = 20


def begin(survey: Survey, owner: User | None, check: Check, now: datetime) -> WorkspaceImport:
    """Stores the workspace without its history, closed. Raises `ImportRefused`. The transaction is the caller's."""
    workspace = _workspace(survey, now)
    _store_members(survey, workspace, owner)
    context = context_of(workspace, survey.id_map, now)
    counts = _store_configuration(survey, context)
    if faults := check(workspace.id):
        raise ImportRefused("\n".join(faults[:MAX_FAULTS]))
    run: WorkspaceImport = WorkspaceImport.create(
        workspace=workspace.id,
        digest=survey.digest,
        origin_id=survey.id_map.workspace[0],
        position=0,
        section="",
        new_ids=b"".join(each.bytes for each in sorted(survey.id_map.new)),
        copies_events=survey.id_map.copies_events,
        counts={section: dict(found) for section, found in counts.items()},
        started_at=now,
    )
    return run


def context_of(workspace: Workspace, id_map: IdMap, started_at: datetime) -> Context:
    """Returns the context of adjustments, with what is stored of the configuration."""
    retention = rules.effective_settings(workspace.settings).retention
    context = Context(workspace.id, started_at, id_map, retention)
    for known, table in (
        (context.sources, Source),
        (context.destinations, Destination),
        (context.schedules, OnCallSchedule),
        (context.monitors, HeartbeatMonitor),
    ):
        known.update(id for (id,) in table.select(table.id).where(table.workspace_id == workspace.id).tuples())
    silences = Silence.select().where(Silence.workspace_id == workspace.id, Silence.deleted_at.is_null())
    context.active_silences.update(each.id for each in silences if ActivePeriods.of_stored(each).covers(started_at))
    return context


def converted(record: Record, context: Context) -> Row:
    """Returns the row of a record. Raises `LeftOut`, and `ImportRefused` for a record that no row can have."""
    try:
        row = row_of(NAMES[record.section], record.item, context.id_map)
        row["workspace_id"] = context.workspace_id
        if record.section == "deliveries":
            row["attempts"] = attempts_of(row, record.item.get("attempts") or [])
            row["attempt"] = len(row["attempts"])
        if adjust := ADJUSTMENTS.get(record.section):
            adjust(row, record.number, context)
    except BadRecord as fault:
        raise record.refusal(str(fault)) from None
    return row


def _workspace(survey: Survey, now: datetime) -> Workspace:
    document, id_map = survey.head.workspace, survey.id_map
    try:
        ZoneInfo(document["timezone"])
        stored = {
            "id": id_map.workspace[1],
            "name": document["name"][:100],
            "timezone": document["timezone"],
            "settings": _settings(document["settings"], id_map),
            "default_route": _route(document["defaultRoute"], id_map),
            "created_at": times.parse(document["createdAt"]) or now,
            "rev": max(1, int(document.get("rev") or 1)),
        }
        rules.effective_settings(stored["settings"])
        slugs = _slugs(document["slug"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ImportRefused(BAD_WORKSPACE) from None
    slug = next(each for each in slugs if Workspace.get_or_none(Workspace.slug == each) is None)
    workspace: Workspace = Workspace.create(**stored, slug=slug, deleted_at=now)
    WorkspaceCounter.create(workspace=workspace, incidents=survey.highest_number)
    return workspace


def _settings(settings: Mapping[str, Any], id_map: IdMap) -> dict[str, Any]:
    known = {name: value for name, value in settings.items() if name in rules.SHIPPED}
    fallback = _here(Prefix.DESTINATION, known.pop("fallbackDestinationId", None), id_map)
    return rules.differences(rules.merged(rules.SHIPPED, {**known, "fallbackDestinationId": fallback}))


def _route(route: Mapping[str, Any], id_map: IdMap) -> dict[str, Any]:
    people = targets_of(id_map.without_strangers(route.get("people") or []))
    profile = _here(Prefix.PROFILE, route.get("routingProfileId"), id_map)
    found = [_here(Prefix.DESTINATION, each, id_map) for each in route.get("destinationIds") or ()]
    here = [each._replace(user_id=each.user_id and id_map.people[each.user_id]) for each in people]
    moved = [
        each._replace(schedule_id=each.schedule_id and id_map.of(Prefix.SCHEDULE, each.schedule_id)) for each in here
    ]
    return {
        "destinationIds": [each for each in found if each],
        **({"people": [each.record() for each in moved]} if moved else {}),
        "routingProfileId": profile,
        "dispositions": rules.differences(
            dict(route.get("dispositions") or {}), rules.effective_route({}).dispositions
        ),
    }


def _here(prefix: str, text: Any, id_map: IdMap) -> str | None:
    id = ids.decode(prefix, text) if text is not None else None
    here = None if id is None else id_map.of(prefix, id)
    return None if here is None else str(here)


def _slugs(slug: str) -> Iterator[str]:
    """Returns the slug and others with a number. Raises `TypeError` for another value than a text."""
    base = rules.slug_of(slug) or "workspace"
    return chain([base], (f"{base[:34]}-{number}" for number in count(2)))


def _store_members(survey: Survey, workspace: Workspace, owner: User | None) -> None:
    roles = {each.user_id: (each.role, each.joined_at) for each in survey.people if each.user_id is not None}
    if owner is not None:
        roles[owner.id] = (Role.OWNER, roles[owner.id][1] if owner.id in roles else workspace.created_at)
    if not any(role is Role.OWNER for role, _ in roles.values()):
        raise ImportRefused(NO_OWNER)
    for user in User.select().where(User.id.in_([*roles])):
        role, joined_at = roles[user.id]
        members.check_person(user, role)
        Member.create(id=new_id(), workspace=workspace, user=user, role=str(role), joined_at=joined_at)


def _store_configuration(survey: Survey, context: Context) -> dict[str, Counter[str]]:
    """Stores the records in the order of `CONFIGURATION`: each belongs to earlier ones only."""
    counts: dict[str, Counter[str]] = {}
    known = {
        "sources": context.sources,
        "destinations": context.destinations,
        "onCallSchedules": context.schedules,
        "heartbeatMonitors": context.monitors,
    }
    for section in CONFIGURATION:
        rows, found = [], counts.setdefault(section, Counter())
        for record in (each for each in survey.configuration if each.section == section):
            try:
                rows.append((record.number, converted(record, context)))
                found["stored"] += 1
            except LeftOut as left:
                found[str(left)] += 1
        store(TARGETS[section], rows)
        known.get(section, set()).update(row["id"] for _, row in rows)
    return counts
