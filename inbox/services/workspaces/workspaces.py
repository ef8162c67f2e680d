"""Workspaces: create, read and change them, with their settings and their default route (specification 12.1)."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

import peewee

from inbox.database.base import new_id
from inbox.domain.deliveries.notification_plan import NotificationPlan, plan_of
from inbox.domain.routing.people import PageTarget
from inbox.domain.values import ids
from inbox.domain.values.ids import ALPHABET
from inbox.domain.values.refusals import Fault, Forbidden, Unauthenticated, ValidationFailed, check_rev
from inbox.domain.workspaces import settings as rules
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.domain.workspaces.roles import Role
from inbox.domain.workspaces.settings import DefaultRoute
from inbox.flow.timers import recheck, reschedule
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models.deliveries import deferred as deferred_deliveries
from inbox.models.incidents import timers
from inbox.models.people.accounts import User
from inbox.models.people.members import Member
from inbox.models.routing import routing_config
from inbox.models.routing.silences import IN_FLIGHT_GRACE
from inbox.models.workspaces.tables import Workspace, WorkspaceCounter
from inbox.runtime.queue import QueueName
from inbox.services.people import authentication_factors
from inbox.services.records import audit, reference_checks
from inbox.services.workspaces import members

ADMINISTRATORS_ONLY = "Only administrators of this instance can create workspaces. Ask one of them."


def existing(workspace_ids: Sequence[UUID]) -> peewee.ModelSelect:
    """Select the workspaces among these that are not deleted."""
    return Workspace.select().where(Workspace.id.in_(list(workspace_ids)), Workspace.deleted_at.is_null())


def find(workspace_id: UUID) -> Workspace | None:
    """Return the workspace, unless it is deleted."""
    return Workspace.get_or_none(Workspace.id == workspace_id, Workspace.deleted_at.is_null())


def create(name: str, timezone: str, owner_id: UUID, now: datetime, *, creation: str) -> Workspace:
    """Create a workspace with its owner. `creation` names who may create workspaces (`INBOX_WORKSPACE_CREATION`).

    Raises `Unauthenticated` when the account is closed at this moment. Raises `Forbidden` where only administrators
    create workspaces, and `Conflict` when the owner has too many (`members.check_person`).
    """
    with work() as done:
        owner = authentication_factors.lock_user(owner_id)
        if owner is None:
            raise Unauthenticated
        if creation == "administrators" and not owner.is_instance_admin:
            raise Forbidden(ADMINISTRATORS_ONLY)
        members.check_person(owner, Role.OWNER)
        return create_within(name, timezone, owner_id, now, done)


def create_within(name: str, timezone: str, owner_id: UUID, now: datetime, done: AfterCommit) -> Workspace:
    """Create a workspace within the caller's unit of work."""
    workspace_id = new_id(now)
    for slug in _slugs(name):
        fields = {"id": workspace_id, "name": name, "slug": slug, "timezone": timezone, "created_at": now}
        if list(Workspace.insert(fields).on_conflict_ignore().returning(Workspace.id).execute()):
            break
    WorkspaceCounter.create(workspace=workspace_id)
    Member.create(id=new_id(now), workspace=workspace_id, user=owner_id, role=str(Role.OWNER), joined_at=now)
    done.publish_change("workspace", workspace_id, workspace_id, op="created", rev=1)
    workspace: Workspace = Workspace.get_by_id(workspace_id)
    about = audit.target("workspace", workspace_id, name)
    owner = audit.person(User.get_by_id(owner_id))
    audit.record("workspace.created", target=about, now=now, workspace_id=workspace_id, actor=owner)
    return workspace


