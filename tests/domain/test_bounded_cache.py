"""What is kept is found once, and never is more kept than there is room for."""

from __future__ import annotations

from inbox.domain.bounded_cache import BoundedCache


def test_an_answer_is_found_once() -> None:
    asked: list[int] = []
    answers = BoundedCache[int, int](lambda number: asked.append(number) or number * 2, max_entries=3)

    assert [answers[number] for number in (1, 2, 1, 2, 3)] == [2, 4, 2, 4, 6]
    assert asked == [1, 2, 3]


def test_one_too_many_makes_room_for_all_that_come() -> None:
    answers = BoundedCache[int, int](lambda number: number, max_entries=3)

    sizes = [len(answers) for number in range(5) if answers[number] == number]

    assert sizes == [1, 2, 3, 1, 2]
    assert answers[0] == 0
