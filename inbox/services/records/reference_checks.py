"""Checks that referenced sources, destinations, members and routing profiles exist in the workspace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from inbox.domain.routing.people import PageTarget, targets_of
from inbox.domain.values.refusals import Fault
from inbox.models.deliveries.destinations import Destination
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.members import Member
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.senders.sources import Source


def sources(workspace_id: UUID, ids_to_check: Sequence[UUID], at: str) -> list[Fault]:
    """Return a fault for each id that is not a source of the workspace. `at` points to the list."""
    existing_ids = _existing(Source, workspace_id, ids_to_check)
    return [
        Fault(f"{at}/{n}", "No such source in this workspace.")
        for n, id in enumerate(ids_to_check)
        if id not in existing_ids
    ]


def destinations(workspace_id: UUID, ids_to_check: Sequence[UUID], at: str) -> list[Fault]:
    """Return a fault for each id that is not a destination of the workspace. `at` points to the list."""
    existing_ids = _existing(Destination, workspace_id, ids_to_check)
    return [
        Fault(f"{at}/{n}", "No such destination in this workspace.")
        for n, id in enumerate(ids_to_check)
        if id not in existing_ids
    ]


def members(workspace_id: UUID, user_ids: Sequence[UUID], at: str) -> list[Fault]:
    """Return a fault for each id that is not a member of the workspace. `at` points to the list."""
    own = Member.select(Member.user).where(Member.workspace == workspace_id, Member.user.in_([*user_ids]))
    existing_ids = {member.user_id for member in own} if user_ids else set()
    return [
        Fault(f"{at}/{n}", "No such member in this workspace.")
        for n, id in enumerate(user_ids)
        if id not in existing_ids
    ]


def people(workspace_id: UUID, targets: Sequence[PageTarget], at: str) -> list[Fault]:
    """Return a fault for each entry that is no schedule or member of the workspace. `at` points to the list."""
    schedule_ids = _existing(OnCallSchedule, workspace_id, [each.schedule_id for each in targets if each.schedule_id])
    named = [each.user_id for each in targets if each.user_id]
    absent = {int(fault.pointer.removeprefix("/")) for fault in members(workspace_id, named, "")}
    absent_ids = {named[place] for place in absent}
    faults = []
    for n, each in enumerate(targets):
        if each.schedule_id is not None and each.schedule_id not in schedule_ids:
            faults.append(Fault(f"{at}/{n}/scheduleId", "No such on-call schedule in this workspace."))
        if each.user_id in absent_ids:
            faults.append(Fault(f"{at}/{n}/userId", "No such member in this workspace."))
    return faults


def existing_people(workspace_id: UUID, stored: Iterable[Mapping[str, str]]) -> list[PageTarget]:
    """Return the stored entries of `people` that still are schedules or members of the workspace."""
    targets = targets_of(stored)
    gone = {int(fault.pointer.split("/")[1]) for fault in people(workspace_id, targets, "")}
    return [each for place, each in enumerate(targets) if place not in gone]


def profile(workspace_id: UUID, ids_to_check: UUID, at: str) -> list[Fault]:
    """Return a fault at `at` when the id is not a routing profile of the workspace."""
    return (
        []
        if _existing(RoutingProfile, workspace_id, [ids_to_check])
        else [Fault(at, "No such routing profile in this workspace.")]
    )


def _existing(table: Any, workspace_id: UUID, ids_to_check: Sequence[UUID]) -> set[UUID]:
    """Query while the workspace's row is locked, because a deletion locks it, too."""
    if not ids_to_check:
        return set()
    own = (table.workspace_id == workspace_id) & table.deleted_at.is_null()
    if table is Destination:
        own &= Destination.device_id.is_null() & Destination.owner_id.is_null()  # a phone belongs to its person
    return {row.id for row in table.select(table.id).where(own, table.id.in_(list(ids_to_check)))}
