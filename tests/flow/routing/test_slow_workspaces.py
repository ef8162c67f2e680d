"""A workspace whose events take long does not delay the others, and loses nothing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from uuid import UUID

import pytest

from inbox.database.base import db, new_id
from inbox.flow.routing import batch
from inbox.flow.routing.batch import (
    REMEMBERED_SECONDS,
    SLOW_EVENT_SECONDS,
    STEP_BYTES,
    STEP_SECONDS,
    WORKSPACE_SECONDS,
    BatchBudget,
    SlowWorkspaces,
)
from inbox.flow.routing.process_batch import process
from inbox.flow.routing.route import route
from inbox.flow.routing.routing_config import needs
from inbox.flow.unit_of_work import work
from inbox.models.events.queue import SHARDS, fetch, shard_of
from inbox.models.events.tables import RoutedEvent
from inbox.models.routing import rules
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW, Cast, make_source
from tests.flow.routing_fixtures import accept, event, routed, timeline, waiting
from tests.flow.rulemaking import clause, rule, silence

A, B = UUID(int=1), UUID(int=2)
LIST = [""] * 9_000
COSTLY = {"any": [clause("metadata.l", "endsWith", "x")] * 25}


class Clock:
    """A stopwatch that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(("over", "is_admitted"), [(-0.001, True), (0.001, False)])
def test_a_workspace_with_slow_events_is_admitted_until_its_time_is_over(over: float, is_admitted: bool) -> None:
    clock = Clock()
    budget = BatchBudget(clock, clock)

    clock.now = WORKSPACE_SECONDS + over
    budget.spend(A)

    assert (budget.admits(A), budget.admits(B)) == (is_admitted, True)
    assert budget.slow == (set() if is_admitted else {A})
    assert budget.left == (not is_admitted)


def test_many_fast_events_are_not_slow() -> None:
    clock = Clock()
    budget = BatchBudget(clock, clock)

    for _ in range(int(2 * WORKSPACE_SECONDS / SLOW_EVENT_SECONDS)):
        clock.now += 0.9 * SLOW_EVENT_SECONDS
        budget.spend(A)

    assert budget.admits(A)
    assert budget.slow == set()


def test_the_time_before_the_evaluation_is_counted_to_no_workspace(cast: Cast) -> None:
    accept(cast.source)
    clock = Clock()
    budget = BatchBudget(clock, clock)
    clock.now = 10 * STEP_SECONDS  # the first batch of a process compiles the rules

    with work() as done:
        events, _ = fetch(shard_of(cast.source.id), batch.FETCH_SIZE, 0, needs())
        routed_events = process(events, NOW, done, budget)

    assert len(routed_events) == 1
    assert (budget.slow, budget.left) == (set(), 0)


def test_time_without_computing_does_not_count() -> None:
    clock, cpu = Clock(), Clock()
    budget = BatchBudget(clock, cpu)

    clock.now, cpu.now = 100 * WORKSPACE_SECONDS, 0.9 * WORKSPACE_SECONDS
    budget.spend(A)

    assert budget.admits(A)


@pytest.mark.parametrize(("over", "is_admitted"), [(-0.001, True), (0.001, False)])
def test_a_step_admits_nobody_when_its_time_is_over(over: float, is_admitted: bool) -> None:
    clock = Clock()
    budget = BatchBudget(clock, clock)

    clock.now = STEP_SECONDS + over
    budget.spend(A)

    assert budget.admits(B) is is_admitted
    budget.begin_step()
    assert budget.admits(A) and budget.admits(B)


@pytest.mark.parametrize(("size", "is_admitted"), [(STEP_BYTES, True), (STEP_BYTES + 1, False)])
def test_a_step_admits_nobody_when_its_bytes_are_used(size: int, is_admitted: bool) -> None:
    budget = BatchBudget(Clock(), Clock())

    budget.spend(A, size)

    assert budget.admits(B) is is_admitted


def test_slow_workspaces_take_turns_and_are_remembered_for_a_while() -> None:
    clock = Clock()
    slow = SlowWorkspaces(clock)
    slow.add(A)
    slow.add(B)

    assert [slow.next_turn() for _ in range(4)] == [A, B, A, B]
    clock.now = REMEMBERED_SECONDS / 2
    slow.add(B)
    clock.now = REMEMBERED_SECONDS
    assert slow.ids == {B}
    slow.forget(B)
    assert slow.next_turn() is None


def test_a_slow_workspace_gets_turns_shard_by_shard() -> None:
    slow, order = SlowWorkspaces(Clock()), []
    for _ in range(4):
        order.append(slow.shard_order(A, [3, 5, 9])[0])
        slow.record_shard(A, order[-1])

    assert order == [3, 5, 9, 3]


