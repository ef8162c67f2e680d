"""Routing profiles: recipients, delays and repeats. None stands for the workspace's setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol
from uuid import UUID

from inbox.domain.routing.people import PageTarget, targets_of
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.severity import Severity

IGNORE = "ignore"
"""The value of `quietHours` with which a profile's notices are not deferred; the other value is `inherit`
(specification 8.5).
"""


@dataclass(frozen=True, slots=True)
class Step:
    """A step notifies its destinations and pages its people at a time after the incident opened, from a severity on.

    `number` is the position in the profile (0: the step is of no profile). `round` is the repetition, from 1.
    """

    after: timedelta
    min_severity: Severity | None
    destination_ids: tuple[UUID, ...]
    number: int = 1
    round: int = 1
    people: tuple[PageTarget, ...] = ()

    def accepts(self, severity: Severity) -> bool:
        """Returns whether the destinations are notified of an incident of this severity."""
        return self.min_severity is None or severity.rank >= self.min_severity.rank


@dataclass(frozen=True, slots=True)
class Profile:
    """A routing profile. `steps` are in the order of their times; after the first round they repeat `repeat` times.

    A severity missing in `renotify` has the workspace's value; 0 means never. Specification 6.7.
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
    """A stored profile: `steps` and `renotify_minutes` in the shape of the API, with TypeIDs as ids."""

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
    """Returns the profile of a stored row."""
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
    """Returns the stored steps, `[{afterMinutes, minSeverity, destinationIds, people}]`, in the order of their times."""
    in_order = sorted(stored, key=lambda step: int(step["afterMinutes"]))
    return tuple(
        Step(
            after=timedelta(minutes=step["afterMinutes"]),
            min_severity=Severity(step["minSeverity"]) if step.get("minSeverity") else None,
            destination_ids=tuple(found for text in step["destinationIds"] if (found := _destination(text))),
            number=number,
            people=targets_of(step.get("people") or ()),
        )
        for number, step in enumerate(in_order, 1)
    )


def _destination(text: str) -> UUID | None:
    return ids.decode(Prefix.DESTINATION, text)


def _minutes(stored: int | None) -> timedelta | None:
    return None if stored is None else timedelta(minutes=stored)
