"""Matches of rules are counted once, and events carry the fields that rules read."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from inbox.database.base import db
from inbox.flow.routing.process_batch import process
from inbox.flow.routing.route import route
from inbox.flow.unit_of_work import work
from inbox.models.events import queue as event_queue
from inbox.models.events.queue import shard_of
from inbox.models.events.tables import Event
from inbox.models.incidents.tables import Incident
from inbox.models.routing.rules import RuleMatch
from inbox.models.senders.sources import Source
from tests.cast import NOW, Cast, make_source, present
from tests.flow.routing.route_rules_steps import (
    MINUTE,
)
from tests.flow.routing_fixtures import (
    accept,
    event,
    incident,
    reasons,
    routed,
)
from tests.flow.rulemaking import ANY, clause, matched, rule


def test_matches_are_counted_by_the_hour_in_which_events_came(cast: Cast) -> None:
    adds = rule(cast.workspace, ANY, None, continue_matching=True, add_tags=("x",))
    drops = rule(cast.workspace, clause("title", "eq", "Disk full"), "drop")
    for minute in (0, 1, 59, 60):
        accept(cast.source, NOW + minute * MINUTE)
    accept(cast.source, NOW, title="Other")
    accept(cast.foreign_source, NOW)

    route(lambda: NOW + 90 * MINUTE)

    assert (matched(adds), matched(drops)) == (5, 4)
    hours = {row.hour: (row.events, row.last_at) for row in RuleMatch.select().where(RuleMatch.rule_id == drops.id)}
    assert hours == {NOW: (3, NOW + 59 * MINUTE), NOW + 60 * MINUTE: (1, NOW + 60 * MINUTE)}


def test_a_new_rule_reads_fields_that_earlier_rules_did_not(cast: Cast) -> None:
    about: dict[str, Any] = {"body": "needle", "url": "https://x.example/1", "metadata": {"team": "db"}}
    rule(cast.workspace, clause("body", "contains", "hay"))
    assert routed(cast.source, **about).disposition == "opened"

    rule(cast.workspace, clause("metadata.team", "eq", "db"), "drop")

    assert routed(cast.source, **about).disposition == "dropped"


def test_event_details_are_loaded_only_for_workspaces_whose_rules_read_them(cast: Cast) -> None:
    source = make_source(cast.workspace, "Beside")[0]
    for each in (cast.source, cast.foreign_source, source):
        accept(each, body="text", url="https://x.example/1")
    needs = {cast.workspace.id: frozenset({"body"})}

    shards = sorted({shard_of(each.id) for each in (cast.source, cast.foreign_source, source)})
    events = [event for shard in shards for event in event_queue.fetch(shard, 10, needs=needs)[0]]

    expected = {cast.workspace.id: ("text", None), cast.foreign.id: (None, None)}
    assert [(event.body, event.url) for event in events] == [expected[event.workspace_id] for event in events]
    assert len(events) == 3
    assert {event.workspace_id: event.read for event in events} == {**needs, cast.foreign.id: frozenset()}


def test_a_batch_that_fails_before_its_commit_counts_no_match_twice(cast: Cast) -> None:
    made = rule(cast.workspace)
    accept(cast.source)

    class Crash(Exception):
        pass

    with suppress(Crash), work() as done:
        events, _ = event_queue.fetch(shard_of(cast.source.id), 10)
        process(events, NOW, done)
        raise Crash
    assert matched(made) == 0
    route(lambda: NOW)
    route(lambda: NOW)

    assert (matched(made), incident(Event.get().id).event_count) == (1, 1)


def test_several_workers_count_every_match_once(cast: Cast) -> None:
    made = rule(cast.workspace, clause("title", "startsWith", "Disk"))
    sources = [cast.source, *(make_source(cast.workspace, f"S{number}")[0] for number in range(7))]
    for number in range(400):
        accept(sources[number % 8], key=f"k{number % 40}")

    def drain() -> None:
        with db.connection_context():
            while route(present):
                pass

    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(drain) for _ in range(4)]:
            future.result()

    assert matched(made) == 400
    assert sum(existing.event_count for existing in Incident.select()) == 400
    assert {existing.rule_id for existing in Incident.select()} == {made.id}


def test_rules_of_one_workspace_do_not_apply_in_another(cast: Cast) -> None:
    rule(cast.workspace, ANY, "drop")
    accept(cast.source)
    foreign = accept(cast.foreign_source)

    route(lambda: NOW)

    assert event(foreign).disposition == "opened"
    assert Source.select().count() == 2


def test_a_batch_with_rules_gives_the_results_of_its_events_one_by_one(cast: Cast) -> None:
    rule(cast.workspace, clause("tags", "contains", "noise"), "log")
    rule(cast.workspace, clause("title", "startsWith", "Disk"), group_by=("resource",), open_after=(2, 10))
    sent: list[dict[str, Any]] = [
        {"key": "a", "resource": "host:1"},
        {"key": "b", "resource": "host:1", "tags": ["noise"]},
        {"key": "b", "resource": "host:1"},
        {"key": "c", "resource": "host:1", "severity": "CRITICAL"},
        {"key": "a", "resource": "host:1", "action": "resolve"},
        {"key": "a", "resource": "host:2"},
        {"key": "d", "title": "Other"},
    ]
    together = [accept(cast.source, NOW + n * MINUTE, **about) for n, about in enumerate(sent)]
    route(lambda: NOW + 10 * MINUTE)
    other, _ = make_source(cast.workspace, "Other")
    alone = [routed(other, NOW + n * MINUTE, **about).id for n, about in enumerate(sent)]

    outcome = [event(id).disposition for id in together]
    assert outcome == ["waiting", "logged", "opened", "updated", "updated", "waiting", "opened"]
    assert [event(id).disposition for id in alone] == outcome
    first, second = incident(together[2]), incident(alone[2])
    assert (first.event_count, first.severity, first.state) == (second.event_count, second.severity, second.state)
    assert reasons(first.id) == reasons(second.id)
