"""A rule with `openAfter` counts events of one fingerprint within its time before it opens (specification 6.5)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta

import pytest

from inbox.database.base import db
from inbox.flow.routing.process_batch import process
from inbox.flow.routing.route import route
from inbox.flow.unit_of_work import work
from inbox.flow.upkeep.purge import purge
from inbox.live.feed import RESYNC_THRESHOLD, Change
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import shard_of
from inbox.models.events.tables import Event, EventQueueRow
from inbox.models.incidents.tables import Incident
from inbox.models.routing.rules import OpenAfterCounter
from tests.cast import NOW, Cast, make_source, present
from tests.database.stored import wait
from tests.flow.routing_fixtures import accept, event, incident, listen, reported, routed
from tests.flow.rulemaking import ANY, clause, held_back, rule

MINUTE = timedelta(minutes=1)


def dispositions(ids: list[object]) -> list[str]:
    return [event(id).disposition for id in ids]  # type: ignore[arg-type]


def test_the_third_of_three_events_opens_the_incident(cast: Cast) -> None:
    pager = listen(cast.workspace)
    made = rule(cast.workspace, open_after=(3, 10))

    first = routed(cast.source)
    second = routed(cast.source, NOW + MINUTE)
    assert (held_back(), reported(pager)) == ({made.id: 2}, [])
    third = routed(cast.source, NOW + 2 * MINUTE)

    assert [each.disposition for each in (first, second, third)] == ["waiting", "waiting", "opened"]
    assert (
        second.routing["trace"][-1]
        == 'event 2 of 3 within 10 minutes. No incident yet: rule "Rule" opens one at the third'
    )
    assert third.routing["trace"][-1] == "event 3 of 3 within 10 minutes"
    existing = incident(third.id)
    assert (existing.event_count, existing.first_seen_at, existing.opened_at) == (3, NOW, NOW + 2 * MINUTE)
    assert [event(each.id).incident_id for each in (first, second)] == [existing.id, existing.id]
    assert reported(pager) == [("opened", "pending", None)]
    assert held_back() == {}


def test_each_event_that_was_held_back_is_published_with_its_incident(cast: Cast) -> None:
    many = RESYNC_THRESHOLD + 1
    rule(cast.workspace, open_after=(many + 1, 10))
    for _ in range(many):
        accept(cast.source)
    route(lambda: NOW)
    Change.delete().execute()

    routed(cast.source, NOW + MINUTE)

    (reference,) = [each for change in Change.select() for each in change.refs]
    assert (reference["type"], "event" in reference["types"]) == ("resync", True)


@pytest.mark.parametrize(("minutes", "disposition"), [(9.9, "opened"), (10, "opened"), (10.1, "waiting")])
def test_open_after_counts_only_events_within_its_period(cast: Cast, minutes: float, disposition: str) -> None:
    rule(cast.workspace, open_after=(3, 10))
    routed(cast.source)
    routed(cast.source, NOW + MINUTE)

    assert routed(cast.source, NOW + minutes * MINUTE).disposition == disposition


def test_an_event_received_earlier_and_routed_later_joins_the_incident_it_opens(cast: Cast) -> None:
    rule(cast.workspace, open_after=(2, 10))
    earlier = accept(cast.source, NOW)
    EventQueueRow.delete().where(EventQueueRow.event_id == earlier).execute()  # it is committed later
    later = routed(cast.source, NOW + MINUTE)
    wait(cast.workspace.id, earlier, cast.source.id)
    route(lambda: NOW + MINUTE)

    opened = event(earlier).incident_id
    assert (opened is not None, event(later.id).incident_id) == (True, opened)


def test_open_after_counts_by_receipt_times_within_one_batch(cast: Cast) -> None:
    rule(cast.workspace, open_after=(2, 10))
    sent = [accept(cast.source, NOW + minute * MINUTE) for minute in (0, 11, 30, 35, 36)]

    route(lambda: NOW + 60 * MINUTE)

    assert dispositions(sent) == ["waiting", "waiting", "waiting", "opened", "updated"]


def test_open_after_of_one_event_opens_at_once(cast: Cast) -> None:
    rule(cast.workspace, open_after=(1, 10))
    assert routed(cast.source).disposition == "opened"
    assert held_back() == {}


def test_each_fingerprint_and_each_rule_counts_for_itself(cast: Cast) -> None:
    rule(cast.workspace, clause("severity", "eq", "CRITICAL"), open_after=(2, 10))
    rule(cast.workspace, ANY, open_after=(2, 10))

    assert routed(cast.source, key="a").disposition == "waiting"
    assert routed(cast.source, key="b").disposition == "waiting"
    assert routed(cast.source, key="a", severity="CRITICAL").disposition == "waiting"
    assert routed(cast.source, key="a").disposition == "opened"
    assert routed(cast.source, key="a", severity="CRITICAL").disposition == "updated"


def test_an_unresolved_incident_takes_the_event_at_once(cast: Cast) -> None:
    first = routed(cast.source, severity="WARNING")
    rule(cast.workspace, open_after=(3, 10))

    repeated = routed(cast.source, NOW + MINUTE, severity="CRITICAL")

    assert (repeated.disposition, repeated.incident_id) == ("updated", first.incident_id)
    assert incident(first.id).severity == "CRITICAL"
    assert held_back() == {}


def test_events_after_a_resolved_incident_are_counted_again(cast: Cast) -> None:
    rule(cast.workspace, open_after=(2, 10))
    routed(cast.source)
    opened = routed(cast.source, NOW + MINUTE)
    routed(cast.source, NOW + 2 * MINUTE, action="resolve")

    assert routed(cast.source, NOW + 3 * MINUTE).disposition == "waiting"
    repeated = routed(cast.source, NOW + 4 * MINUTE)
    assert (repeated.disposition, repeated.incident_id) == ("opened", opened.incident_id)


def test_a_recovery_is_not_held_back(cast: Cast) -> None:
    first = routed(cast.source)
    rule(cast.workspace, open_after=(3, 10))

    assert routed(cast.source, NOW + MINUTE, action="resolve").disposition == "resolved"
    assert routed(cast.source, NOW + 2 * MINUTE, action="resolve").disposition == "unmatched"
    assert (incident(first.id).state, held_back()) == ("resolved", {})


def test_events_counted_by_open_after_belong_to_the_incident_across_batches(cast: Cast) -> None:
    rule(cast.workspace, open_after=(4, 10))
    early = [accept(cast.source, NOW + minute * MINUTE) for minute in (-20, 0)]
    route(lambda: NOW)
    late = [accept(cast.source, NOW + minute * MINUTE) for minute in (1, 2, 3, 4)]
    route(lambda: NOW + 4 * MINUTE)

    existing = incident(late[-1])
    assert dispositions([*early, *late]) == ["waiting"] * 4 + ["opened", "updated"]
    assert [event(each).incident_id for each in (*early, *late)] == [None, *[existing.id] * 5]
    assert (existing.event_count, existing.first_seen_at) == (5, NOW)


def test_events_counted_by_open_after_belong_to_the_reopened_incident(cast: Cast) -> None:
    first = routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")
    rule(cast.workspace, open_after=(2, 10))

    held = routed(cast.source, NOW + 2 * MINUTE)
    routed(cast.source, NOW + 3 * MINUTE)

    assert event(held.id).incident_id == first.incident_id
    assert incident(first.id).event_count == 4


def test_a_recovery_of_the_key_ends_the_wait_and_says_so(cast: Cast) -> None:
    rule(cast.workspace, open_after=(3, 10))
    held = [routed(cast.source, NOW + second * MINUTE) for second in (0, 1)]
    routed(cast.source, NOW + 1 * MINUTE, key="other")

    end = routed(cast.source, NOW + 2 * MINUTE, action="resolve")
    after = [routed(cast.source, NOW + minute * MINUTE) for minute in (3, 4, 5)]

    assert end.disposition == "unmatched"
    assert (
        end.routing["trace"][-1]
        == "the recovery resets the count of rules that wait for more events (2 counted so far)"
    )
    assert [each.disposition for each in after] == ["waiting", "waiting", "opened"]
    assert incident(after[-1].id).event_count == 3
    assert {event(each.id).incident_id for each in held} == {None}


def test_a_recovery_in_the_same_batch_ends_the_wait(cast: Cast) -> None:
    made = rule(cast.workspace, open_after=(2, 10))
    sent = [
        accept(cast.source),
        accept(cast.source, NOW + MINUTE, action="resolve"),
        accept(cast.source, NOW + 2 * MINUTE),
    ]

    route(lambda: NOW + 2 * MINUTE)

    assert dispositions(list(sent)) == ["waiting", "unmatched", "waiting"]
    assert held_back() == {made.id: 1}


def test_a_recovery_of_a_group_resets_its_open_after_count(cast: Cast) -> None:
    rule(cast.workspace, open_after=(2, 10), group_by=("resource",))
    routed(cast.source, key="cpu", resource="host:db1")

    routed(cast.source, NOW + MINUTE, key="disk", resource="host:db1", action="resolve")

    assert held_back() == {}


def test_an_event_counted_without_its_id_stays_without_an_incident(cast: Cast) -> None:
    rule(cast.workspace, open_after=(2, 10))
    held = routed(cast.source)
    OpenAfterCounter.update(event_ids=[]).execute()

    opened = routed(cast.source, NOW + MINUTE)

    assert (opened.disposition, incident(opened.id).event_count) == ("opened", 2)
    assert event(held.id).incident_id is None


def test_open_after_counts_the_events_of_a_group_together(cast: Cast) -> None:
    rule(cast.workspace, open_after=(2, 10), group_by=("resource",))

    assert routed(cast.source, key="cpu", resource="host:db1").disposition == "waiting"
    assert routed(cast.source, key="disk", resource="host:db1").disposition == "opened"


def test_a_batch_that_fails_before_its_commit_is_not_counted_twice(cast: Cast) -> None:
    made = rule(cast.workspace, open_after=(3, 10))
    accept(cast.source)

    class Crash(Exception):
        pass

    for _ in range(3):
        with suppress(Crash), work() as done:
            events, _ = event_queue.fetch(shard_of(cast.source.id), 10)
            process(events, NOW, done)
            raise Crash
    route(lambda: NOW)

    assert held_back() == {made.id: 1}
    assert Event.get().disposition == "waiting"


def test_several_workers_hold_back_exactly_as_many_as_one_would(cast: Cast) -> None:
    rule(cast.workspace, open_after=(10, 1440))
    sources = [cast.source, *(make_source(cast.workspace, f"S{number}")[0] for number in range(7))]
    at = present()
    for number in range(800):
        accept(sources[number % 8], at, key=f"k{number // 8 % 5}")

    def drain() -> None:
        with db.connection_context():
            while route(present):
                pass

    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(drain) for _ in range(4)]:
            future.result()

    assert Event.select().where(Event.disposition == "waiting").count() == 40 * 9
    assert Incident.select().count() == 40
    assert {existing.event_count for existing in Incident.select()} == {20}
    assert Event.select().where(Event.incident_id.is_null()).count() == 0
    assert held_back() == {}


def test_an_open_after_counter_older_than_any_period_is_removed(cast: Cast) -> None:
    rule(cast.workspace, open_after=(3, 1440))
    routed(cast.source, key="old")
    routed(cast.source, NOW + timedelta(hours=2), key="young")

    purge(NOW + timedelta(hours=25))

    assert [row.last_at for row in OpenAfterCounter.select()] == [NOW + timedelta(hours=2)]