def change(
    workspace_id: UUID,
    changes: Mapping[str, Any],
    *,
    expected_rev: int | None,
    now: datetime,
    before_shorter_retention: Callable[[], None] | None = None,
) -> Workspace:
    """Change name, time zone and settings. `settings` is merged into the present settings, member by member.

    `before_shorter_retention` is called when records would be purged earlier, and raises the reason against it. A
    change to the same values has no effect. Raises `RevMismatch`, and `ValidationFailed` for a fallback destination of
    another workspace.
    """
    with work() as done:
        workspace = _locked(workspace_id)
        check_rev(workspace.rev, expected_rev)
        before = {"name": workspace.name, "timezone": workspace.timezone, **_effective(workspace)}
        plan = _plan(workspace)
        if "settings" in changes:
            check(workspace_id, changes["settings"])
            present = rules.merged(rules.SHIPPED, workspace.settings)
            whole = rules.merged(present, changes["settings"])
            if before_shorter_retention is not None and _is_shorter(whole["retention"], present["retention"]):
                before_shorter_retention()
            workspace.settings = rules.differences(whole)
        workspace.name = changes.get("name", workspace.name)
        workspace.timezone = changes.get("timezone", workspace.timezone)
        after = {"name": workspace.name, "timezone": workspace.timezone, **_effective(workspace)}
        if after == before:
            return workspace
        _note("workspace.changed", workspace, now, audit.changes(before, after))
        if _plan(workspace) != plan:
            recheck.schedule_with_recheck(reschedule.KINDS, workspace_id, workspace_id, now, done)
        if "timezone" in changes or "quietHours" in changes.get("settings", {}):
            timers.set_timer(deferred_deliveries.SECOND_RECHECK, workspace_id, workspace_id, now + IN_FLIGHT_GRACE)
            done.wake(QueueName.TIMERS)
        workspace.rev += 1
        return _saved(workspace, done)


def _is_shorter(after: Mapping[str, int], before: Mapping[str, int]) -> bool:
    return any(days < before[name] for name, days in after.items())


def set_route(
    workspace_id: UUID, route: DefaultRoute, *, expected_rev: int | None, now: datetime, keeps_people: bool = False
) -> Workspace:
    """Replace the default route. Its own revision stays when the route does not change.

    With `keeps_people`, those of the present route stay. Raises `RevMismatch`, and `ValidationFailed` for references to other
    workspaces.
    """
    with work() as done:
        workspace = _locked(workspace_id)
        check_rev(workspace.default_route_rev, expected_rev)
        if keeps_people:
            route = replace(route, people=rules.effective_route(workspace.default_route).people)
        profile = route.routing_profile_id
        check_route(workspace_id, route.destination_ids, profile, route.people)
        shipped = rules.effective_route({}).dispositions
        before = _route(workspace)
        workspace.default_route = {
            "destinationIds": [str(each) for each in dict.fromkeys(route.destination_ids)],
            **({"people": [each.record() for each in dict.fromkeys(route.people)]} if route.people else {}),
            "routingProfileId": None if profile is None else str(profile),
            "dispositions": rules.differences(route.dispositions, shipped),
        }
        after = _route(workspace)
        if after == before:
            return workspace
        _note("workspace.default_route_changed", workspace, now, audit.changes(before, after))
        if any(before[name] != after[name] for name in ("destinationIds", "people", "routingProfileId")):
            recheck.schedule_with_recheck(reschedule.KINDS, workspace_id, workspace_id, now, done)
        workspace.default_route_rev += 1
        return _saved(workspace, done)


def check_route(
    workspace_id: UUID, destination_ids: Sequence[UUID], profile: UUID | None, people: Sequence[PageTarget] = ()
) -> None:
    """Check that references lead to this workspace. Raises `ValidationFailed`."""
    faults = reference_checks.destinations(workspace_id, destination_ids, "/destinationIds")
    faults += reference_checks.people(workspace_id, people, "/people")
    if profile is not None:
        faults += reference_checks.profile(workspace_id, profile, "/routingProfileId")
    if faults:
        raise ValidationFailed(errors=faults)


