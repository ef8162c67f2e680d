"""Stored schedules as computable ones: their versions, overrides and the people who have left (specification 23.3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain.oncall import stored
from inbox.domain.oncall.schedule import Forwarding, Layer, OverrideKind, Version
from inbox.domain.oncall.schedule import OnCallSchedule as Computable
from inbox.domain.oncall.schedule import Override as ComputableOverride
from inbox.models.oncall.forwardings import forwardings_within
from inbox.models.oncall.schedules import (
    OnCallOverride,
    OnCallSchedule,
    calendar_shifts_within,
    overrides_within,
)
from inbox.models.people import members
from inbox.models.routing import versions


def layers_of(fields: Mapping[str, Any]) -> tuple[Layer, ...]:
    """Read stored layers. They do not count while the schedule follows an external calendar."""
    return () if fields.get("follows_calendar") else stored_layers(fields)


def stored_layers(fields: Mapping[str, Any]) -> tuple[Layer, ...]:
    """Read stored layers. Nobody is on call by layers that this machine cannot read, such as of an unknown time zone."""
    try:
        return stored.layers_of(fields["layers"], fields["timezone"])
    except (LookupError, ValueError):
        return ()


def current(rows: Sequence[OnCallSchedule], start: datetime, end: datetime) -> dict[UUID, Computable]:
    """Return the present versions of these schedules, with their overrides of a period that begins now, by id."""
    overrides = _of_calendars({row.id for row in rows}, [row.id for row in rows if row.follows_calendar], start, end)
    for override in overrides_within(overrides, start, end):
        overrides[override.schedule_id].append(_computable(override))
    forwardings = _forwardings({row.workspace_id for row in rows}, start, end)
    found = {
        row.id: Computable(
            (Version(None, layers_of(row.__data__)),), tuple(overrides[row.id]), forwardings.get(row.workspace_id, ())
        )
        for row in rows
    }
    absent = _absent(rows, found.values())
    return {row.id: found[row.id].without(absent.get(row.workspace_id, frozenset()), start) for row in rows}


def with_past(row: OnCallSchedule, start: datetime, end: datetime, now: datetime) -> Computable:
    """Return a schedule with the versions of the past, and with its overrides of this period."""
    overrides = _of_calendars([row.id], [row.id], start, end)[row.id]
    overrides += [_computable(each) for each in overrides_within([row.id], start, end)]
    forwardings = _forwardings([row.workspace_id], start, end)
    made = Computable(tuple(_versions(row)), tuple(overrides), forwardings.get(row.workspace_id, ()))
    return made.without(_absent([row], [made]).get(row.workspace_id, frozenset()), now)


def names(workspace_id: UUID, user_ids: Iterable[UUID]) -> dict[UUID, str]:
    """Return the names of these people."""
    return {person.id: person.name for person in members.people(workspace_id, set(user_ids))}


def _versions(row: OnCallSchedule) -> list[Version]:
    """Return the kept versions, the oldest first. The first one has no beginning when older ones were removed."""
    kept = versions.of_record(row.id)[::-1]
    return [
        Version(None if place == 0 and version.rev > 1 else version.at, layers_of(version.fields))
        for place, version in enumerate(kept)
    ] or [Version(None, layers_of(row.__data__))]


def _of_calendars(
    schedule_ids: Collection[UUID], following: Collection[UUID], start: datetime, end: datetime
) -> dict[UUID, list[ComputableOverride]]:
    """Return the shifts of external calendars as the first overrides, by the id of the schedule."""
    found: dict[UUID, list[ComputableOverride]] = {each: [] for each in schedule_ids}
    for shift in calendar_shifts_within(following, start, end) if following else ():
        found[shift.schedule_id].append(of_calendar(shift.schedule_id, shift.starts_at, shift.ends_at, shift.user_ids))
    return found


def of_calendar(
    schedule_id: UUID, starts_at: datetime, ends_at: datetime, user_ids: Iterable[UUID]
) -> ComputableOverride:
    """Return a shift of an external calendar as a computable addition of people."""
    return ComputableOverride(schedule_id, starts_at, ends_at, OverrideKind.ADD, tuple(user_ids), is_of_calendar=True)


def _forwardings(workspace_ids: Collection[UUID], start: datetime, end: datetime) -> dict[UUID, tuple[Forwarding, ...]]:
    found: dict[UUID, tuple[Forwarding, ...]] = {}
    for each in forwardings_within(workspace_ids, start, end):
        made = Forwarding(each.id, each.starts_at, each.ends_at, each.user_id, each.to_user_id)
        found[each.workspace_id] = (*found.get(each.workspace_id, ()), made)
    return found


def _computable(override: OnCallOverride) -> ComputableOverride:
    return ComputableOverride(
        override.id,
        override.starts_at,
        override.ends_at,
        OverrideKind(override.kind),
        tuple(override.user_ids),
        override.instead_of,
        frozenset(override.layer_ids),
    )


def _absent(rows: Iterable[OnCallSchedule], schedules: Iterable[Computable]) -> dict[UUID, frozenset[UUID]]:
    """Return the people of these schedules who are no active members, by workspace."""
    named: dict[UUID, set[UUID]] = {}
    for row, schedule in zip(rows, schedules, strict=True):
        named.setdefault(row.workspace_id, set()).update(_people(schedule))
    return {
        workspace_id: frozenset(user_ids - active_members(workspace_id, user_ids))
        for workspace_id, user_ids in named.items()
    }


def _people(schedule: Computable) -> Iterable[UUID]:
    for layer in schedule.versions[-1].layers:
        for people in layer.members:
            yield from people
    for override in schedule.overrides:
        yield from override.user_ids
    for forwarding in schedule.forwardings:
        yield forwarding.to


def active_members(workspace_id: UUID, user_ids: set[UUID]) -> frozenset[UUID]:
    """Return the members among these people. People with a disabled or closed account are left out."""
    found = members.people(workspace_id, user_ids)
    return frozenset(each.id for each in found if each.is_member and not each.is_disabled and not each.is_closed)
