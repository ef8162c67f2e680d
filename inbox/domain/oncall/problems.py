"""Problems of a schedule that administrators can mend before somebody is missing at night (specification 23.6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice
from uuid import UUID

from inbox.domain.oncall.person_periods import PersonPeriod
from inbox.domain.oncall.schedule import Layer, OnCallSchedule
from inbox.domain.oncall.shifts import MAX_RANGE, TooManyShifts, upcoming

GAPS_AHEAD = timedelta(days=30)
"""The time for which gaps are searched."""

MAX_GAPS = 20
"""The most gaps that are shown."""

_STEPS = 10_000
"""The most changes that a search evaluates. Gaps after them are not found."""


class ProblemKind(StrEnum):
    """A problem of a schedule."""

    GAP = "gap"
    """Nobody is on call for a time within the next 30 days."""

    SINGLE_MEMBER = "single_member"
    """All turns of the schedule name the same person, who is never relieved."""

    ABSENT_MEMBER = "absent_member"
    """Turns name a person who left the workspace, or whose account is disabled."""

    LAYER_NEVER_ACTIVE = "layer_never_active"
    """A layer has nobody within the next year, because its time is over or all of its turns are empty."""

    UNREACHABLE_MEMBER = "unreachable_member"
    """Turns name a person whom no page reaches: without devices, addresses, or the required second factor."""

    TWICE_ON_CALL = "twice_on_call"
    """A person is on call at the same time by another step of the same routing profile."""

    CALENDAR_UNREADABLE = "calendar_unreadable"
    """The external calendar cannot be read. Its last good copy counts."""

    CALENDAR_UNMATCHED = "calendar_unmatched"
    """Events of the external calendar name somebody who is no member."""

    SLACK_FAILING = "slack_failing"
    """Slack does not show who is on call."""

    UNUSED = "unused"
    """No rule, routing profile or default route pages whoever is on call."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem, with the time of a gap, the layer or the person."""

    kind: ProblemKind
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    layer_id: UUID | None = None
    user_id: UUID | None = None


def key(problem: Problem) -> str:
    """Returns what makes a problem another one. All gaps are one: the next ones come with time."""
    subject = problem.layer_id or problem.user_id
    return str(problem.kind) if subject is None else f"{problem.kind} {subject}"


def problems(schedule: OnCallSchedule, now: datetime) -> list[Problem]:
    """Returns the problems of a schedule from now on."""
    layers = schedule.versions[-1].layers if schedule.versions else ()
    users = {user for layer in layers for people in layer.members for user in people}
    return [
        *islice(_gaps(schedule, now), MAX_GAPS),
        *([Problem(ProblemKind.SINGLE_MEMBER)] if len(users) == 1 else []),
        *(Problem(ProblemKind.ABSENT_MEMBER, user_id=each) for each in schedule.absent),
        *(Problem(ProblemKind.LAYER_NEVER_ACTIVE, layer_id=each.id) for each in layers if _is_never_active(each, now)),
    ]


def twice_on_call(own: Sequence[PersonPeriod], others: Sequence[PersonPeriod]) -> Iterator[Problem]:
    """Yields for each person the first time at which they are on call by both of two schedules."""
    periods: dict[UUID, list[PersonPeriod]] = {}
    for each in others:
        periods.setdefault(each.user_id, []).append(each)
    told = set[UUID]()
    for mine in sorted(own, key=lambda period: period.starts_at):
        for other in periods.get(mine.user_id, ()) if mine.user_id not in told else ():
            begins, ends = max(mine.starts_at, other.starts_at), min(mine.ends_at, other.ends_at)
            if begins < ends and mine.user_id not in told:
                told.add(mine.user_id)
                yield Problem(ProblemKind.TWICE_ON_CALL, begins, ends, user_id=mine.user_id)


def _gaps(schedule: OnCallSchedule, now: datetime) -> Iterator[Problem]:
    try:
        for shift in upcoming(schedule, now, now + GAPS_AHEAD, _STEPS):
            if not shift.people:
                yield Problem(ProblemKind.GAP, shift.starts_at, shift.ends_at)
    except TooManyShifts:
        return


def _is_never_active(layer: Layer, now: datetime) -> bool:
    """Returns whether the layer by itself has nobody within the next year."""
    if not any(layer.members):
        return True
    alone = OnCallSchedule.of_layers([replace(layer, level=1)])
    try:
        return not any(shift.people for shift in upcoming(alone, now, now + MAX_RANGE, _STEPS))
    except TooManyShifts:
        return False