def neighbour(workspace: Workspace, of: Source) -> Source:
    """A source of the workspace in the shard of another source."""
    return make_source(workspace, "Neighbour", id=UUID(int=new_id().int // SHARDS * SHARDS + shard_of(of.id)))[0]


def hostile_events(source: Source, many: int) -> list[UUID]:
    """Events of which no two have equal values."""
    return [accept(source, key=f"k{number % 3}", metadata={"l": [*LIST, str(number)]}) for number in range(many)]


def is_routed(id: UUID) -> bool:
    return bool(RoutedEvent.select().where(RoutedEvent.event_id == id).exists())


class Rounds:
    """What was routed after each round."""

    def __init__(self, events: Sequence[UUID]) -> None:
        self._events = events
        self.routed: list[list[UUID]] = []

    def __call__(self) -> None:
        self.routed.append([id for id in self._events if is_routed(id)])


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "FETCH_SIZE", 10)
    monkeypatch.setattr(batch, "MAX_EVENTS", 10)
    monkeypatch.setattr(batch, "WORKSPACE_SECONDS", 0.02)


def test_an_event_behind_a_slow_backlog_of_its_shard_is_routed_before_the_backlog(cast: Cast, small: None) -> None:
    other = neighbour(cast.foreign, cast.source)
    for _ in range(8):
        rule(cast.foreign, COSTLY)
    slow = hostile_events(other, 60)
    quiet = [accept(cast.source, key=f"quiet-{number}") for number in range(3)]
    rounds = Rounds([*slow, *quiet])

    route(lambda: NOW, between_batches=rounds)

    with_quiet = next(found for found in rounds.routed if set(quiet) <= set(found))
    assert len(with_quiet) - len(quiet) < 30, "the slow events were routed first"
    assert waiting() == 0


def test_slow_events_are_routed_once_each_and_in_order(cast: Cast, small: None) -> None:
    other = neighbour(cast.foreign, cast.source)
    for _ in range(8):
        rule(cast.foreign, COSTLY)
    slow = hostile_events(other, 40)
    rounds = Rounds(slow)

    assert route(lambda: NOW, between_batches=rounds) == 40

    assert all(found == slow[: len(found)] for found in rounds.routed)
    assert [event(id).disposition for id in slow[:3]] == ["opened"] * 3
    assert {event(id).disposition for id in slow[3:]} == {"updated"}
    found = db.execute_sql(
        "SELECT count(*), count(DISTINCT event_id) FROM routed_events WHERE event_id = ANY(%s)", (slow,)
    )
    assert found.fetchone() == (40, 40)
    assert [timeline(event(id).incident_id) for id in slow[:3]] == [["opened"]] * 3


def test_a_slow_workspace_has_turns_in_every_shard(cast: Cast, small: None) -> None:
    elsewhere = next(
        source
        for source in (make_source(cast.foreign, f"Other {number}")[0] for number in count())
        if shard_of(source.id) != shard_of(cast.foreign_source.id)
    )
    for _ in range(8):
        rule(cast.foreign, COSTLY)
    events = [*hostile_events(cast.foreign_source, 20), *hostile_events(elsewhere, 20)]

    route(lambda: NOW)

    assert all(map(is_routed, events))


def test_a_batch_is_full_when_its_records_are(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "STEP_BYTES", 3_000)
    rule(cast.workspace, {"all": [clause("title", "notIn", [f"{number}-{'x' * 180}"]) for number in range(5)]})
    events = [accept(cast.source, key=f"k{number}", title=f"Disk {number}") for number in range(20)]

    assert route(lambda: NOW) == 20

    assert all(map(is_routed, events))
    found = db.execute_sql("SELECT count(*) FROM routed_events GROUP BY xmin::text ORDER BY 1 DESC")
    assert max(many for (many,) in found.fetchall()) < 6


def test_a_rule_that_costs_too_much_is_left_out_counted_and_named(cast: Cast) -> None:
    costly = rule(cast.workspace, {"any": [clause("metadata.l", "endsWith", "x")] * 50}, "drop", name="Every host")
    metadata = {"l": [""] * 10_900}

    first = routed(cast.source, metadata=metadata)
    routed(cast.source, metadata=metadata)
    routed(cast.source, metadata={"l": ["x"]})

    assert first.disposition == "opened"
    assert first.routing["rules"][0]["name"] == "Every host"
    assert "costs too much for this event" in first.routing["rules"][0]["error"]
    found = rules.costly_stats([costly.id], NOW)[costly.id]
    assert (found.last_24h, found.last_at) == (2, NOW)


def test_a_silence_that_costs_too_much_covers_nothing_and_is_counted(cast: Cast) -> None:
    match = {"any": [clause("title", "contains", "disk"), *[clause("metadata.l", "endsWith", "x")] * 49]}
    costly = silence(cast.workspace, match, comment="Every host")

    found = routed(cast.source, metadata={"l": [""] * 10_900})
    covered = routed(cast.source, key="other", metadata={"l": ["x"]})

    assert (found.disposition, found.routing["act"]) == ("opened", "trigger")
    assert found.routing["trace"][-1] == ('the silence costs too much for this event and cannot cover it: "Every host"')
    assert covered.routing["act"] == "trigger_silenced"
    assert rules.costly_stats([costly.id], NOW)[costly.id].last_24h == 1
