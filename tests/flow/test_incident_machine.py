"""States and notices equal the model after acts, events and timers in any order, with workers that die."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

import peewee
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.flow.crash_injection import CrashInjector
from tests.flow.model_runner import KEYS, Twin
from tests.flow.model_shapes import SHAPES, Shape
from tests.runner.amounts import amount

pytestmark = pytest.mark.slow

EXAMPLES = amount("TEST_HISTORIES", usual=40, long=400)
"""How many sequences are run. A longer proof takes more of them (docs/faults.md)."""

MANY = 200
"""Among so many there is a repeat. Fewer may have none, by the way in which rules are drawn."""

RANKS = st.sampled_from([2, 3, 4, 5])
KILLS = st.one_of(st.none(), st.none(), st.integers(0, 45))
PLACES = st.integers(0, 3)
TAGS = st.sampled_from([(), ("db",), ("web",), ("db", "web")])
PAUSES = st.sampled_from([0, 0, 1, 59, 60, 300, 600, 899, 900, 1_500, 1_799, 1_800, 2_400, 3_600, 3_601, 7_200, 10_800])
ACTS = st.sampled_from(["acknowledge", "unacknowledge", "snooze", "unsnooze", "resolve", "reopen"])
ALERTS = st.sampled_from([alert for key in KEYS for alert in (key, f"{key}/2", f"{key}+both")])
GAPS = st.sampled_from([0, 1, 30, 300, 900])
AGO = st.sampled_from([0, 0, 1, 20, 290, 1_000, 4_000])
EVENTS = st.tuples(ALERTS, st.sampled_from([None, None, 3, 4, 5]), GAPS, AGO)


class Incidents(RuleBasedStateMachine):
    """Two keys in a workspace of a shape. Each step may be killed after some statement, and is then done again."""

    crash_injector: ClassVar[CrashInjector]
    figures: ClassVar[Counter[str]] = Counter()

    @initialize(shape=st.sampled_from(SHAPES), night=st.booleans())
    def a_workspace(self, shape: Shape, night: bool) -> None:
        self.twin = Twin(shape, self.crash_injector, night=night)

    @rule(alert=ALERTS, rank=st.sampled_from([3, 4, 5]), ago=AGO, later=st.booleans(), tags=TAGS, kill=KILLS)
    def it_breaks(self, alert: str, rank: int, ago: int, later: bool, tags: tuple[str, ...], kill: int | None) -> None:
        self.twin.events([(alert, rank, 0, ago)], later=later, tags=tags, kill=kill)

    @rule(alert=ALERTS, ago=AGO, kill=KILLS)
    def it_recovers(self, alert: str, ago: int, kill: int | None) -> None:
        self.twin.events([(alert, None, 0, ago)], kill=kill)

    @precondition(lambda self: self.twin.alarms)
    @rule(place=PLACES, kill=KILLS)
    def it_is_reported_again(self, place: int, kill: int | None) -> None:
        alarms = list(self.twin.alarms)
        self.twin.repeats(alarms[-1 - place % len(alarms)], kill)

    @rule(alert=ALERTS, ends=st.booleans(), ago=st.sampled_from([20, 290, 1_000]), kill=KILLS)
    def an_older_report_overtakes(self, alert: str, ends: bool, ago: int, kill: int | None) -> None:
        """The beginning arrives after its end, or the end after the next beginning."""
        older, newer = (None, 4) if ends else (4, None)
        self.twin.events([(alert, 4, 0, ago + 60), (alert, newer, 0), (alert, older, 1, ago)], kill=kill)

    @rule(events=st.lists(EVENTS, min_size=2, max_size=8), lag=PAUSES, kill=KILLS)
    def much_is_routed_late(self, events: list[tuple[str, int | None, int, int]], lag: int, kill: int | None) -> None:
        self.twin.events(events, lag=lag, kill=kill)
        self.twin.catch_up()

    @rule(key=st.sampled_from(KEYS), turns=st.integers(2, 7), gap=st.sampled_from([0, 60, 300, 480]), kill=KILLS)
    def it_comes_and_goes(self, key: str, turns: int, gap: int, kill: int | None) -> None:
        for turn in range(turns):
            self.twin.wait(gap)
            self.twin.events([(key, None if turn % 2 else 4, 0)], kill=kill if turn == turns - 1 else None)

    @rule(key=st.sampled_from(KEYS), is_over=st.booleans(), length=PAUSES)
    def it_flaps_and_then_time_passes(self, key: str, is_over: bool, length: int) -> None:
        self.twin.events([(key, None if turn % 2 else 4, 60) for turn in range(8 if is_over else 7)])
        self.twin.catch_up()
        self.twin.check()
        self.twin.wait(length)

    @precondition(lambda self: self.twin.model.cases)
    @rule(place=PLACES, act=ACTS, minutes=st.sampled_from([1, 20, 45]), kill=KILLS)
    def somebody_acts(self, place: int, act: str, minutes: int, kill: int | None) -> None:
        self.twin.person(self._place(place), act, minutes=minutes, kill=kill)
        self.twin.catch_up()

    @precondition(lambda self: self.twin.model.cases)
    @rule(place=PLACES, rank=RANKS, kill=KILLS)
    def somebody_changes_its_severity(self, place: int, rank: int, kill: int | None) -> None:
        self.twin.person(self._place(place), "edit", rank=rank, kill=kill)
        self.twin.catch_up()

    @precondition(lambda self: self.twin.model.cases)
    @rule(place=PLACES, tags=TAGS, kill=KILLS)
    def somebody_tags_it(self, place: int, tags: tuple[str, ...], kill: int | None) -> None:
        self.twin.person(self._place(place), "tag", tags=tags, kill=kill)
        self.twin.catch_up()

    @rule(kill=KILLS)
    def who_acted_leaves(self, kill: int | None) -> None:
        self.twin.leave()
        self.twin.catch_up(kill)

    @precondition(lambda self: self.twin.model.cases)
    @rule(place=PLACES, kill=KILLS)
    def somebody_notes_something(self, place: int, kill: int | None) -> None:
        self.twin.person(self._place(place), "note", kill=kill)

    @rule(
        key=st.sampled_from([None, *KEYS]),
        tag=st.sampled_from([None, "db", "web"]),
        starts_in=PAUSES,
        lasts=st.sampled_from([60, 1_200, 3_600]),
        kill=KILLS,
    )
    def somebody_silences(self, key: str | None, tag: str | None, starts_in: int, lasts: int, kill: int | None) -> None:
        self.twin.silence(key, starts_in, lasts, tag=tag)
        self.twin.catch_up(kill)

    @precondition(lambda self: self.twin.silences)
    @rule(place=PLACES, kill=KILLS)
    def a_silence_is_ended(self, place: int, kill: int | None) -> None:
        self.twin.end_silence(place % len(self.twin.silences))
        self.twin.catch_up(kill)

    @rule(power=st.sampled_from(["on", "off", "stopped"]))
    def the_boss_is(self, power: str) -> None:
        self.twin.power(power)

    @rule(length=PAUSES, kill=KILLS)
    def time_passes(self, length: int, kill: int | None) -> None:
        self.twin.wait(length, kill)

    @rule(length=PAUSES, kill=KILLS)
    def nobody_works_for(self, length: int, kill: int | None) -> None:
        self.twin.sleep(length, kill)

    @invariant()
    def it_stands_and_is_reported_as_decided(self) -> None:
        self.twin.check()

    def teardown(self) -> None:
        """What the histories had in them, for the report of a longer proof."""
        if hasattr(self, "twin"):
            self.figures.update(self.twin.figures(), histories=1)

    def _place(self, place: int) -> int:
        """Counted from the newest."""
        return -1 - place % len(self.twin.model.cases)


def test_any_sequence_of_acts_matches_the_model_of_states_and_notices(ground: peewee.Database) -> None:
    chosen = settings(
        max_examples=EXAMPLES, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
    )
    with CrashInjector() as Incidents.crash_injector:
        run_state_machine_as_test(Incidents, settings=chosen)
    found = Incidents.figures
    print(
        f"{Incidents.crash_injector.kills} kills,",
        ", ".join(f"{count:,} {name}" for name, count in sorted(found.items())),
    )
    assert found["lines alert_ended"] and found["notices of joined alerts"] and found["lines late"]
    assert found["repeats"] or EXAMPLES < MANY
