"""A worker that dies after any statement, and before any commit, is one whose work another does: once, and as if nothing was.

Every act of a long story is killed after its first statement, after its second, and so on until it comes to its end; then
all stands as in the model, which knows of no death.
"""

from __future__ import annotations

from collections.abc import Iterator

import peewee
import pytest

from tests.flow.crash_injection import EVERYWHERE, CrashInjector
from tests.flow.model_compared import MORNING
from tests.flow.model_parts import MINUTE
from tests.flow.model_runner import Twin
from tests.flow.model_shapes import STANDBY

pytestmark = pytest.mark.slow


@pytest.fixture
def crash_injector(ground: peewee.Database) -> Iterator[CrashInjector]:
    with CrashInjector() as crash_injector:
        yield crash_injector


@pytest.fixture
def twin(crash_injector: CrashInjector) -> Twin:
    """Twenty minutes before the quiet hours."""
    return Twin(STANDBY, crash_injector, now=MORNING + 10 * MINUTE)


def happens(twin: Twin, *events: tuple[str, int | None, int]) -> None:
    twin.events(events, kill=EVERYWHERE)
    twin.check()


def does(twin: Twin, act: str, **about: int) -> None:
    twin.person(-1, act, kill=EVERYWHERE, **about)
    twin.check()


def passes(twin: Twin, minutes: float) -> None:
    twin.wait(round(minutes * MINUTE), kill=EVERYWHERE)
    twin.check()


def stated(twin: Twin, place: int) -> list[str]:
    return [told.reason for told in twin.model.cases[place].notices]


def test_routing_steps_and_people(twin: Twin, crash_injector: CrashInjector) -> None:
    happens(twin, ("net", 5, 0), ("disk", 4, 1), ("net", None, 1), ("net", 4, 1), ("disk", 4, 1), ("disk", 5, 1))
    passes(twin, 10)
    does(twin, "acknowledge")
    passes(twin, 20)
    does(twin, "snooze", minutes=1)
    passes(twin, 1)
    does(twin, "edit", rank=4)
    does(twin, "note")
    does(twin, "resolve")
    does(twin, "reopen")

    assert stated(twin, 0)[:4] == ["opened", "resolved", "reopened", "escalated"]
    assert stated(twin, 1)[:4] == ["opened", "escalated", "escalated", "acknowledged"]
    assert stated(twin, 1)[4:8] == ["renotify", "snoozed", "snooze_expired", "updated"]
    assert crash_injector.kills > 150


def test_silences_quiet_hours_and_clocks(twin: Twin, crash_injector: CrashInjector) -> None:
    happens(twin, ("net", 4, 0))
    twin.silence(None, 60, 10 * MINUTE)
    passes(twin, 2)
    happens(twin, ("net", 5, 0), ("disk", 4, 0))
    passes(twin, 20)
    for turn in range(6):
        twin.events([("disk", None if turn % 2 == 0 else 4, 60)], kill=EVERYWHERE if turn > 3 else None)
        twin.check()
    passes(twin, 60)

    assert stated(twin, 0)[:3] == ["opened", "escalated", "silence_expired"]
    assert "flapping" in stated(twin, 1)
    assert {one.cause for line in twin.model.cases[1].sent.values() for one in line} >= {"superseded"}
    assert crash_injector.kills > 150
