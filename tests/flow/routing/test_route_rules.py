"""What rules make of events: who decides, every outcome, who is told, and how it is written down.

Specification 6.2.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.severity import Severity
from inbox.flow.routing.process_batch import process
from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.flow.unit_of_work import work
from inbox.models import routing_config
from inbox.models.events import queue as event_queue
from inbox.models.sql.base import db
from inbox.models.tables.events import Event, shard_of
from inbox.models.tables.incidents import Incident
from inbox.models.tables.notices import Notice
from inbox.models.tables.rules import Rule, RuleMatch
from inbox.models.tables.sources import Source
from inbox.models.tables.workspaces import Workspace
from inbox.models.timers import Timer
from tests.cast import NOW, Cast, make_source, present, typeid
from tests.flow.routing_fixtures import (
    accept,
    bodies,
    decisions,
    event,
    incident,
    listen,
    notices,
    reasons,
    reported,
    routed,
    timeline,
    waiting,
)
from tests.flow.rulemaking import ANY, clause, matched, profile, rule

MINUTE = timedelta(minutes=1)


def test_the_first_rule_that_matches_decides(cast: Cast) -> None:
    rule(cast.workspace, clause("title", "contains", "network"), "drop")
    second = rule(cast.workspace, clause("title", "contains", "DISK"), "log", name="Disks")
    rule(cast.workspace, ANY, "incident")

    logged = routed(cast.source, severity="CRITICAL")

    assert (logged.disposition, logged.incident_id) == ("logged", None)
    assert (logged.routing["by"], logged.routing["ruleId"]) == ("rule", typeid("rul", second.id))
    assert logged.routing["trace"] == ['rule "Disks" logs the event only']
    assert [(stated["name"], stated["clauses"]) for stated in logged.routing["rules"]] == [
        ("Disks", [{"clause": 'title contains "DISK"', "matched": True, "value": "Disk full"}])
    ]
    assert routed(cast.source, title="Network down", key="net").disposition == "dropped"


def test_what_no_rule_matches_goes_by_the_default_route(cast: Cast) -> None:
    rule(cast.workspace, clause("title", "contains", "network"), "drop")

    opened = routed(cast.source)

    assert (opened.disposition, opened.routing["by"], opened.routing["ruleId"]) == ("opened", "default", None)
    assert "rules" not in opened.routing


def test_a_rule_opens_incidents_of_what_the_default_route_only_logs(cast: Cast) -> None:
    made = rule(cast.workspace, severity=Severity.CRITICAL, add_tags=("paging", "db"))

    opened = routed(cast.source, severity="INFO", tags=["db", "prod"])

    existing = incident(opened.id)
    assert (existing.severity, existing.last_severity, existing.rule_id) == ("CRITICAL", "CRITICAL", made.id)
    assert existing.tags == ["db", "prod", "paging"]
    assert event(opened.id).severity == "INFO"
    assert 'rule "Rule" changed the severity from INFO to CRITICAL' in opened.routing["trace"]


def test_a_dropped_event_is_kept_as_a_record_and_notified_to_nobody(cast: Cast) -> None:
    pager = listen(cast.workspace)
    rule(cast.workspace, ANY, "drop")

    dropped = routed(cast.source, severity="CRITICAL")

    assert (dropped.disposition, waiting()) == ("dropped", 0)
    assert reported(pager) == []
    assert Incident.select().count() == Notice.select().count() == 0


def test_a_rule_may_notify_without_an_incident(cast: Cast) -> None:
    operator, chat = listen(cast.workspace, "Desk"), listen(cast.workspace, "Chat", routed=False)
    rule(cast.workspace, ANY, "notify", destination_ids=(chat.id,))

    stated = routed(cast.source, severity="INFO", resource="host:db1")

    assert (stated.disposition, stated.incident_id, stated.routing["reason"]) == ("notified", None, "informational")
    assert (reported(chat), reported(operator)) == ([("informational", "pending", None)], [])
    [notice] = Notice.select()
    assert (notice.incident_id, notice.event_id) == (None, stated.id)
    [body] = bodies(None)  # type: ignore[arg-type]
    assert (body["type"], body["data"]["incidentId"]) == ("incident.informational", "")
    assert (body["data"]["eventId"], body["data"]["resource"]) == (typeid("evt", stated.id), "host:db1")
    assert Incident.select().count() == 0


def test_what_is_notified_without_an_incident_goes_to_the_default_route_where_the_rule_names_nobody(cast: Cast) -> None:
    operator = listen(cast.workspace, "Desk")
    rule(cast.workspace, ANY, "notify")

    routed(cast.source, severity="DEBUG")

    assert reported(operator) == [("informational", "pending", None)]


def test_a_rule_names_who_is_notified_in_place_of_the_default_route(cast: Cast) -> None:
    operator, chat = listen(cast.workspace, "Desk"), listen(cast.workspace, "Chat", routed=False)
    rule(cast.workspace, destination_ids=(chat.id,))

    opened = routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")

    assert incident(opened.id).destination_ids == [chat.id]
    assert [reason for reason, _, _ in reported(chat)] == ["opened", "resolved"]
    assert reported(operator) == []


def test_a_rule_that_lets_others_go_on_adds_to_what_they_say(cast: Cast) -> None:
    operator, chat = listen(cast.workspace, "Desk"), listen(cast.workspace, "Chat", routed=False)
    adds = rule(
        cast.workspace, ANY, None, continue_matching=True, destination_ids=(chat.id,), add_tags=("seen",), name="Adds"
    )

    opened = routed(cast.source)

    existing = incident(opened.id)
    assert (opened.routing["by"], existing.rule_id, existing.tags) == ("default", None, ["seen"])
    assert set(decisions(notices(existing.id)[0])) == {"Desk", "Chat"}
    assert [stated["ruleId"] for stated in opened.routing["rules"]] == [typeid("rul", adds.id)]
    assert reported(operator) == reported(chat) == [("opened", "pending", None)]


def test_a_rule_names_a_profile(cast: Cast) -> None:
    listen(cast.workspace, "Desk")
    night = listen(cast.workspace, "Night", routed=False)
    made = profile(cast.workspace, night)
    rule(cast.workspace, routing_profile_id=made.id)

    opened = routed(cast.source)

    assert incident(opened.id).routing_profile_id == made.id
    assert reported(night) == [("opened", "pending", None)]


def test_the_sources_profile_comes_before_the_default_route(cast: Cast) -> None:
    operator = listen(cast.workspace, "Desk")
    night = listen(cast.workspace, "Night", routed=False)
    made = profile(cast.workspace, night)
    source, _ = make_source(cast.workspace, "Nightly", routing_profile_id=made.id)

    opened = routed(source)

    assert (opened.routing["by"], incident(opened.id).routing_profile_id) == ("profile", made.id)
    assert (reported(night), reported(operator)) == ([("opened", "pending", None)], [])


def test_the_default_route_may_have_a_profile(cast: Cast) -> None:
    night = listen(cast.workspace, "Night", routed=False)
    made = profile(cast.workspace, night)
    Workspace.update(default_route={"routingProfileId": str(made.id)}).where(
        Workspace.id == cast.workspace.id
    ).execute()
    routing_config.bump_revision(cast.workspace.id)

    opened = routed(cast.source)

    assert (opened.routing["by"], incident(opened.id).routing_profile_id) == ("default", made.id)
    assert reported(night) == [("opened", "pending", None)]


def test_the_profiles_reopen_window_holds_for_its_incidents(cast: Cast) -> None:
    made = profile(cast.workspace, listen(cast.workspace, routed=False), reopen_window_minutes=5)
    rule(cast.workspace, routing_profile_id=made.id)
    first = routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")

    assert routed(cast.source, NOW + 6 * MINUTE).incident_id == first.incident_id
    routed(cast.source, NOW + 7 * MINUTE, action="resolve")
    assert routed(cast.source, NOW + 13 * MINUTE).incident_id != first.incident_id


def test_an_incident_that_opens_again_is_notified_as_it_is_routed_then(cast: Cast) -> None:
    operator, chat = listen(cast.workspace, "Desk"), listen(cast.workspace, "Chat", routed=False)
    first = routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")
    made = rule(cast.workspace, destination_ids=(chat.id,))

    repeated = routed(cast.source, NOW + 2 * MINUTE)

    existing = incident(first.id)
    assert (repeated.incident_id, existing.rule_id, existing.destination_ids) == (existing.id, made.id, [chat.id])
    assert ([reason for reason, _, _ in reported(operator)], [reason for reason, _, _ in reported(chat)]) == (
        ["opened", "resolved"],
        ["reopened"],
    )


def test_a_repeat_does_not_change_how_an_unresolved_incident_is_routed(cast: Cast) -> None:
    first = routed(cast.source)
    chat = listen(cast.workspace, "Chat", routed=False)
    rule(cast.workspace, destination_ids=(chat.id,))

    routed(cast.source, NOW + 20 * MINUTE)

    assert (incident(first.id).rule_id, incident(first.id).destination_ids) == (None, [])
    assert reported(chat) == []


def test_a_rule_may_group_otherwise_while_events_keep_their_own_fingerprint(cast: Cast) -> None:
    rule(cast.workspace, group_by=("resource",))

    one = routed(cast.source, key="cpu", resource="host:db1")
    two = routed(cast.source, NOW + MINUTE, key="disk", resource="host:db1")
    other = routed(cast.source, NOW + 2 * MINUTE, key="disk", resource="host:db2")
    bare = routed(cast.source, NOW + 3 * MINUTE, key="cpu")

    assert (one.incident_id, two.disposition) == (two.incident_id, "updated")
    assert len({one.incident_id, other.incident_id, bare.incident_id}) == 3
    assert incident(one.id).fingerprint not in {one.fingerprint, two.fingerprint}
    assert incident(bare.id).fingerprint == bare.fingerprint


@pytest.mark.parametrize("field", ["url", "metadata.labels.team"])
def test_what_a_rule_groups_by_is_loaded_for_it(cast: Cast, field: str) -> None:
    rule(cast.workspace, group_by=(field,))
    about: dict[str, Any] = {"url": "https://x.example/1", "metadata": {"labels": {"team": "db"}}}

    first, second = routed(cast.source, key="a", **about), routed(cast.source, NOW + MINUTE, key="b", **about)

    assert first.incident_id == second.incident_id


@pytest.mark.parametrize(
    ("match", "about"),
    [
        (clause("body", "contains", "needle"), {"body": "hay\nneedle\nhay"}),
        (clause("metadata.labels.team", "eq", "db"), {"metadata": {"labels": {"team": "db"}}}),
        (clause("url", "startsWith", "https://x."), {"url": "https://x.example/1"}),
        (clause("externalId", "eq", "T-1"), {"external_id": "T-1"}),
        (clause("tags", "contains", "prod"), {"tags": ["prod"]}),
        (clause("source", "eq", "prometheus"), {}),
        (clause("severity", "gte", "error"), {}),
        (clause("resource.kind", "eq", "host"), {"resource": "host:db1"}),
        (clause("dedupKey", "eq", "disk"), {}),
    ],
)
def test_a_rule_sees_every_field_of_an_event(cast: Cast, match: Any, about: dict[str, Any]) -> None:
    rule(cast.workspace, match, "drop")

    assert routed(cast.source, **about).disposition == "dropped"
    assert routed(cast.foreign_source, **about).disposition == "opened"


def test_a_rule_that_is_put_off_opens_snoozed_and_quietly(cast: Cast) -> None:
    pager = listen(cast.workspace)
    rule(cast.workspace, snooze=timedelta(minutes=10))

    opened = routed(cast.source)

    existing = incident(opened.id)
    assert (opened.disposition, opened.routing["act"], opened.routing["reason"]) == ("opened", "trigger_snoozed", None)
    assert (existing.state, existing.snoozed_until) == ("snoozed", NOW + 10 * MINUTE)
    assert (reported(pager), timeline(existing.id)) == ([], ["opened"])
    timers = {timer.kind: timer.due_at for timer in Timer.select().where(Timer.subject_id == existing.id)}
    assert timers["incident.snooze_end"] == NOW + 10 * MINUTE


@pytest.mark.parametrize("is_over", [False, True])
def test_what_was_put_off_is_notified_at_its_end_if_it_is_still_unresolved(cast: Cast, is_over: bool) -> None:
    pager = listen(cast.workspace)
    rule(cast.workspace, snooze=timedelta(minutes=10))
    opened = routed(cast.source)
    if is_over:
        routed(cast.source, NOW + MINUTE, action="resolve")

    run_due(lambda: NOW + 10 * MINUTE)

    assert incident(opened.id).state == ("resolved" if is_over else "open")
    assert reported(pager) == ([] if is_over else [("snooze_expired", "pending", None)])


def test_a_rule_holds_only_for_its_sources_and_in_its_hours(cast: Cast) -> None:
    other, _ = make_source(cast.workspace, "Other")
    saturdays = {"timezone": "UTC", "windows": [{"days": ["sat"], "start": "08:00", "end": "10:00"}]}
    rule(cast.workspace, ANY, "drop", source_ids=(cast.source.id,), active_during=saturdays)

    assert routed(cast.source).disposition == "dropped"
    assert routed(other).disposition == "opened"
    assert routed(cast.source, NOW + 60 * MINUTE).disposition == "opened"


def test_hours_are_those_in_which_an_event_was_received_however_late_it_is_routed(cast: Cast) -> None:
    saturdays = {"timezone": "UTC", "windows": [{"days": ["sat"], "start": "08:00", "end": "10:00"}]}
    rule(cast.workspace, ANY, "drop", active_during=saturdays)
    late = accept(cast.source, NOW)

    route(lambda: NOW + timedelta(hours=5))

    assert event(late).disposition == "dropped"


def test_a_rule_that_changes_holds_from_the_next_batch_on(cast: Cast) -> None:
    made = rule(cast.workspace, ANY, "drop")
    assert routed(cast.source).disposition == "dropped"

    Rule.update(enabled=False).where(Rule.id == made.id).execute()
    routing_config.bump_revision(cast.workspace.id)

    assert routed(cast.source, NOW + MINUTE).disposition == "opened"


def test_a_stored_rule_that_is_broken_does_not_stop_routing_and_is_shown(cast: Cast) -> None:
    broken = rule(cast.workspace, {"field": "nonsense", "op": "eq", "value": 1}, "drop", name="Broken")
    rule(cast.workspace, ANY, "log", name="Sound")

    logged = routed(cast.source)

    assert logged.disposition == "logged"
    stated = {each["name"]: each for each in logged.routing["rules"]}
    assert stated["Broken"]["ruleId"] == typeid("rul", broken.id)
    assert "BadMatch" in stated["Broken"]["error"]
    assert stated["Sound"]["decided"]
    assert matched(broken) == 0


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


def test_what_a_rule_of_yesterday_did_not_look_at_is_read_for_a_rule_of_today(cast: Cast) -> None:
    about: dict[str, Any] = {"body": "needle", "url": "https://x.example/1", "metadata": {"team": "db"}}
    rule(cast.workspace, clause("body", "contains", "hay"))
    assert routed(cast.source, **about).disposition == "opened"

    rule(cast.workspace, clause("metadata.team", "eq", "db"), "drop")

    assert routed(cast.source, **about).disposition == "dropped"


def test_details_are_read_with_the_events_of_those_who_look_at_them(cast: Cast) -> None:
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


def test_what_fails_before_its_commit_counts_nothing_twice(cast: Cast) -> None:
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


def test_rules_of_one_workspace_say_nothing_in_another(cast: Cast) -> None:
    rule(cast.workspace, ANY, "drop")
    accept(cast.source)
    foreign = accept(cast.foreign_source)

    route(lambda: NOW)

    assert event(foreign).disposition == "opened"
    assert Source.select().count() == 2


def test_a_batch_does_with_rules_what_its_events_would_do_one_by_one(cast: Cast) -> None:
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
    assert outcome == ["waiting", "logged", "opened", "updated", "resolved", "waiting", "opened"]
    assert [event(id).disposition for id in alone] == outcome
    first, second = incident(together[2]), incident(alone[2])
    assert (first.event_count, first.severity, first.state) == (second.event_count, second.severity, second.state)
    assert reasons(first.id) == reasons(second.id)
