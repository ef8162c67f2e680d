"""Problems of schedules that depend on their use and on the contacts of their people (specification 23.6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import combinations, groupby, product
from uuid import UUID

from inbox.domain.deliveries.notices import Cause
from inbox.domain.oncall.person_periods import PersonPeriod, person_periods
from inbox.domain.oncall.problems import GAPS_AHEAD, Problem, ProblemKind, twice_on_call
from inbox.domain.oncall.schedule import OnCallSchedule as Computable
from inbox.domain.oncall.shifts import upcoming
from inbox.domain.routing.people import PageTarget
from inbox.domain.values.severity import Severity
from inbox.flow.oncall import computed
from inbox.flow.oncall.pages import expected_pages
from inbox.models.oncall.calendars import not_ended
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.routing import schedule_uses
from inbox.models.routing.schedule_uses import Uses

STEPS = 1_000
"""The most changes of a schedule in which a person is searched who is on call by two."""

MAX_PAIRS = 1_000
"""The most pairs of schedules that one answer compares."""


def of_schedules(rows: Sequence[OnCallSchedule], now: datetime) -> dict[UUID, list[Problem]]:
    """Returns the problems of the use of these schedules, by id."""
    found: dict[UUID, list[Problem]] = {row.id: [] for row in rows}
    for workspace_id, own in groupby(sorted(rows, key=lambda row: row.workspace_id), lambda row: row.workspace_id):
        here = list(own)
        uses = schedule_uses.of_workspace(workspace_id)
        people = {row.id: _people(row, now) for row in here}
        unreachable = _unreachable(workspace_id, {user for each in people.values() for user in each}, now)
        for row in here:
            if row.id not in uses.schedule_ids:
                found[row.id].append(Problem(ProblemKind.UNUSED))
            found[row.id] += [
                Problem(ProblemKind.UNREACHABLE_MEMBER, user_id=user) for user in sorted(people[row.id] & unreachable)
            ]
        for schedule_id, problem in twice({row.id for row in here}, uses, now):
            found[schedule_id].append(problem)
    return found


def _people(row: OnCallSchedule, now: datetime) -> set[UUID]:
    if row.follows_calendar:
        return {user for shift in not_ended(row.id, now) for user in shift.user_ids}
    return {user for layer in computed.layers_of(row.__data__) for people in layer.members for user in people}


def _unreachable(workspace_id: UUID, user_ids: set[UUID], now: datetime) -> set[UUID]:
    """Returns the active members whom no page of some severity reaches."""
    active = computed.active_members(workspace_id, user_ids)
    targets = [PageTarget(user_id=each) for each in sorted(active)]
    return {
        page.user_id
        for severity in (Severity.ERROR, Severity.CRITICAL)
        for page in expected_pages(workspace_id, targets, severity, now)
        if page.cause == Cause.UNREACHABLE and page.user_id is not None
    }


def twice(schedule_ids: set[UUID], uses: Uses, now: datetime) -> Iterator[tuple[UUID, Problem]]:
    """Yields the schedules with a person who is on call by another step of the same profile at the same time."""
    pairs = [pair for pair in _pairs(uses) if not schedule_ids.isdisjoint(pair)][:MAX_PAIRS]
    involved = {each for pair in pairs for each in pair}
    rows = list(OnCallSchedule.select().where(OnCallSchedule.id.in_(involved), OnCallSchedule.deleted_at.is_null()))
    made = computed.current(rows, now, now + GAPS_AHEAD) if rows else {}
    periods = {id: _periods(schedule, now) for id, schedule in made.items()}
    told = set[tuple[UUID, UUID | None]]()
    for pair in pairs:
        for own, other in (pair, pair[::-1]):
            for problem in twice_on_call(periods.get(own, ()), periods.get(other, ())) if own in schedule_ids else ():
                if (own, problem.user_id) not in told:
                    told.add((own, problem.user_id))
                    yield own, problem


def _periods(schedule: Computable, now: datetime) -> Sequence[PersonPeriod]:
    return list(person_periods(upcoming(schedule, now, now + GAPS_AHEAD, STEPS)))


def _pairs(uses: Uses) -> Iterable[tuple[UUID, UUID]]:
    found: Mapping[tuple[UUID, UUID], None] = {
        (first, second): None
        for steps in uses.steps
        for one, other in combinations(steps, 2)
        for first, second in product(sorted(one), sorted(other))
        if first != second
    }
    return found
