"""Digests: when a destination's gathered notices are due, and which of them the digest contains (specification 9.16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.domain.deliveries.quiet_hours import SkipCause
from inbox.domain.incidents.state_machine import State
from inbox.domain.values.severity import Severity
from inbox.domain.values.wallclock import to_local, to_utc

MAX_GATHERED = 2_000
"""The maximum number of notices in one digest. Further notices form more digests."""

_A_DAY = timedelta(days=1)


class Every(StrEnum):
    """The interval of a destination's digests."""

    QUARTER = "15_minutes"
    """At each quarter of an hour."""

    HOUR = "hour"
    """At each full hour of the workspace's clock."""

    DAY = "day"
    """Once a day, at a time of the workspace's clock."""


_PERIODS = {Every.QUARTER: timedelta(minutes=15), Every.HOUR: timedelta(hours=1)}


@dataclass(frozen=True, slots=True)
class Digest:
    """The setting of a destination. `at` is the local time of a daily digest, and None for the others."""

    every: Every
    at: time | None = None

    @classmethod
    def of(cls, stored: Mapping[str, Any] | None) -> Digest | None:
        """Returns the setting in its stored form; None if the destination gathers nothing."""
        if stored is None:
            return None
        at = stored.get("at")
        return cls(Every(stored["every"]), time.fromisoformat(at) if at else None)

    def next_at(self, after: datetime, zone: ZoneInfo) -> datetime:
        """Returns the first time of a digest later than `after`."""
        if self.every is Every.DAY:
            return self._next_day(after, zone)
        period, wall = _PERIODS[self.every], to_local(after, zone)
        midnight = wall.replace(hour=0, minute=0, second=0, microsecond=0)
        return after + (period - (wall - midnight) % period)

    def _next_day(self, after: datetime, zone: ZoneInfo) -> datetime:
        day = to_local(after, zone).date()
        at = self.at or time()
        times = (to_utc(datetime.combine(day + number * _A_DAY, at), zone) for number in (-1, 0, 1, 2))
        return min(found for found in times if found > after)


class Outcome(StrEnum):
    """The decision about a notice that waits for a digest."""

    GATHER = "gather"
    """The digest contains it."""

    SEND = "send"
    """It is sent separately."""


@dataclass(frozen=True, slots=True)
class WaitingNotice:
    """A notice that waits for a digest; `seq` is its position among the notices of its incident."""

    id: UUID
    seq: int
    severity: Severity


def resolve_waiting(
    waiting: Sequence[WaitingNotice], state: State | None, *, last_notified_seq: int, has_message: bool
) -> dict[UUID, Outcome | SkipCause]:
    """Decides about all waiting notices of one incident (`state`) and one destination, or of one event (None).

    `waiting` is ordered. `last_notified_seq` is the last alert or end that was sent without a digest (0: none).
    `has_message`: the destination keeps a message of the incident in its latest state.

    1. For a silenced incident nothing is sent.
    2. A notice sent meanwhile supersedes the notices before it.
    3. A CRITICAL notice is sent separately, so that no digest hides it.
    4. A message kept in its latest state gets the newest notice, which supersedes the others.
    5. The digest contains all other notices.
    """
    if state is State.SILENCED:
        return {one.id: SkipCause.SILENCED for one in waiting}
    found: dict[UUID, Outcome | SkipCause] = {}
    current = []
    for one in waiting:
        if state is not None and one.seq <= last_notified_seq:
            found[one.id] = SkipCause.SUPERSEDED
        elif one.severity is Severity.CRITICAL:
            found[one.id] = Outcome.SEND
        else:
            current.append(one)
    if has_message and current:
        found |= {one.id: SkipCause.SUPERSEDED for one in current[:-1]} | {current[-1].id: Outcome.SEND}
        return found
    return found | {one.id: Outcome.GATHER for one in current}


def is_worth_a_digest(gathered: int, setting: Digest | None) -> bool:
    """Returns whether gathered notices become a digest. A single notice does only if a person chose digests."""
    return gathered > 1 or (gathered == 1 and setting is not None)
