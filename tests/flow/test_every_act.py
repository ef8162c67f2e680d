"""Every state × everything that may happen, in workspaces of several kinds: one by one, against the model.

What a state does not allow a person is refused and changes nothing; all else goes as decided, and so does the time after.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import peewee
import pytest

from inbox.database.base import db
from tests.flow.crash_injection import CrashInjector
from tests.flow.model_acts import PEOPLE, REPEATS
from tests.flow.model_compared import MORNING
from tests.flow.model_parts import MINUTE, UNRESOLVED
from tests.flow.model_runner import Twin
from tests.flow.model_shapes import AFRESH, HELD, PLAIN, STANDBY, Shape
from tests.runner.amounts import amount

Act = Callable[[Twin], None]

IN_QUIET_HOURS = MORNING + 35 * MINUTE


def breaks(rank: int = 4, after: int = 60, *, later: bool = False) -> Act:
    return lambda twin: twin.events([("disk", rank, after)], later=later)


def recovers(twin: Twin) -> None:
    twin.events([("disk", None, 60)])


def fires(alert: str, ago: int = 0, *, after: int = 60) -> Act:
    """The sender reports this alert, as of so many seconds ago."""
    return lambda twin: twin.events([(alert, 4, after, ago)])


def ends(alert: str, ago: int = 0) -> Act:
    return lambda twin: twin.events([(alert, None, 60, ago)])


def repeats(alert: str, *, after: int = 1) -> Act:
    """The sender reports the newest alarm of this alert again."""

    def act(twin: Twin) -> None:
        twin.wait(after * MINUTE)
        twin.repeats(alert)

    return act


def does(act: str, *, minutes: int = 30, rank: int | None = None) -> Act:
    return lambda twin: twin.person(-1, act, minutes=minutes, rank=rank)


def silenced(twin: Twin) -> None:
    twin.silence("disk", 0, 50 * MINUTE)
    twin.catch_up()


def arrived(twin: Twin) -> None:
    for place in range(len(twin.silences)):
        twin.end_silence(place)


def turns(power: str) -> Act:
    return lambda twin: twin.power(power)


def waits(minutes: int) -> Act:
    return lambda twin: twin.wait(minutes * MINUTE)


def sleeps(minutes: int) -> Act:
    return lambda twin: twin.sleep(minutes * MINUTE)


STATES: Mapping[str, tuple[Act, ...]] = {
    "none": (),
    "open": (breaks(),),
    "open, and the boss was out": (turns("off"), breaks(), turns("on")),
    "acknowledged": (breaks(), does("acknowledge")),
    "snoozed": (breaks(), does("snooze")),
    "opened snoozed": (breaks(later=True),),
    "open with two alerts": (breaks(), fires("disk/2")),
    "open with two alerts, of which one ended": (breaks(), fires("disk/2"), ends("disk/2")),
    "acknowledged, then joined by an alert": (breaks(), does("acknowledge"), fires("disk/2")),
    "silenced while open": (breaks(), silenced),
    "silenced while acknowledged": (breaks(), does("acknowledge"), silenced),
    "silenced while snoozed": (breaks(), does("snooze"), silenced),
    "opened silenced": (silenced, breaks()),
    "resolved by an event": (breaks(), recovers),
    "resolved by a person": (breaks(), does("resolve")),
    "resolved by a person with two alerts": (breaks(), fires("disk/2"), does("resolve")),
}
"""How each state is reached from nothing, or from what flaps and is resolved."""

EVENTS: Mapping[str, Act] = {
    "the same again": breaks(),
    "the same again after a while": breaks(after=15 * MINUTE),
    "a lower severity": breaks(3),
    "a higher severity": breaks(5),
    "an event that a rule puts off": breaks(later=True),
    "a recovery": recovers,
}
ALERTS: Mapping[str, Act] = {
    "another alert": fires("disk/2"),
    "another alert of an hour ago": fires("disk/2", 3_600),
    "an alert that other groups have": fires("disk+both"),
    "two further alerts together": lambda twin: twin.events([("disk/2", 4, 60), ("disk/3", 5, 0)]),
    "an end of another alert": ends("disk/2"),
    "an end older than the alarm": ends("disk", 1_000),
    "an alarm older than the end": fires("disk", 1_000),
    "both ends together": lambda twin: twin.events([("disk", None, 60), ("disk/2", None, 0)]),
    "an end, and another alert": lambda twin: twin.events([("disk", None, 60), ("disk/2", 4, 0)]),
    "a repeat": repeats("disk"),
    "a repeat after a while": repeats("disk", after=20),
    "a repeat of another alert": repeats("disk/2"),
}
"""Reports of several alerts in one incident: they join, end, come late and are repeated."""
PERSONS: Mapping[str, Act] = {
    **{act: does(act) for act in ("acknowledge", "unacknowledge", "snooze", "unsnooze", "resolve", "reopen")},
    "snooze until another time": does("snooze", minutes=45),
    "edit to a higher severity": does("edit", rank=5),
    "edit to a lower severity": does("edit", rank=3),
    "edit to the same severity": does("edit", rank=4),
    "who acted leaves": lambda twin: twin.leave(),
    "note": does("note"),
}
CLOCKS: Mapping[str, Act] = {
    "a silence begins": silenced,
    "all silences end": arrived,
    "ten minutes pass": waits(10),
    "half an hour passes": waits(31),
    "four hours pass": waits(240),
    "nobody works for forty minutes": sleeps(40),
    "nobody works for four hours": sleeps(240),
}


def flaps(twin: Twin) -> None:
    """Seven moves, the last of them an end."""
    for turn in range(8):
        twin.events([("disk", None if turn % 2 else 4, 60)])
    twin.catch_up()


@contextmanager
def undone(twin: Twin) -> Iterator[None]:
    """What is done within never was."""
    now, model, silences, taker = twin.now, twin.model, list(twin.silences), twin.taker
    alarms = dict(twin.alarms)
    with db.atomic() as transaction:
        twin.model, existing = copy.deepcopy((model, silences))
        twin.silences = existing
        yield
        db.execute_sql("SET CONSTRAINTS ALL IMMEDIATE")
        transaction.rollback()
    twin.now, twin.model, twin.silences, twin.taker, twin.alarms = now, model, silences, taker, alarms


@pytest.fixture
def crash_injector(ground: peewee.Database) -> Iterator[CrashInjector]:
    with CrashInjector() as crash_injector:
        yield crash_injector


KINDS: Mapping[str, tuple[Shape, bool, bool]] = {
    "no profile": (PLAIN, False, False),
    "no profile, flapping": (PLAIN, False, True),
    "no profile, at night": (PLAIN, True, False),
    "a profile": (STANDBY, False, False),
    "a profile, at night, flapping": (STANDBY, True, True),
    "a profile, at night": (STANDBY, True, False),
    "never reopened, flapping": (AFRESH, False, True),
    "a profile that holds": (HELD, False, False),
}
"""Kinds of workspaces: their shape, whether it is night, and whether the incident flaps. `happens` relies on their order."""
ACTS: Mapping[str, Act] = {**EVENTS, **CLOCKS, **PERSONS, **ALERTS}

SHARE = amount("TEST_ACTS", usual=4, long=8)
"""The number of these kinds, of eight, in which one act happens in one state."""


def happens(kind: str, state: str, act: str) -> bool:
    """Whether the act happens in this state of this kind of workspace. The next act and state happen in the other kinds."""
    place = [*KINDS].index(kind) + [*STATES].index(state) + [*ACTS].index(act)
    return place * SHARE % len(KINDS) < SHARE


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_act_in_every_state_matches_the_model(crash_injector: CrashInjector, kind: str) -> None:
    shape, night, flapping = KINDS[kind]
    twin = Twin(shape, crash_injector, night=night, now=IN_QUIET_HOURS)
    if flapping:
        flaps(twin)
        assert twin.model.cases[-1].flaps
    wrong = []
    for state, way in STATES.items():
        with undone(twin):
            for act in way:
                act(twin)
                twin.catch_up()
            twin.check()
            several = ALERTS if night == flapping else {}  # half of the kinds, because they double the time
            acts = {**EVENTS, **several, **CLOCKS, **(PERSONS if twin.model.cases else {})}
            for name, act in acts.items():
                if not happens(kind, state, name):
                    continue
                with undone(twin):
                    fault = _fault(twin, act)
                if fault:
                    wrong.append(f"{state}, {name}: {fault}")
    assert wrong == []


@pytest.mark.parametrize(
    "has",
    [
        pytest.param(lambda shape, night, flapping: flapping, id="flapping"),
        pytest.param(lambda shape, night, flapping: not flapping, id="not flapping"),
        pytest.param(lambda shape, night, flapping: night, id="at night"),
        pytest.param(lambda shape, night, flapping: not night, id="by day"),
        pytest.param(lambda shape, night, flapping: shape is PLAIN, id="no profile"),
        pytest.param(lambda shape, night, flapping: shape is not PLAIN, id="a profile"),
        pytest.param(lambda shape, night, flapping: night == flapping, id="several alerts"),
    ],
)
def test_every_act_happens_in_every_state_with_each_property_of_a_workspace(has: Callable[..., bool]) -> None:
    kinds = [kind for kind, properties in KINDS.items() if has(*properties)]

    left_out = {
        (state, act) for state in STATES for act in ACTS if not any(happens(kind, state, act) for kind in kinds)
    }

    assert left_out == set()


def _fault(twin: Twin, act: Act) -> str:
    try:
        act(twin)
        twin.catch_up()
        twin.check()
        twin.sleep(31 * MINUTE)
        twin.check()
    except AssertionError as fault:
        return str(fault)
    return ""


def test_a_person_may_do_exactly_the_acts_of_the_table() -> None:
    """What the model refuses, and the service with it (`invalid_transition`), written out."""
    acts = ("acknowledge", "unacknowledge", "snooze", "unsnooze", "resolve", "reopen")
    possible = {pair for pair in PEOPLE if pair[1] in acts} | REPEATS
    everything = {(state, act) for state in (*UNRESOLVED, "resolved") for act in acts}

    assert everything - possible == {
        ("acknowledged", "unsnooze"), ("acknowledged", "reopen"),
        ("snoozed", "unacknowledge"), ("snoozed", "reopen"),
        ("silenced", "acknowledge"), ("silenced", "unacknowledge"), ("silenced", "snooze"), ("silenced", "unsnooze"),
        ("silenced", "reopen"),
        ("resolved", "acknowledge"), ("resolved", "unacknowledge"), ("resolved", "snooze"), ("resolved", "unsnooze"),
    }  # fmt: skip
