"""Late, down and recovered monitors: pings and deadlines become incidents through routing (specification 18.4)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import peewee
import pytest

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.domain.values.refusals import Unauthenticated
from inbox.flow.heartbeats.availability import report
from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.models.events.tables import ReceivedEvent
from inbox.models.heartbeats import availability
from inbox.models.heartbeats.availability import OUTAGE
from inbox.models.heartbeats.monitors import dedup_key
from inbox.models.heartbeats.tables import HeartbeatFlip, HeartbeatMonitor, HeartbeatPing
from inbox.models.incidents.tables import Incident
from inbox.services.heartbeats import monitors as heartbeats
from inbox.services.senders import sources
from inbox.services.workspaces.deletion import close_workspace
from tests.cast import NOW, Cast, make_workspace
from tests.flow.routing_fixtures import listen, reported
from tests.heartbeats import end_reports, make_monitor, next_check, ping, reread

MINUTE = timedelta(minutes=1)


def at(minutes: float) -> datetime:
    return NOW + minutes * MINUTE


def pass_time(minutes: float) -> None:
    """Run what is due at this time, then route what came of it."""
    run_due(lambda: at(minutes))
    route(lambda: at(minutes))


def stay_alive(minutes: float) -> None:
    """Processes reported until this time, without a gap."""
    availability.report(at(minutes))
    end_reports()


def incident_of(monitor: HeartbeatMonitor) -> Incident | None:
    found: Incident | None = Incident.get_or_none(Incident.dedup_key == dedup_key(monitor.id))
    return found


def flips(monitor: HeartbeatMonitor) -> list[tuple[str, str, str]]:
    rows = HeartbeatFlip.select().where(HeartbeatFlip.monitor_id == monitor.id).order_by(HeartbeatFlip.id)
    return [(row.from_status, row.to_status, row.cause) for row in rows]


def events() -> list[tuple[str, str, str]]:
    rows = ReceivedEvent.select().order_by(ReceivedEvent.received_at, ReceivedEvent.id)
    return [(row.type, str(row.severity), row.action) for row in rows]


def test_a_missed_ping_opens_one_incident_and_the_next_success_resolves_it(cast: Cast) -> None:
    pager = listen(cast.workspace)
    monitor, token = make_monitor(cast.source, NOW, severity="CRITICAL", tags=["backup"])
    ping(token, at(0))

    pass_time(59)
    assert reread(monitor).status == "up"
    for minutes in (60, 61, 64.9):
        pass_time(minutes)
    assert (reread(monitor).status, incident_of(monitor)) == ("late", None)
    for minutes in (65, 66, 80):
        pass_time(minutes)
    opened = incident_of(monitor)
    assert opened is not None
    assert (opened.state, str(opened.severity), opened.event_count) == ("open", "CRITICAL", 1)
    assert (opened.title, opened.type, opened.tags) == ("Backup did not ping in time", "heartbeat.missed", ["backup"])
    ping(token, at(81))
    ping(token, at(82))
    pass_time(82)

    assert events() == [("heartbeat.missed", "CRITICAL", "trigger"), ("heartbeat.recovered", "SUCCESS", "resolve")]
    resolved = incident_of(monitor)
    assert resolved is not None
    assert resolved.state == "resolved"
    assert [reason for reason, _, _ in reported(pager)] == ["opened", "resolved"]
    assert flips(monitor) == [
        ("new", "up", "recovered"), ("up", "late", "missed"), ("late", "down", "missed"), ("down", "up", "recovered")
    ]  # fmt: skip
    assert next_check(monitor) == at(141), "the timer moves itself when it is too early"
    pass_time(141)
    assert next_check(monitor) == at(142)


def test_a_failed_run_opens_an_incident_with_its_exit_code_and_output(cast: Cast) -> None:
    monitor, token = make_monitor(cast.source, NOW)

    ping(token, at(0), "start")
    ping(token, at(2), "fail", exit_code=3, body="tar: disk full")
    ping(token, at(3), "fail", exit_code=3)
    route(lambda: at(3))

    event = ReceivedEvent.get()
    assert (event.type, event.body, event.metadata["exitCode"]) == ("heartbeat.failed", "tar: disk full", 3)
    assert events() == [("heartbeat.failed", "ERROR", "trigger")]
    assert reread(monitor).last_duration_ms == 120_000
    assert [each["outcome"] for each in reread(monitor).bar] == ["failed"]


def test_a_run_that_takes_too_long_opens_an_incident(cast: Cast) -> None:
    monitor, token = make_monitor(cast.source, NOW, max_runtime_seconds=600)
    ping(token, at(0), "start")

    pass_time(10)

    opened = incident_of(monitor)
    assert opened is not None
    assert (opened.type, opened.title) == ("heartbeat.timed_out", "Backup runs longer than its maximum run time")


def test_a_monitor_that_has_never_pinged_opens_an_incident_when_it_is_set_to(cast: Cast) -> None:
    patient, _ = make_monitor(cast.source, NOW)
    impatient, _ = make_monitor(cast.source, NOW, never_seen_seconds=3600)

    pass_time(60)

    assert incident_of(patient) is None
    opened = incident_of(impatient)
    assert opened is not None
    assert opened.type == "heartbeat.never_seen"


def test_pausing_and_deleting_a_monitor_resolve_its_incident(cast: Cast) -> None:
    paused, deleted = (make_monitor(cast.source, NOW) for _ in range(2))
    for _, token in (paused, deleted):
        ping(token, at(0), "fail")
    route(lambda: at(0))

    heartbeats.pause(reread(paused[0]), expected_rev=None, now=at(1))
    heartbeats.remove(reread(deleted[0]), expected_rev=None, now=at(1))
    pass_time(1)

    found = [incident_of(paused[0]), incident_of(deleted[0])]
    assert [each.state for each in found if each] == ["resolved", "resolved"]
    with pytest.raises(Unauthenticated):
        ping(deleted[1], at(2))
    ping(paused[1], at(2), "fail")
    pass_time(10_000)
    assert reread(paused[0]).status == "paused"
    assert len(events()) == 4


@pytest.mark.parametrize("kind", ["success", "start"])
def test_a_resumed_monitor_expects_pings_from_then_on(cast: Cast, kind: str) -> None:
    monitor, token = make_monitor(cast.source, NOW)
    ping(token, at(0), kind)
    heartbeats.pause(reread(monitor), expected_rev=None, now=at(1))
    heartbeats.resume(reread(monitor), expected_rev=None, now=at(500))

    pass_time(564)
    assert incident_of(monitor) is None
    pass_time(565)

    assert incident_of(monitor) is not None


def test_monitors_of_a_deleted_source_or_a_closed_workspace_alert_nobody(cast: Cast) -> None:
    closed = make_workspace("Closed", owner=cast.users["olga"])
    monitor, token = make_monitor(cast.source, NOW)
    ping(token, at(0))
    foreign, other = make_monitor(cast.foreign_source, NOW)
    ping(other, at(0))
    make_workspace("Second", owner=cast.users["eve"])

    sources.remove(cast.source, expected_rev=None, now=at(1))
    close_workspace(cast.foreign.id, cast.users["eve"].id, expected_rev=None, now=at(1))
    pass_time(10_000)

    assert closed and events() == []
    assert reread(monitor).deleted_at is not None
    assert reread(foreign).status == "up"
    for each in (token, other):
        with pytest.raises(Unauthenticated):
            ping(each, at(2))


def test_a_service_outage_pages_nobody(cast: Cast) -> None:
    healthy, token = make_monitor(cast.source, NOW)
    silent, other = make_monitor(cast.source, NOW)
    before, third = make_monitor(cast.source, NOW, schedule={"kind": "simple", "periodSeconds": 600})
    for each in (token, other, third):
        ping(each, at(0))
    report(at(0))
    report(at(0.2))
    end_reports()

    assert report(at(50)) == 1
    run_due(lambda: at(50))
    assert incident_of(before) is None
    report(at(50.1))
    for minute in range(51, 120, 3):
        stay_alive(minute)
        if minute == 60:
            ping(token, at(60))
        pass_time(minute)

    assert incident_of(healthy) is None
    assert incident_of(silent) is not None
    assert incident_of(before) is not None, "a sender that stays silent is found one period after the outage"


def test_no_monitor_fails_while_no_process_can_receive_pings(cast: Cast) -> None:
    monitor, token = make_monitor(cast.source, NOW)
    ping(token, at(0))
    stay_alive(60)

    pass_time(65)
    assert reread(monitor).status == "up"
    report(at(66))
    pass_time(66)
    assert (reread(monitor).due_at, incident_of(monitor)) == (at(126), None)
    stay_alive(131)
    pass_time(131)

    assert incident_of(monitor) is not None


def test_a_short_gap_between_reports_excuses_nobody(cast: Cast) -> None:
    monitor, token = make_monitor(cast.source, NOW)
    ping(token, at(0))
    stay_alive(64.8)
    assert report(at(64.8) + OUTAGE) == 0

    pass_time(65)

    assert incident_of(monitor) is not None


def test_a_late_ping_and_the_check_of_its_deadline_agree_however_they_meet(cast: Cast) -> None:
    monitors = [make_monitor(cast.source, NOW, name=f"Job {number}") for number in range(12)]
    for _, token in monitors:
        ping(token, at(0))

    def send() -> None:
        with db.connection_context():
            for _, token in monitors:
                ping(token, at(65))

    sender = threading.Thread(target=send)
    sender.start()
    run_due(lambda: at(65))
    sender.join()
    route(lambda: at(66))

    for monitor, _ in monitors:
        found = incident_of(monitor)
        assert reread(monitor).status == "up"
        assert found is None or found.state == "resolved"


@pytest.fixture
def limited(ground: peewee.Database, settings: Settings) -> Iterator[None]:
    in_force.use(replace(settings, rate_limits=True))
    yield
    in_force.use(settings)


@pytest.mark.usefixtures("limited")
def test_pings_beyond_the_rate_limit_are_neither_applied_nor_stored(cast: Cast) -> None:
    monitor, token = make_monitor(cast.source, NOW)

    for _ in range(20):
        ping(token, at(0))
    seen = reread(monitor)
    ping(token, at(0), "fail")

    assert HeartbeatPing.select().count() == 12
    assert reread(monitor).__data__ == seen.__data__
    ping(token, at(0.1))
    assert HeartbeatPing.select().count() == 13
