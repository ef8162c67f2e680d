"""Check-ins: the watcher is enrolled, its heartbeat is pinged, and its checks become incidents (specification 20)."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.domain.values.refusals import Conflict, RateLimited, Unauthenticated
from inbox.flow.heartbeats.availability import report
from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.live.feed import Change
from inbox.models.events.tables import ReceivedEvent
from inbox.models.heartbeats import availability
from inbox.models.heartbeats.tables import HeartbeatMonitor, HeartbeatPing
from inbox.models.heartbeats.watchers import Watcher
from inbox.models.incidents.tables import Incident
from inbox.models.records.audit import AuditEntry
from inbox.models.senders.sources import Source, SourceKey
from inbox.services.heartbeats import monitors, watchers
from inbox.services.senders import sources
from tests.cast import NOW, Cast, make_key, make_source
from tests.flow.routing_fixtures import listen, reported
from tests.heartbeats import end_reports
from tests.watchers import check_in, make_watcher, reread, send

MINUTE = timedelta(minutes=1)


def at(minutes: float) -> datetime:
    return NOW + minutes * MINUTE


def pass_time(minutes: float) -> None:
    """Run what is due at this time, then route what came of it."""
    run_due(lambda: at(minutes))
    route(lambda: at(minutes))


def monitor_of(watcher: Watcher) -> HeartbeatMonitor:
    found: HeartbeatMonitor = HeartbeatMonitor.get_by_id(watcher.monitor_id)
    return found


def incidents() -> list[tuple[str, str, str]]:
    rows = Incident.select().order_by(Incident.number)
    return [(row.title, str(row.severity), row.state) for row in rows]


def test_the_first_check_in_creates_the_watcher_with_its_heartbeat_and_the_next_ones_update_it(cast: Cast) -> None:
    first = check_in(cast.key, at(0), disk="ok")
    second = send(cast.key, at(1), name="Web one", version="2", labels={"env": "prod"}, interval_seconds=300)

    assert (first.is_new, second.is_new, second.watcher.id) == (True, False, first.watcher.id)
    stored, monitor = reread(first.watcher), monitor_of(first.watcher)
    assert (stored.name, stored.version, stored.labels, stored.last_check_in_at) == (
        "Web one",
        "2",
        {"env": "prod"},
        at(1),
    )
    assert [check["name"] for check in stored.checks] == ["disk"], "without checks the stored ones stay"
    assert (monitor.name, monitor.schedule["periodSeconds"], monitor.grace_seconds) == ("Web one", 300, 300)
    assert monitor.due_at == at(6)
    assert HeartbeatPing.select().count() == 2
    assert [(entry.action, entry.actor["type"]) for entry in AuditEntry.select()] == [("watcher.created", "source")]


def test_a_watcher_that_is_silent_goes_down_once_and_is_back_with_its_next_check_in(cast: Cast) -> None:
    pager = listen(cast.workspace)
    watcher = check_in(cast.key, at(0), disk="ok").watcher

    for minutes in (1, 1.9, 2, 3, 30):
        pass_time(minutes)
    assert incidents() == [("Web 1 did not ping in time", "ERROR", "open")]
    check_in(cast.key, at(31), disk="ok")
    check_in(cast.key, at(32), disk="ok")
    pass_time(32)

    assert incidents() == [("Web 1 did not ping in time", "ERROR", "resolved")]
    assert [reason for reason, _, _ in reported(pager)] == ["opened", "resolved"]
    assert monitor_of(watcher).status == "up"


def test_no_watcher_is_down_after_a_service_outage(cast: Cast) -> None:
    check_in(cast.key, at(0))
    report(at(0))
    end_reports()
    report(at(60))
    check_in(cast.key, at(60.5))
    availability.report(at(60.5))
    pass_time(60.5)

    assert incidents() == []


def test_checks_become_incidents_and_resolve(cast: Cast) -> None:
    for minute, statuses in enumerate([
        {"disk": "ok", "memory": "warn"},
        {"disk": "fail", "memory": "warn"},
        {"disk": "fail", "memory": "ok"},
        {"disk": "ok", "memory": "ok"},
    ]):  # fmt: skip
        check_in(cast.key, at(minute), **statuses)
        pass_time(minute)

    assert incidents() == [("Web 1: memory warns", "WARNING", "resolved"), ("Web 1: disk fails", "ERROR", "resolved")]
    event = ReceivedEvent.get(ReceivedEvent.title == "Web 1: disk fails")
    watcher_id = event.metadata["watcherId"]
    assert event.dedup_key == f"watcher:{watcher_id}:disk"
    assert (event.type, event.resource, event.body) == ("watcher.check", "host:web-1.example.org", "disk text")
    assert ReceivedEvent.select().count() == 4, "an ok check that was never bad makes no event"


def test_a_check_that_is_not_reported_any_more_and_a_deleted_watcher_resolve_their_incidents(cast: Cast) -> None:
    check_in(cast.key, at(0), disk="fail", memory="fail")
    pass_time(0)
    watcher = check_in(cast.key, at(0.5), memory="fail").watcher
    pass_time(5)
    assert [state for _, _, state in incidents()] == ["resolved", "open", "open"], "disk, memory, heartbeat"

    watchers.remove(reread(watcher), expected_rev=None, now=at(6))
    pass_time(6)

    assert [state for _, _, state in incidents()] == ["resolved"] * 3
    assert monitor_of(watcher).deleted_at == reread(watcher).deleted_at == at(6)
    repeated = check_in(cast.key, at(7), memory="ok")
    assert (repeated.is_new, repeated.watcher.id != watcher.id) == (True, True)


def test_checks_of_a_paused_heartbeat_alert_nobody(cast: Cast) -> None:
    watcher = check_in(cast.key, at(0), disk="ok").watcher
    monitors.pause(monitor_of(watcher), expected_rev=None, now=at(1))
    check_in(cast.key, at(1), disk="fail")
    pass_time(60)
    assert ReceivedEvent.select().count() == 0

    monitors.resume(monitor_of(watcher), expected_rev=None, now=at(61))
    check_in(cast.key, at(61), disk="fail")
    pass_time(61)

    assert incidents() == [("Web 1: disk fails", "ERROR", "open")]


def test_an_id_that_another_source_has_is_a_conflict_in_this_workspace_alone(cast: Cast) -> None:
    check_in(cast.key, at(0))
    other = make_key(make_source(cast.workspace, "Other")[0])

    with pytest.raises(Conflict):
        check_in(other, at(1))
    foreign = check_in(make_key(cast.foreign_source), at(1))

    assert foreign.is_new
    assert [row.workspace_id for row in Watcher.select().order_by(Watcher.id)] == [cast.workspace.id, cast.foreign.id]


def test_a_revoked_or_disabled_key_enrols_no_watcher(cast: Cast) -> None:
    SourceKey.update(revoked_at=at(0)).execute()
    with pytest.raises(Unauthenticated):
        check_in(cast.key, at(0))
    disabled = make_key(cast.source)
    Source.update(enabled=False).execute()
    with pytest.raises(Unauthenticated):
        check_in(disabled, at(0))

    assert Watcher.select().count() == HeartbeatMonitor.select().count() == 0


def test_first_check_ins_at_once_create_one_watcher(cast: Cast) -> None:
    keys, results = [make_key(cast.source) for _ in range(4)], []

    def run(key: str) -> None:
        with db.connection_context():
            results.append(check_in(key, at(0), disk="fail").is_new)

    threads = [threading.Thread(target=run, args=(key,)) for key in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert sorted(results) == [False, False, False, True]
    assert Watcher.select().count() == HeartbeatMonitor.select().count() == ReceivedEvent.select().count() == 1


def test_check_ins_above_the_limit_of_pings_are_refused_with_a_wait(cast: Cast, settings: Settings) -> None:
    in_force.use(replace(settings, rate_limits=True, pings_per_minute=2))
    answers = []
    for second in range(0, 40, 10):
        try:
            check_in(cast.key, at(second / 60))
        except RateLimited as refused:
            answers.append(refused.retry_after)
        else:
            answers.append(0)

    in_force.use(settings)
    assert answers == [0, 0, 10, 0]


def test_a_check_in_that_changes_nothing_publishes_nothing(cast: Cast) -> None:
    check_in(cast.key, at(0), disk="ok")
    published = Change.select().count()

    check_in(cast.key, at(1), disk="ok")
    assert Change.select().count() == published
    check_in(cast.key, at(2), disk="fail")

    assert "wat_" in str([row.refs for row in Change.select().order_by(Change.seq)][-1])


def test_a_check_in_with_another_name_changes_the_monitor_for_all_who_look_at_it(cast: Cast) -> None:
    watcher = make_watcher(cast.source, at(0))
    rev, published = monitor_of(watcher).rev, Change.select().count()

    send(make_key(cast.source), at(1), name="web-1b")

    assert monitor_of(watcher).rev == rev + 1
    refs = [str(row.refs) for row in Change.select().order_by(Change.seq).offset(published)]
    assert any("'monitor'" in each for each in refs)


def test_a_name_that_a_person_chose_stays_and_null_returns_to_the_reported_one(cast: Cast) -> None:
    watcher = watchers.edit(make_watcher(cast.source, at(0)), name="Shop", expected_rev=1, now=at(1))
    send(make_key(cast.source), at(1), name="web-1b")
    assert (reread(watcher).name, reread(watcher).reported_name, monitor_of(watcher).name) == ("Shop", "web-1b", "Shop")

    watchers.edit(reread(watcher), name=None, expected_rev=None, now=at(2))
    send(make_key(cast.source), at(2), name="web-1c")

    assert (reread(watcher).name, monitor_of(watcher).name) == ("web-1c", "web-1c")


def test_the_monitor_of_a_watcher_keeps_its_schedule_and_goes_with_the_watcher(cast: Cast) -> None:
    monitor = monitor_of(make_watcher(cast.source, at(0)))
    with pytest.raises(Conflict):
        monitors.remove(monitor, expected_rev=None, now=at(1))
    with pytest.raises(Conflict):
        monitors.edit(monitor, {"name": "Other"}, expected_rev=None, now=at(1))

    monitors.edit(monitor, {"name": monitor.name, "grace_seconds": 900}, expected_rev=None, now=at(1))
    send(make_key(cast.source), at(1), interval_seconds=600)

    assert HeartbeatMonitor.get_by_id(monitor.id).grace_seconds == 900, "a grace that a person chose stays"


def test_the_watchers_of_a_deleted_source_are_deleted(cast: Cast) -> None:
    watcher = make_watcher(cast.source, at(0))

    sources.remove(cast.source, expected_rev=None, now=at(1))
    pass_time(600)

    assert reread(watcher).deleted_at == monitor_of(watcher).deleted_at == at(1)
    assert ReceivedEvent.select().count() == 0
