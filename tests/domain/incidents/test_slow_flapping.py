"""Slow flapping: six changes in three hours, and an hour of calm."""

from __future__ import annotations

import pytest

from inbox.domain.incidents.event_transition import ReopenPolicy
from inbox.domain.incidents.incident import Act, NoChange, Transitioned
from tests.domain.incidents.test_flapping import Story


@pytest.mark.parametrize(("apart", "flaps"), [(8, True), (15, True), (36, True), (37, False), (60, False)])
def test_six_moves_within_three_hours_are_too_many(apart: int, flaps: bool) -> None:
    story = Story(policy=ReopenPolicy.of_minutes(15, 120))
    story.alternate([number * apart for number in range(7)])
    assert story.flaps is flaps


def test_slow_flapping_ends_after_an_hour_without_a_change_and_is_counted_anew() -> None:
    story = Story(policy=ReopenPolicy.of_minutes(15, 120))
    story.alternate([number * 30 for number in range(7)])

    assert story.act(Act.FLAPPING_ENDS, 180 + 59) == NoChange()
    assert isinstance(story.act(Act.FLAPPING_ENDS, 180 + 60), Transitioned)
    story.event(180 + 61, recovers=True)
    assert not story.flaps
