"""Workers killed within batches of incidents: another continues, and each incident is processed once."""

from __future__ import annotations

from collections.abc import Iterator

import peewee
import pytest

from inbox.flow.timers import departures, reschedule, silences, source_deletion
from inbox.flow.timers.run import run_due
from inbox.models.deliveries.tables import Notice
from inbox.models.incidents.tables import Incident, TimelineEntry, Timer
from inbox.services.senders import sources as services
from inbox.services.workspaces import members, workspaces
from tests.cast import NOW, Cast
from tests.database import pgbouncer
from tests.flow.crash_injection import EVERYWHERE, CrashInjector
from tests.flow.plans import MINUTE
from tests.flow.routing_fixtures import listen, routed, settle
from tests.silences import HOUR, make_silence

SOON = NOW + 5 * MINUTE


@pytest.fixture
def crash_injector(ground: peewee.Database) -> Iterator[CrashInjector]:
    with CrashInjector() as crash_injector:
        yield crash_injector


@pytest.fixture(autouse=True)
def five(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five incidents in batches of two. Only the timers of the batches are due."""
    for room in (departures, reschedule, silences, source_deletion):
        monkeypatch.setattr(room, "BATCH", 2)
    settle(cast.workspace, renotifyMinutes={"ERROR": 0})
    listen(cast.workspace)
    for key in "abcde":
        routed(cast.source, key=key)


def entries_of(kind: str) -> int:
    return int(TimelineEntry.select().where(TimelineEntry.kind == kind).count())


def reported(reason: str) -> int:
    return int(Notice.select().where(Notice.reason == reason).count())


def test_a_silence_covers_and_releases_each_incident_once(cast: Cast, crash_injector: CrashInjector) -> None:
    make_silence(cast.workspace, start=SOON)

    crash_injector.survive(lambda: run_due(lambda: SOON), EVERYWHERE)
    assert ({one.state for one in Incident.select()}, entries_of("silenced")) == ({"silenced"}, 5)
    Incident.update(notified_at=None).execute()
    crash_injector.survive(lambda: run_due(lambda: SOON + HOUR), EVERYWHERE)
    assert ({one.state for one in Incident.select()}, reported("silence_expired")) == ({"open"}, 5)
    assert crash_injector.kills > (15 if pgbouncer.CHOSEN else 30)  # a pooler survives kills between transactions


def test_incidents_of_a_deleted_source_are_resolved_once_despite_crashes(
    cast: Cast, crash_injector: CrashInjector
) -> None:
    services.remove(cast.source, expected_rev=None, now=SOON)

    crash_injector.survive(lambda: run_due(lambda: SOON + HOUR), EVERYWHERE)
    assert ({one.state for one in Incident.select()}, entries_of("resolved"), reported("resolved")) == (
        {"resolved"},
        5,
        5,
    )
    assert Timer.select().count() == 0


def test_every_incident_follows_a_changed_plan(cast: Cast, crash_injector: CrashInjector) -> None:
    workspaces.change(cast.workspace.id, {"settings": {"autoResolveMinutes": 90}}, expected_rev=None, now=SOON)

    crash_injector.survive(lambda: run_due(lambda: SOON + HOUR), EVERYWHERE)
    wound = [(timer.kind, timer.due_at) for timer in Timer.select()]
    assert wound == [("incident.auto_resolve", NOW + 90 * MINUTE)] * 5


def test_incidents_of_a_departed_member_are_reopened_and_notified_once_despite_crashes(
    cast: Cast, crash_injector: CrashInjector
) -> None:
    mia = cast.users["mia"]
    Incident.update(state="acknowledged", acknowledged_at=NOW, acknowledged_by=mia.id, assignee_id=mia.id).execute()
    members.leave(cast.workspace.id, mia.id, now=SOON)

    crash_injector.survive(lambda: run_due(lambda: SOON), EVERYWHERE)

    assert {(one.state, one.assignee_id) for one in Incident.select()} == {("open", None)}
    assert (entries_of("unacknowledged"), entries_of("updated"), reported("renotify")) == (5, 5, 5)
