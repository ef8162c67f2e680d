"""Checks that referenced sources, destinations, members and routing profiles exist in the workspace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from inbox.domain.values.refusals import Fault
from inbox.models.deliveries.destinations import Destination
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
        own &= Destination.device_id.is_null()  # a phone belongs to its person
    return {row.id for row in table.select(table.id).where(own, table.id.in_(list(ids_to_check)))}
