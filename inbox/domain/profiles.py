"""A routing profile: who hears of an incident, after how long, and how often; what is None is the workspace's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol
from uuid import UUID

from inbox.domain import ids
from inbox.domain.ids import Prefix
from inbox.domain.severity import Severity

IGNORE = "ignore"
"""What `quietHours` says of a profile whose notices do not wait; all else is `inherit` (specification 8.5)."""


@dataclass(frozen=True, slots=True)
class Step:
    """So long after the incident opened these destinations are told, if it is at least that severe.

    `number` is its place in the profile (0: it is none of a profile) and `round` the repetition it belongs to, from 1.
    """

    after: timedelta
    min_severity: Severity | None
    destination_ids: tuple[UUID, ...]
    number: int = 1
    round: int = 1

    def accepts(self, severity: Severity) -> bool:
        """Whether an incident of this severity is told to its destinations."""
        return self.min_severity is None or severity.rank >= self.min_severity.rank


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile. `steps` are in the order of their times; after the first round they run `repeat` times more.

    Specification 6.7.

    Of `renotify` each severity that is left out is the workspace's too; 0 is never.
    """

    id: UUID
    name: str
    delay: timedelta
    steps: tuple[Step, ...]
    repeat: int = 0
    renotify: Mapping[Severity, timedelta] | None = None
    renotify_max: int | None = None
    ack_timeout: timedelta | None = None
    auto_resolve: timedelta | None = None
    reopen_window: timedelta | None = None
    obeys_quiet_hours: bool = True
    fallback_destination_id: UUID | None = None


class StoredProfile(Protocol):
    """A profile as it is stored: `steps` and `renotify_minutes` in the shape of the API, ids in them as TypeIDs."""

    id: Any
    name: Any
    delay_seconds: Any
    steps: Any
    repeat: Any
    renotify_minutes: Any
    renotify_max: Any
    ack_timeout_minutes: Any
    auto_resolve_minutes: Any
    reopen_window_minutes: Any
    quiet_hours: Any
    fallback_destination_id: Any


def profile_of(row: StoredProfile) -> Profile:
    """The profile that is stored."""
    every = row.renotify_minutes
    return Profile(
        id=row.id,
        name=row.name,
        delay=timedelta(seconds=row.delay_seconds),
        steps=steps_of(row.steps),
        repeat=row.repeat,
        renotify=None if every is None else {Severity(name): timedelta(minutes=m) for name, m in every.items()},
        renotify_max=row.renotify_max,
        ack_timeout=_minutes(row.ack_timeout_minutes),
        auto_resolve=_minutes(row.auto_resolve_minutes),
        reopen_window=_minutes(row.reopen_window_minutes),
        obeys_quiet_hours=row.quiet_hours != IGNORE,
        fallback_destination_id=row.fallback_destination_id,
    )


def steps_of(stored: Sequence[Mapping[str, Any]]) -> tuple[Step, ...]:
    """The steps that are stored, `[{afterMinutes, minSeverity, destinationIds}]`, in the order of their times."""
    in_order = sorted(stored, key=lambda step: int(step["afterMinutes"]))
    return tuple(
        Step(
            after=timedelta(minutes=step["afterMinutes"]),
            min_severity=Severity(step["minSeverity"]) if step.get("minSeverity") else None,
            destination_ids=tuple(found for text in step["destinationIds"] if (found := _destination(text))),
            number=number,
        )
        for number, step in enumerate(in_order, 1)
    )


def _destination(text: str) -> UUID | None:
    return ids.decode(Prefix.DESTINATION, text)


def _minutes(stored: int | None) -> timedelta | None:
    return None if stored is None else timedelta(minutes=stored)
