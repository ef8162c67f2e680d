"""An event opens, updates, reopens or resolves the incident of its fingerprint, in order, exactly once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
from redis import Redis
from rq import Queue

from inbox.domain import ids
from inbox.flow.routing.route import route
from inbox.models.events import queue as event_queue
from inbox.models.sql.base import db
from inbox.models.tables.change_feed import Change
from inbox.models.tables.events import Event, ReceivedEvent, shard_of
from inbox.models.tables.incidents import Incident, TimelineEntry
from inbox.models.tables.notices import Delivery, Notice
from inbox.models.tables.workspaces import Workspace
from inbox.queue import QueueName
from inbox.settings import Settings
from tests.cast import NOW, Cast, make_source, make_workspace, present
from tests.flow.routing_fixtures import (
    accept,
    decisions,
    event,
    incident,
    listen,
    notices,
    reasons,
    reported,
    routed,
    settle,
    timeline,
    waiting,
)

MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize("severity", ["WARNING", "ERROR", "CRITICAL"])
def test_an_event_that_breaks_opens_an_incident(cast: Cast, severity: str) -> None:
    pager = listen(cast.workspace)

    opening = routed(cast.source, severity=severity, type="disk", resource="host:db1", tags=["a", 'q"\\,{}'])

    opened = incident(opening.id)
    assert (opening.disposition, opened.state, opened.number, opened.event_count) == ("opened", "open", 1, 1)
    assert (opened.severity, opened.last_severity, opened.title) == (severity, severity, "Disk full")
    assert (opened.type, opened.resource, opened.tags, opened.dedup_key) == (
        "disk",
        "host:db1",
        ["a", 'q"\\,{}'],
        "disk",
    )
    assert opened.first_seen_at == opened.last_seen_at == opened.opened_at == NOW
    assert opened.workspace_id == cast.workspace.id
    assert reported(pager) == [("opened", "pending", None)]
    assert timeline(opened.id) == ["opened"]
    assert waiting() == 0


@pytest.mark.parametrize("severity", ["DEBUG", "INFO"])
def test_an_event_below_warning_is_only_logged(cast: Cast, severity: str) -> None:
    quiet = routed(cast.source, severity=severity)

    assert (quiet.disposition, quiet.incident_id) == ("logged", None)
    assert quiet.routing["trace"] == [f"default route: {severity} is logged only"]
    assert Incident.select().count() == Notice.select().count() == 0


def test_a_workspace_may_say_otherwise_what_a_severity_does(cast: Cast) -> None:
    Workspace.update(default_route={"dispositions": {"INFO": "incident", "CRITICAL": "log"}}).execute()

    assert routed(cast.source, severity="INFO").disposition == "opened"
    assert routed(cast.source, severity="CRITICAL", key="other").disposition == "logged"


def test_a_repeat_is_counted_and_not_notified(cast: Cast) -> None:
    first = routed(cast.source, severity="ERROR")
    repeated = routed(cast.source, NOW + MINUTE, severity="WARNING", title="Disk still full")

    existing = incident(first.id)
    assert (repeated.disposition, repeated.incident_id) == ("updated", existing.id)
    assert (existing.event_count, existing.severity, existing.last_severity) == (2, "ERROR", "WARNING")
    assert (existing.last_seen_at, existing.rev, existing.title) == (NOW + MINUTE, 2, "Disk full")
    assert reasons(existing.id) == ["opened"]
    assert timeline(existing.id) == ["opened"]


def test_a_repeat_after_a_quiet_while_is_notified(cast: Cast) -> None:
    first = routed(cast.source)
    routed(cast.source, NOW + 14 * MINUTE)
    last = routed(cast.source, NOW + 29 * MINUTE)

    existing = incident(first.id)
    assert reasons(existing.id) == ["opened", "reoccurred"]
    assert (last.routing["act"], last.routing["reason"]) == ("trigger", "reoccurred")
    assert timeline(existing.id) == ["opened", "reoccurred"]


@pytest.mark.parametrize(("opens_late", "stated"), [(True, ["opened"]), (False, ["opened", "reoccurred"])])
def test_repeats_that_waited_a_day_to_be_routed_are_notified_once_together(
    cast: Cast, opens_late: bool, stated: list[str]
) -> None:
    late = NOW + 25 * 60 * MINUTE
    first = accept(cast.source)
    if not opens_late:
        route(lambda: NOW)
    for hours in range(1, 25):
        accept(cast.source, NOW + hours * 60 * MINUTE)

    route(lambda: late)

    existing = incident(first)
    assert (existing.event_count, reasons(existing.id)) == (25, stated)
    routed(cast.source, late + MINUTE)
    assert reasons(existing.id) == [*stated, "reoccurred"]


def test_how_long_quiet_is_is_the_workspaces_choice(cast: Cast) -> None:
    settle(cast.workspace, reoccurQuietMinutes=2)
    first = routed(cast.source)
    routed(cast.source, NOW + 2 * MINUTE)

    assert reasons(incident(first.id).id) == ["opened", "reoccurred"]


@pytest.mark.parametrize("together", [False, True])
def test_with_a_quiet_while_of_zero_each_repeat_is_notified_together_or_one_by_one(
    cast: Cast, *, together: bool
) -> None:
    settle(cast.workspace, reoccurQuietMinutes=0)
    first = routed(cast.source)
    for second in range(1, 5):
        accept(cast.source, NOW + timedelta(seconds=second))
        if not together:
            route(lambda at=NOW + timedelta(seconds=second): at)  # type: ignore[misc]
    route(lambda: NOW + timedelta(seconds=4))

    assert reasons(incident(first.id).id) == ["opened", *["reoccurred"] * 4]


def test_a_higher_severity_escalates_and_a_lower_one_does_not_lower_it(cast: Cast) -> None:
    first = routed(cast.source, severity="WARNING")
    worse = routed(cast.source, NOW + MINUTE, severity="CRITICAL")
    routed(cast.source, NOW + 2 * MINUTE, severity="ERROR")

    existing = incident(first.id)
    assert (existing.severity, existing.last_severity) == ("CRITICAL", "ERROR")
    assert reasons(existing.id) == ["opened", "escalated"]
    assert worse.routing["act"] == "trigger_higher"
    assert TimelineEntry.get(TimelineEntry.kind == "escalated").details["escalation"] == {
        "kind": "severity",
        "from": "WARNING",
        "to": "CRITICAL",
    }


@pytest.mark.parametrize("state", ["acknowledged", "snoozed"])
def test_what_was_taken_stays_taken_until_it_gets_worse(cast: Cast, state: str) -> None:
    first = routed(cast.source, severity="ERROR")
    Incident.update(state=state, snoozed_until=NOW + 60 * MINUTE if state == "snoozed" else None).execute()

    routed(cast.source, NOW + 20 * MINUTE, severity="ERROR")
    assert incident(first.id).state == state
    assert reasons(incident(first.id).id) == ["opened"]

    routed(cast.source, NOW + 21 * MINUTE, severity="CRITICAL")
    worse = incident(first.id)
    assert (worse.state, worse.snoozed_until) == ("open", None)
    assert reasons(worse.id) == ["opened", "escalated"]


def test_while_silenced_events_are_counted_and_nothing_is_notified(cast: Cast) -> None:
    pager = listen(cast.workspace)
    first = routed(cast.source)
    Incident.update(state="silenced", state_before_silence="open", silenced_by=uuid4()).execute()

    routed(cast.source, NOW + 20 * MINUTE)
    routed(cast.source, NOW + 21 * MINUTE, severity="CRITICAL")

    silent = incident(first.id)
    assert (silent.state, silent.severity, silent.event_count) == ("silenced", "CRITICAL", 3)
    assert reasons(silent.id) == ["opened", "escalated"]
    assert reported(pager) == [("opened", "pending", None)]
    assert decisions(notices(silent.id)[1]) == {"Pager": f"silenced:{ids.encode('sil', silent.silenced_by)}"}


@pytest.mark.parametrize(
    "recovery", [{"action": "resolve"}, {"severity": "SUCCESS"}, {"severity": "CRITICAL", "action": "resolve"}]
)
@pytest.mark.parametrize("state", ["open", "acknowledged", "snoozed", "silenced"])
def test_a_recovery_resolves_whatever_is_unresolved(cast: Cast, state: str, recovery: dict[str, str]) -> None:
    pager = listen(cast.workspace)
    first = routed(cast.source, severity="ERROR")
    Incident.update(state=state).execute()

    end = routed(cast.source, NOW + MINUTE, **recovery)

    over = incident(first.id)
    assert (end.disposition, end.incident_id, over.state) == ("resolved", over.id, "resolved")
    assert over.resolved_at == NOW + MINUTE
    assert over.resolved_by == {"type": "event", "id": ids.encode("evt", end.id), "name": "Prometheus"}
    assert (over.severity, over.event_count) == ("ERROR", 2)
    assert [reason for reason, _, _ in reported(pager)] == ["opened", "resolved"]
    assert timeline(over.id) == ["opened", "resolved"]


def test_a_recovery_without_an_incident_changes_nothing(cast: Cast) -> None:
    end = routed(cast.source, action="resolve")

    assert (end.disposition, end.incident_id, end.routing["act"]) == ("unmatched", None, "recover")
    assert Incident.select().count() == Notice.select().count() == 0


def test_a_second_recovery_is_unmatched(cast: Cast) -> None:
    first = routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")
    before = incident(first.id)

    repeated = routed(cast.source, NOW + 2 * MINUTE, action="resolve")

    assert (repeated.disposition, repeated.incident_id) == ("unmatched", None)
    assert (incident(first.id).rev, incident(first.id).resolved_at) == (before.rev, before.resolved_at)


def test_a_success_without_a_dedup_key_is_logged(cast: Cast) -> None:
    routed(cast.source, key=None, by="title")
    success = routed(cast.source, NOW + MINUTE, key=None, by="title", severity="SUCCESS")

    assert success.disposition == "logged"
    assert Incident.get().state == "open"


def test_a_source_may_resolve_by_fingerprint(cast: Cast) -> None:
    source, _ = make_source(cast.workspace, "Uptime", resolve_by="fingerprint")
    routed(source, key=None, by="title")

    assert routed(source, NOW + MINUTE, key=None, by="title", severity="SUCCESS").disposition == "resolved"


def test_within_the_reopen_window_it_opens_again(cast: Cast) -> None:
    first = routed(cast.source, severity="CRITICAL")
    routed(cast.source, NOW + MINUTE, action="resolve")

    repeated = routed(cast.source, NOW + 61 * MINUTE, severity="WARNING")

    existing = incident(first.id)
    assert (repeated.disposition, repeated.incident_id) == ("opened", existing.id)
    assert (existing.state, existing.severity, existing.reopen_count, existing.resolved_at) == (
        "open",
        "WARNING",
        1,
        None,
    )
    assert (existing.first_seen_at, existing.opened_at) == (NOW, NOW + 61 * MINUTE)
    assert reasons(existing.id) == ["opened", "resolved", "reopened"]
    assert timeline(existing.id) == ["opened", "resolved", "reopened"]


def test_after_the_reopen_window_a_new_incident_follows_the_old_one(cast: Cast) -> None:
    first = routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")

    later = routed(cast.source, NOW + 62 * MINUTE)

    old, new = incident(first.id), incident(later.id)
    assert (old.state, new.state, new.number) == ("resolved", "open", 2)
    assert new.related_incident_id == old.id
    assert reasons(new.id) == ["opened"]


def test_of_several_resolved_the_one_resolved_last_is_opened_again(cast: Cast) -> None:
    first = routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")
    second = routed(cast.source, NOW + 120 * MINUTE)
    routed(cast.source, NOW + 121 * MINUTE, action="resolve")
    later = NOW + 130 * MINUTE
    Incident.update(resolved_at=later, last_seen_at=later).where(Incident.id == incident(first.id).id).execute()

    third = routed(cast.source, NOW + 140 * MINUTE)

    assert third.incident_id == incident(first.id).id != incident(second.id).id


def test_grouping_never_crosses_sources(cast: Cast) -> None:
    other, _ = make_source(cast.workspace, "Other")

    ours, foreign_one, foreign = (routed(source) for source in (cast.source, other, cast.foreign_source))

    assert len({ours.incident_id, foreign_one.incident_id, foreign.incident_id}) == 3
    assert incident(foreign.id).workspace_id == cast.foreign.id
    assert [incident(e.id).number for e in (ours, foreign_one, foreign)] == [1, 2, 1]


def test_one_batch_does_what_its_events_would_do_one_by_one(cast: Cast) -> None:
    pager = listen(cast.workspace)
    sent = [
        accept(cast.source, NOW + step * MINUTE, **fields)
        for step, fields in enumerate(
            [
                {"severity": "WARNING"},
                {"severity": "CRITICAL"},
                {"action": "resolve"},
                {"severity": "ERROR"},
                {"severity": "INFO"},
                {"action": "resolve"},
                {"action": "resolve"},
            ]
        )
    ]

    route(lambda: NOW + 10 * MINUTE)

    assert [event(id).disposition for id in sent] == [
        "opened",
        "updated",
        "resolved",
        "opened",
        "logged",
        "resolved",
        "unmatched",
    ]
    assert [reason for reason, _, _ in reported(pager)] == ["opened", "escalated", "resolved", "reopened", "resolved"]
    assert [notice.seq for notice in notices(incident(sent[0]).id)] == [1, 2, 3, 4, 5]
    assert timeline(incident(sent[0]).id) == ["opened", "escalated", "resolved", "reopened", "resolved"]
    assert Change.select().count() >= 1


def test_many_first_events_at_once_are_one_incident(cast: Cast) -> None:
    for _ in range(64):
        accept(cast.source)

    in_parallel(4)

    existing = Incident.get()
    assert (Incident.select().count(), existing.event_count) == (1, 64)
    assert reasons(existing.id) == ["opened"]


def test_events_of_a_key_are_applied_in_order_whoever_routes_them(cast: Cast) -> None:
    keys, rounds = 20, 60
    sources = [cast.source, *(make_source(cast.workspace, name)[0] for name in ("A", "B", "C"))]
    fed = threading.Event()

    def feed() -> None:
        with db.connection_context():
            for step in range(rounds):
                with db.atomic():
                    for key in range(keys):
                        action = "resolve" if step % 2 else "trigger"
                        accept(sources[key % 4], NOW, key=f"key-{key}", action=action)
        fed.set()

    feeder = threading.Thread(target=feed)
    feeder.start()
    in_parallel(4, until=fed)
    feeder.join()

    assert waiting() == 0
    assert Incident.select().count() == keys
    for existing in Incident.select():
        assert (existing.state, existing.event_count, existing.reopen_count) == ("resolved", rounds, rounds // 2 - 1)
        assert [notice.seq for notice in notices(existing.id)] == list(range(1, rounds + 1))
        flapping = ["reopened", "flapping", *["reopened", "resolved"] * (rounds // 2 - 3)]
        assert reasons(existing.id) == ["opened", "resolved", "reopened", "resolved", *flapping]
    assert {e.disposition for e in Event.select(Event.disposition)} == {"opened", "resolved"}


def in_parallel(workers: int, until: threading.Event | None = None) -> None:
    def work() -> None:
        with db.connection_context():
            is_over = False
            while route(present) or not is_over:
                is_over = until is None or until.is_set()  # what came before that is seen by one more look

    with ThreadPoolExecutor(workers) as pool:
        for future in [pool.submit(work) for _ in range(workers)]:
            future.result()


def test_each_event_says_how_it_was_decided(cast: Cast) -> None:
    opening = routed(cast.source)

    assert opening.routing == {
        "by": "default",
        "ruleId": None,
        "trace": ["default route: ERROR opens or updates an incident"],
        "disposition": "opened",
        "act": "trigger",
        "reason": "opened",
    }


def test_events_of_a_deleted_workspace_open_nothing(cast: Cast) -> None:
    Workspace.update(deleted_at=NOW).where(Workspace.id == cast.workspace.id).execute()

    assert routed(cast.source).disposition == "dropped"
    assert Incident.select().count() == 0


def test_an_event_that_is_gone_does_not_hold_up_the_queue(cast: Cast) -> None:
    gone = accept(cast.source)
    ReceivedEvent.delete().where(ReceivedEvent.id == gone).execute()
    after = accept(cast.source)

    route(lambda: NOW)

    assert event(after).disposition == "opened"
    assert waiting() == 0


def test_the_stream_and_the_senders_are_notified_after_the_commit(cast: Cast, settings: Settings) -> None:
    listen(cast.workspace)
    opening = routed(cast.source)

    reported = {(ref["type"], ref["op"], ref["id"]) for change in Change.select() for ref in change.refs}
    assert ("incident", "created", ids.encode("inc", opening.incident_id)) in reported
    assert ("event", "created", ids.encode("evt", opening.id)) in reported
    assert ("delivery", "created", ids.encode("dlv", Delivery.get().id)) in reported
    redis = Redis.from_url(settings.redis_url)
    assert Queue(QueueName.DELIVERY.value, connection=redis).count == 1
    redis.close()


def test_a_storm_of_events_is_notified_as_one_resync_a_workspace(cast: Cast) -> None:
    for number in range(150):
        accept(cast.source, key=f"key-{number}", severity="INFO")
    accept(cast.foreign_source, severity="INFO")

    route(lambda: NOW)

    reported = [(ref["type"], ref["to"]) for change in Change.select() for ref in change.refs]
    assert sorted(reported) == [
        ("event", ids.encode("wsp", cast.foreign.id)),
        ("resync", ids.encode("wsp", cast.workspace.id)),
    ]


def test_numbers_are_given_out_without_a_gap_by_several_workers(cast: Cast) -> None:
    others = [make_workspace(name) for name in ("One", "Two", "Three")]
    sources = [make_source(workspace, f"S{n}")[0] for workspace in others for n in range(4)]
    for source in sources * 20:
        accept(source, key=uuid4().hex)

    in_parallel(4)

    for workspace in others:
        numbers = sorted(i.number for i in Incident.select().where(Incident.workspace_id == workspace.id))
        assert numbers == list(range(1, 81))


def test_a_shard_in_other_hands_is_left_alone(cast: Cast) -> None:
    accept(cast.source)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with db.connection_context(), db.atomic():
            assert event_queue.lock_shard(shard_of(cast.source.id))
            held.set()
            done.wait(60)

    other = threading.Thread(target=hold)
    other.start()
    assert held.wait(60)
    assert route(lambda: NOW) == 0
    done.set()
    other.join()

    assert route(lambda: NOW) == 1
