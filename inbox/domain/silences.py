"""When a silence holds, and which silence, if any, takes an event (specification 8.2)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple, Protocol
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.domain import matchers
from inbox.domain.recurrence import BadRule, occurrences
from inbox.domain.redaction import redact
from inbox.domain.refusals import Fault
from inbox.domain.severity import Severity
from inbox.domain.subject import Subject
from inbox.domain.wallclock import Period, merge_periods

LONGEST = timedelta(days=366)
"""How far ahead a silence may end, and how long it may last from its first start to its end."""

LONGEST_OCCURRENCE = 31 * 24 * 60
"""In minutes, of one that recurs."""

LONGEST_NAME = 100
"""So much of its comment stands where a silence is named."""


class SilenceState(StrEnum):
    """What a silence does at a moment."""

    PENDING = "pending"
    """It waits for its start, or between two occurrences for the next."""

    ACTIVE = "active"
    """It takes what matches."""

    EXPIRED = "expired"
    """It never takes anything again."""


@dataclass(frozen=True, slots=True)
class ActivePeriods:
    """When a silence holds: pieces of time in order, none touching the next."""

    periods: tuple[Period, ...]

    @classmethod
    def of(cls, starts_at: datetime, ends_at: datetime, recurrence: Mapping[str, Any] | None = None) -> ActivePeriods:
        """From start to end, or within these as often as `{rrule, timezone, durationMinutes}` says.

        An occurrence lasts so many minutes by the stop-watch, and ends with the silence. Raises `BadRule`.
        """
        if recurrence is None:
            return cls(merge_periods([(starts_at, ends_at)]))
        about = (recurrence["rrule"], recurrence["timezone"], recurrence["durationMinutes"])
        return cls(_recurring(starts_at, ends_at, *about))

    @classmethod
    def of_stored(cls, row: StoredSilence) -> ActivePeriods:
        """Of a stored silence. One whose time zone or rule this machine does not know never holds."""
        try:
            return cls.of(row.starts_at, row.ends_at, row.recurrence)
        except (LookupError, ValueError):
            return cls(())

    def covers(self, at: datetime) -> bool:
        """Whether it holds at this instant: from a start on, no longer at an end."""
        place = bisect_right(self.periods, at, key=_start)
        return place > 0 and at < self.periods[place - 1][1]

    def state(self, at: datetime) -> SilenceState:
        """What it does at this instant."""
        if self.covers(at):
            return SilenceState.ACTIVE
        return SilenceState.PENDING if self.next_change(at) else SilenceState.EXPIRED

    def next_change(self, at: datetime) -> datetime | None:
        """The next start or end after `at`; None when none is to come."""
        place = bisect_right(self.periods, at, key=_start)
        if place > 0 and at < self.periods[place - 1][1]:
            return self.periods[place - 1][1]
        return self.periods[place][0] if place < len(self.periods) else None


class StoredSilence(Protocol):
    """A silence as its table has it; JSON is in the shape of the API."""

    id: UUID
    match: Any
    source_ids: Iterable[UUID]
    starts_at: datetime
    ends_at: datetime
    recurrence: Any
    comment: str


class CompiledSilence(NamedTuple):
    """A silence as routing asks it: none in `source_ids` is all sources. `error` says why it can take nothing, `needs`
    what must be loaded for it (`matchers.needs`), `name` is the beginning of its comment, without secrets."""

    id: UUID
    active: ActivePeriods
    source_ids: frozenset[UUID]
    matches: Callable[[Subject], bool]
    error: str | None = None
    needs: frozenset[str] = frozenset()
    name: str = ""

    @classmethod
    def of(cls, row: StoredSilence) -> CompiledSilence:
        """A stored silence, compiled. One that cannot be is one with a `error`: all else goes on without it."""
        try:
            span = ActivePeriods.of(row.starts_at, row.ends_at, row.recurrence)
            matches, needs = matchers.compile(row.match), matchers.needs(row.match)
        except (ValueError, LookupError, TypeError) as fault:
            return cls(row.id, ActivePeriods(()), frozenset(), lambda _: False, str(fault))
        return cls(
            row.id, span, frozenset(row.source_ids), matches, needs=needs, name=redact(row.comment)[:LONGEST_NAME]
        )

    def matches_source_and_event(self, seen: Iterable[Subject], source_id: UUID) -> bool:
        """Whether it is about an incident that is `seen` so (`views`), or about an event, at whatever time.

        This is the one rule by which silences cover: at their beginning and end, in previews, when events open, reopen or
        repeat an incident, and when people edit one.
        """
        return (not self.source_ids or source_id in self.source_ids) and any(map(self.matches, seen))


class NamedIncident(Protocol):
    """What an incident is called."""

    @property
    def title(self) -> str: ...
    @property
    def type(self) -> str | None: ...
    @property
    def resource(self) -> str | None: ...
    @property
    def dedup_key(self) -> str | None: ...
    @property
    def tags(self) -> Sequence[str]: ...


def views(incident: NamedIncident, severity: Severity, event: Subject) -> tuple[Subject, ...]:
    """What silences look at of an incident of this severity: its newest event, and the incident itself.

    The incident's tags count beside the event's. `event.severity` is what rules made of it. What an incident has no field
    for (body, metadata) is the event's in both views: else `metadata.env != "prod"` would hold for every incident.
    """
    newest = event._replace(tags=tuple(dict.fromkeys((*incident.tags, *event.tags))))
    own = event._replace(
        severity=severity,
        title=incident.title,
        type=incident.type,
        resource=incident.resource,
        dedup_key=incident.dedup_key,
        tags=tuple(incident.tags),
    )
    return (newest,) if own[:_NAMED] == newest[:_NAMED] else (newest, own)


_NAMED = Subject._fields.index("source_id")


def active_silence(
    silences: Iterable[CompiledSilence], seen: Sequence[Subject], source_id: UUID, at: datetime
) -> CompiledSilence | None:
    """The first of these silences that holds at `at` and takes what is `seen` so; None: it is heard."""
    return next(
        (
            silence
            for silence in silences
            if silence.active.covers(at) and silence.matches_source_and_event(seen, source_id)
        ),
        None,
    )


def check(starts_at: datetime, ends_at: datetime, recurrence: Mapping[str, Any] | None, now: datetime) -> list[Fault]:
    """What is wrong with the times of a silence that is made or changed at `now`; `[]`: nothing."""
    if ends_at <= starts_at:
        return [Fault("/endsAt", "Must be later than startsAt.")]
    if end_faults(ends_at, now):
        return end_faults(ends_at, now)
    if ends_at - starts_at > LONGEST:
        return [Fault("/startsAt", f"Must be at most {LONGEST.days} days before endsAt.")]
    try:
        span = ActivePeriods.of(starts_at, ends_at, recurrence)
    except BadRule as fault:
        return [Fault("/recurrence/rrule", str(fault))]
    if span.state(now) is SilenceState.EXPIRED:
        return [Fault("/recurrence/rrule", "Never happens between now and endsAt.")]
    return []


def end_faults(ends_at: datetime, now: datetime) -> list[Fault]:
    """What is wrong with an end, whenever it begins."""
    if ends_at <= now:
        return [Fault("/endsAt", "Must be in the future.")]
    if ends_at > now + LONGEST:
        return [Fault("/endsAt", f"Must be at most {LONGEST.days} days ahead.")]
    return []


def _start(piece: Period) -> datetime:
    return piece[0]


@lru_cache(maxsize=1024)
def _recurring(starts_at: datetime, ends_at: datetime, rule: str, timezone: str, minutes: int) -> tuple[Period, ...]:
    lasts = timedelta(minutes=minutes)
    found = occurrences(rule, ZoneInfo(timezone), starts_at, ends_at)
    return merge_periods((start, min(start + lasts, ends_at)) for start in found)