def detach_destination(destination_id: UUID, workspace_id: UUID, done: AfterCommit, now: datetime) -> None:
    """Remove a destination from the default route and the fallback, in the caller's unit of work.

    The caller has locked the workspace's row.
    """
    workspace: Workspace = Workspace.get_by_id(workspace_id)
    before, name = recorded(workspace), str(destination_id)
    if name in workspace.default_route.get("destinationIds", ()):
        left = [each for each in workspace.default_route["destinationIds"] if each != name]
        workspace.default_route = {**workspace.default_route, "destinationIds": left}
        workspace.default_route_rev += 1
    if workspace.settings.get("fallbackDestinationId") == name:
        workspace.settings = {key: value for key, value in workspace.settings.items() if key != "fallbackDestinationId"}
        workspace.rev += 1
    if recorded(workspace) != before:
        _note("workspace.changed", workspace, now, audit.changes(before, recorded(workspace)))
        _saved(workspace, done)


def recorded(workspace: Workspace) -> dict[str, Any]:
    """Return the settings and the default route as the audit log shows them."""
    return {**_effective(workspace), **{f"defaultRoute.{name}": value for name, value in _route(workspace).items()}}


def _locked(workspace_id: UUID) -> Workspace:
    """Lock the row against other changes only.

    Routing refers to it all the time, and neither may wait for the other.
    """
    found: Workspace = Workspace.select().where(Workspace.id == workspace_id).for_update("FOR NO KEY UPDATE").get()
    return found


def _plan(workspace: Workspace) -> NotificationPlan:
    """Return the plan of the workspace's settings, which profiles without own values use."""
    return plan_of(rules.effective_settings(workspace.settings), None, ())


def _saved(workspace: Workspace, done: AfterCommit) -> Workspace:
    routing_config.bump_revision(workspace.id)
    revisions = [Workspace.rev, Workspace.default_route_rev]
    workspace.save(only=[Workspace.name, Workspace.timezone, Workspace.settings, Workspace.default_route, *revisions])
    done.publish_change("workspace", workspace.id, workspace.id, rev=workspace.rev)
    return workspace


def _note(action: AuditAction, workspace: Workspace, now: datetime, details: Mapping[str, Any]) -> None:
    about = audit.target("workspace", workspace.id, workspace.name)
    audit.record(action, target=about, now=now, workspace_id=workspace.id, details=details)


def _effective(workspace: Workspace) -> dict[str, Any]:
    shown = rules.merged(rules.SHIPPED, workspace.settings)
    fallback = shown["fallbackDestinationId"]
    shown["fallbackDestinationId"] = ids.encode("dst", UUID(fallback)) if fallback else None
    return {f"settings.{name}": value for name, value in shown.items()}


def _route(workspace: Workspace) -> dict[str, Any]:
    route = rules.effective_route(workspace.default_route)
    return {
        "destinationIds": [ids.encode("dst", each) for each in route.destination_ids],
        "people": [each.record() for each in route.people],
        "routingProfileId": ids.encode("prf", route.routing_profile_id) if route.routing_profile_id else None,
        **{f"dispositions.{severity}": str(what) for severity, what in route.dispositions.items()},
    }


def check(workspace_id: UUID, chosen: Mapping[str, Any]) -> None:
    """Check that the fallback destination in these settings belongs to the workspace. Raises `ValidationFailed`."""
    fallback = chosen.get("fallbackDestinationId")
    if fallback is not None and reference_checks.destinations(workspace_id, [UUID(fallback)], ""):
        raise ValidationFailed(
            errors=[Fault("/settings/fallbackDestinationId", "No such destination in this workspace.")]
        )


def _slugs(name: str) -> Iterator[str]:
    base = rules.slug_of(name) or "workspace"
    yield base
    yield from (f"{base}-{number}" for number in range(2, 5))
    while True:
        yield f"{base}-{''.join(secrets.choice(ALPHABET) for _ in range(6))}"
