"""A stored profile as routing reads it."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from inbox.domain.routing.profiles import Profile, Step, profile_of
from inbox.domain.values import ids
from inbox.domain.values.severity import Severity

ONE, OTHER = UUID(int=1), UUID(int=2)


def minutes(count: int) -> timedelta:
    return timedelta(minutes=count)


def stored(**values: Any) -> Any:
    usual = {
        "id": UUID(int=9), "name": "On call", "delay_seconds": 0, "steps": [a_step()], "repeat": 0,
        "renotify_minutes": None, "renotify_max": None, "ack_timeout_minutes": None, "auto_resolve_minutes": None,
        "reopen_window_minutes": None, "quiet_hours": "inherit", "fallback_destination_id": None,
    }  # fmt: skip
    return SimpleNamespace(**{**usual, **values})


def a_step(after: int = 0, floor: str | None = None, *to: UUID) -> dict[str, Any]:
    return {
        "afterMinutes": after,
        "minSeverity": floor,
        "destinationIds": [ids.encode("dst", each) for each in to or (ONE,)],
    }


def test_a_null_field_of_a_profile_is_left_to_the_workspace() -> None:
    assert profile_of(stored()) == Profile(UUID(int=9), "On call", timedelta(), (Step(timedelta(), None, (ONE,)),))


def test_every_value_is_read_in_its_unit() -> None:
    row = stored(
        delay_seconds=90, repeat=2, renotify_minutes={"CRITICAL": 10, "WARNING": 0}, renotify_max=3,
        ack_timeout_minutes=15, auto_resolve_minutes=0, reopen_window_minutes=5, quiet_hours="ignore",
        fallback_destination_id=OTHER,
    )  # fmt: skip
    profile = profile_of(row)
    assert (profile.delay, profile.repeat, profile.renotify_max) == (timedelta(seconds=90), 2, 3)
    assert profile.renotify == {Severity.CRITICAL: minutes(10), Severity.WARNING: timedelta()}
    assert (profile.ack_timeout, profile.auto_resolve, profile.reopen_window) == (
        minutes(15),
        timedelta(),
        minutes(5),
    )
    assert not profile.obeys_quiet_hours
    assert profile.fallback_destination_id == OTHER


def test_steps_are_in_the_order_of_their_times_and_numbered() -> None:
    profile = profile_of(stored(steps=[a_step(15, "CRITICAL", OTHER), a_step(0), a_step(15, None, ONE, OTHER)]))
    assert profile.steps == (
        Step(minutes(0), None, (ONE,), number=1),
        Step(minutes(15), Severity.CRITICAL, (OTHER,), number=2),
        Step(minutes(15), None, (ONE, OTHER), number=3),
    )


@pytest.mark.parametrize("floor", [None, *Severity])
def test_a_step_accepts_severities_at_or_above_its_threshold(floor: Severity | None) -> None:
    step = Step(timedelta(), floor, (ONE,))
    lowest = 0 if floor is None else floor.rank
    assert {severity for severity in Severity if step.accepts(severity)} == {
        severity for severity in Severity if severity.rank >= lowest
    }
