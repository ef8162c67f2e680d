"""Problems of a schedule: gaps, a person who is never relieved, layers that are never active."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from inbox.domain.oncall.person_periods import PersonPeriod
from inbox.domain.oncall.problems import GAPS_AHEAD, MAX_GAPS, Problem, ProblemKind, problems, twice_on_call
from inbox.domain.oncall.schedule import OnCallSchedule, Unit
from tests.domain.oncall.layers import ANA, BEN, CEM, DORA, at, layer, override, schedule, window

NOW = at("2026-01-05 12:00")
NEVER = Problem(ProblemKind.LAYER_NEVER_ACTIVE, layer_id=UUID(int=100))


def kinds(made: OnCallSchedule) -> list[str]:
    return [str(each.kind) for each in problems(made, NOW)]


def test_a_schedule_that_is_always_covered_has_no_problem() -> None:
    assert problems(schedule(layer()), NOW) == []


def test_a_gap_within_30_days_is_a_problem() -> None:
    nobody = override(1, "2026-01-20 00:00", "2026-01-21 00:00")

    found = problems(schedule(layer(), overrides=[nobody]), NOW)

    assert found == [Problem(ProblemKind.GAP, at("2026-01-20 00:00"), at("2026-01-21 00:00"))]


def test_a_gap_after_30_days_is_none() -> None:
    first = NOW + GAPS_AHEAD
    later = override(1, f"{first:%Y-%m-%d %H:%M}", f"{first + timedelta(days=1):%Y-%m-%d %H:%M}")

    assert problems(schedule(layer(), overrides=[later]), NOW) == []


def test_the_first_20_gaps_are_shown() -> None:
    office = layer("2026-01-05 09:00", 1, Unit.DAY, ANA, BEN, windows=(window("daily", "09:00", "17:00"),))

    assert kinds(schedule(office)) == ["gap"] * MAX_GAPS


def test_a_schedule_with_one_person_is_a_problem() -> None:
    assert kinds(schedule(layer("2026-01-05 09:00", 1, Unit.WEEK, ANA))) == ["single_member"]


def test_a_layer_that_ended_is_never_active() -> None:
    ended = layer(ends_at=at("2026-01-05 10:00"))

    assert problems(schedule(layer(id=UUID(int=9)), ended), NOW) == [NEVER]


def test_a_layer_with_empty_turns_is_never_active() -> None:
    assert problems(schedule(layer(id=UUID(int=9)), layer("2026-01-05 09:00", 1, Unit.WEEK, [], [])), NOW) == [NEVER]


def test_a_schedule_without_layers_is_a_gap() -> None:
    assert kinds(schedule()) == ["gap"]


def test_a_person_of_a_turn_who_left_is_a_problem() -> None:
    without_ana = schedule(layer("2026-01-05 09:00", 1, Unit.WEEK, ANA, BEN, [BEN, CEM])).without([ANA, DORA], NOW)

    found = [each for each in problems(without_ana, NOW) if each.kind is ProblemKind.ABSENT_MEMBER]

    assert found == [Problem(ProblemKind.ABSENT_MEMBER, user_id=ANA)]


def period(begins: str, ends: str, user: UUID = ANA) -> PersonPeriod:
    return PersonPeriod(user, at(begins), at(ends))


def test_a_person_who_is_on_call_by_two_schedules_is_found_once() -> None:
    own = [period("2026-01-06 00:00", "2026-01-07 00:00"), period("2026-01-08 00:00", "2026-01-09 00:00")]
    others = [
        period("2026-01-06 00:00", "2026-01-07 00:00", BEN),
        period("2026-01-06 12:00", "2026-01-08 12:00"),
    ]

    found = list(twice_on_call(own, others))

    times = at("2026-01-06 12:00"), at("2026-01-07 00:00")
    assert found == [Problem(ProblemKind.TWICE_ON_CALL, *times, user_id=ANA)]


def test_adjoining_times_of_two_schedules_are_no_problem() -> None:
    own, other = [period("2026-01-06 00:00", "2026-01-07 00:00")], [period("2026-01-07 00:00", "2026-01-08 00:00")]

    assert list(twice_on_call(own, other)) == list(twice_on_call(other, own)) == []
