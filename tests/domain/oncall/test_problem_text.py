"""Problems of a schedule in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from inbox.domain.oncall.problem_text import MAX_LINES, sentences
from inbox.domain.oncall.problems import MAX_GAPS, Problem, ProblemKind

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 10, 24, 22, tzinfo=UTC)
GAP = Problem(ProblemKind.GAP, START, START + timedelta(hours=8))
FIRST = "Nobody is on call from 25 October 2026 00:00 to 25 October 2026 07:00 (Europe/Berlin)"


@pytest.mark.parametrize(
    ("count", "more"),
    [
        (1, ""),
        (2, ", and at 1 other times"),
        (MAX_GAPS - 1, f", and at {MAX_GAPS - 2} other times"),
        (MAX_GAPS, f", and at {MAX_GAPS - 1} or more other times"),
    ],
)
def test_gaps_are_one_sentence(count: int, more: str) -> None:
    assert sentences([GAP] * count, BERLIN, {}) == [f"{FIRST}{more}."]


def test_people_and_layers_are_named() -> None:
    one, other, unknown = (UUID(int=number) for number in (1, 2, 3))
    problems = [
        Problem(ProblemKind.SINGLE_MEMBER),
        Problem(ProblemKind.ABSENT_MEMBER, user_id=one),
        Problem(ProblemKind.ABSENT_MEMBER, user_id=unknown),
        Problem(ProblemKind.LAYER_NEVER_ACTIVE, layer_id=other),
        Problem(ProblemKind.UNREACHABLE_MEMBER, user_id=one),
        Problem(ProblemKind.TWICE_ON_CALL, START, START, user_id=one),
    ]

    assert sentences(problems, BERLIN, {one: "Mia", other: "Nights"}) == [
        "All turns name the same person, who is never relieved.",
        "Turns name Mia, who left the workspace or is disabled.",
        "Turns name somebody, who left the workspace or is disabled.",
        "The layer Nights has nobody within a year.",
        "Turns name Mia, whom no page reaches.",
        "Mia is on call by two steps of a routing profile at one time.",
    ]


@pytest.mark.parametrize("count", [MAX_LINES - 1, MAX_LINES, MAX_LINES + 1])
def test_a_mail_has_ten_problems(count: int) -> None:
    problems = [Problem(ProblemKind.ABSENT_MEMBER, user_id=UUID(int=number)) for number in range(count)]

    found = sentences(problems, BERLIN, {})

    assert len(found) == count
    assert (found[-1] == "1 more problem.") == (count > MAX_LINES)
