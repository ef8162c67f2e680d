"""Routing traces: equal traces of a source are stored once, and each can be read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import peewee
import pytest

from inbox.flow.routing import evaluate
from inbox.flow.routing.evaluate import TraceCache
from inbox.flow.routing.route import route
from inbox.flow.upkeep.purge import purge
from inbox.flow.upkeep.purge_steps import TRACE_GRACE
from inbox.models.events.tables import RoutedEvent, RoutingTrace
from tests.cast import NOW, Cast, make_source
from tests.fault_triggers import row_trigger
from tests.flow.routing_fixtures import accept, event, routed
from tests.flow.rulemaking import clause, rule

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def process(monkeypatch: pytest.MonkeyPatch) -> TraceCache:
    """A process that has just begun."""
    made = TraceCache()
    monkeypatch.setattr(evaluate, "trace_cache", made)
    return made


def shared(event_ids: Sequence[UUID]) -> list[UUID | None]:
    """The records that these events share, None for each that keeps its own."""
    rows = {row.event_id: row for row in RoutedEvent.select().where(RoutedEvent.event_id.in_(list(event_ids)))}
    assert all((rows[id].trace is None) is (rows[id].trace_id is not None) for id in event_ids)
    return [rows[id].trace_id for id in event_ids]


def stored() -> int:
    return int(RoutingTrace.select().count())


def repeats(cast: Cast, many: int = 4, at: datetime = NOW) -> list[UUID]:
    """Events that are logged, each in its own batch."""
    return [routed(cast.source, at, severity="INFO", key=None).id for _ in range(many)]


def test_the_first_event_keeps_its_record_and_later_ones_share_an_equal_trace(cast: Cast) -> None:
    first, *more = repeats(cast)

    assert shared([first]) == [None]
    assert len(set(shared(more))) == 1 == stored()
    assert {repr(event(id).routing) for id in (first, *more)} == {repr(event(first).routing)}
    assert event(first).routing["trace"] == ["default route: INFO is logged only"]


def test_events_of_one_batch_share_a_trace_like_events_of_several(cast: Cast) -> None:
    waiting = [accept(cast.source, severity="INFO", key=None) for _ in range(3)]
    route(lambda: NOW)

    own, second, third = shared(waiting)
    assert own is None
    assert second == third is not None


def test_a_different_result_has_a_separate_trace(cast: Cast) -> None:
    opened, *updated = (routed(cast.source).id for _ in range(3))
    resolved = [routed(cast.source, action=action).id for action in ("resolve", "trigger", "resolve")]

    assert shared([opened, updated[0], resolved[0]]) == [None, None, None]
    assert shared(updated[1:]) != shared(resolved[2:])
    assert event(updated[1]).routing["disposition"] == "updated"
    assert event(resolved[2]).routing["disposition"] == "resolved"


def test_shared_routing_traces_keep_the_values_of_each_event(cast: Cast) -> None:
    rule(cast.workspace, clause("title", "startsWith", "Disk"), "log")
    titles = ["Disk full", "Disk slow"] * 3

    found = [routed(cast.source, title=title).id for title in titles]

    stated = [event(id).routing["rules"][0]["clauses"][0]["value"] for id in found]
    assert stated == titles
    assert stored() == 2


def test_each_source_has_separate_traces(cast: Cast) -> None:
    other, _ = make_source(cast.workspace, "Second")
    ours, foreign_one = ([routed(source, severity="INFO").id for _ in range(2)][1] for source in (cast.source, other))

    assert shared([ours]) != shared([foreign_one])
    assert sorted(row.source_id for row in RoutingTrace.select()) == sorted([cast.source.id, other.id])


def test_each_day_has_separate_traces_recognised_by_their_ids(cast: Cast) -> None:
    midnight = (NOW + DAY).replace(hour=0, minute=0, second=0, microsecond=0)
    moments = [midnight - timedelta(microseconds=1), midnight, midnight + DAY - timedelta(microseconds=1)]
    yesterday, today, still = (shared(repeats(cast, at=moment))[-1] for moment in moments)

    assert yesterday != today == still
    assert [_day(each) for each in (yesterday, today)] == [midnight - DAY, midnight]


def _day(id: UUID | None) -> datetime:
    assert id is not None
    return datetime.fromtimestamp((id.int >> 80) / 1000, UTC)


def test_a_batch_that_fails_leaves_no_event_without_its_record(cast: Cast) -> None:
    repeats(cast, 1)
    waiting = [accept(cast.source, severity="INFO", key=None) for _ in range(3)]
    with (
        row_trigger("RAISE EXCEPTION USING ERRCODE = '57P01'", table="event_queue", on="DELETE"),
        pytest.raises(peewee.OperationalError),
    ):
        route(lambda: NOW)
    assert stored() == 0

    route(lambda: NOW)

    assert {repr(event(id).routing) for id in waiting} == {repr(event(waiting[0]).routing)}
    assert event(waiting[0]).routing is not None


def test_a_failed_commit_leaves_no_trace_cached_as_stored(cast: Cast) -> None:
    """As after a failover to a server that had not got it yet."""
    repeats(cast)
    accept(cast.source, severity="INFO", key=None)
    with (
        row_trigger("RAISE EXCEPTION USING ERRCODE = '57P01'", table="event_queue", on="DELETE"),
        pytest.raises(peewee.OperationalError),
    ):
        route(lambda: NOW)
    RoutingTrace.delete().execute()

    found = repeats(cast)

    assert all(event(id).routing for id in found)
    assert stored() == 1


def test_another_process_shares_stored_traces(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = repeats(cast)
    monkeypatch.setattr(evaluate, "trace_cache", TraceCache())
    foreign_one = repeats(cast)

    assert shared(ours)[-1] == shared(foreign_one)[-1]
    assert stored() == 1


@pytest.mark.parametrize(("max_entries", "many"), [(1, 0), (2, 2)])
def test_a_full_cache_drops_the_trace_that_was_used_longest_ago(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, max_entries: int, many: int
) -> None:
    monkeypatch.setattr(evaluate, "trace_cache", TraceCache(max_entries))
    severities = ["INFO", "DEBUG"] * 3
    found = [routed(cast.source, severity=severity, key=None).id for severity in severities]

    assert stored() == many
    assert [event(id).routing["trace"] for id in found] == [
        [f"default route: {each} is logged only"] for each in severities
    ]


def test_traces_are_purged_two_days_after_their_events(cast: Cast) -> None:
    midnight = NOW.replace(hour=0, minute=0, second=0, microsecond=0)
    repeats(cast, at=midnight)
    gone = midnight + timedelta(days=90) + TRACE_GRACE

    purge(gone)
    assert stored() == 1
    assert RoutedEvent.select().count() == 0
    purge(gone + timedelta(milliseconds=1))
    assert stored() == 0


def test_a_shared_trace_of_the_end_of_a_day_is_kept_as_long_as_its_events(cast: Cast) -> None:
    """The last event of a day, received by a clock that is half a day ahead of the worker's."""
    night = NOW.replace(hour=23, minute=59, second=59, microsecond=999_000)
    found = [accept(cast.source, night + DAY / 2, severity="INFO", key=None) for _ in range(2)]
    route(lambda: night)

    purge(night + DAY / 2 + timedelta(days=90))

    assert shared(found)[1] is not None
    assert event(found[1]).routing["disposition"] == "logged"
