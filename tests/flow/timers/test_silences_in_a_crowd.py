"""Silences with many workers at once, killed or late, and while events are routed (specification 8.3)."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import peewee
import pytest

from inbox.database.base import connection_released, db
from inbox.flow.routing.route import route
from inbox.flow.timers import batch_size, silences
from inbox.flow.timers.run import run_due
from inbox.models.deliveries.tables import Notice
from inbox.models.incidents.tables import Incident, TimelineEntry, Timer
from inbox.models.routing import routing_config, routing_results
from inbox.models.routing import silences as stored
from inbox.models.routing.silences import IN_FLIGHT_GRACE, Silence
from tests.api.events.senders import until
from tests.cast import NOW, Cast, make_source
from tests.fault_triggers import row_trigger
from tests.flow.concurrent_connections import in_a_thread, other_connection, somebody_waits
from tests.flow.plans import fire_first
from tests.flow.routing_fixtures import accept, incident, listen, reasons, routed, settle, timeline
from tests.flow.timers.silences_steps import (
    LATER,
    MINUTE,
    SOON,
    calm,  # noqa: F401
    reloaded,
)
from tests.silences import HOUR, change, make_silence, next_turn, titled


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silences, "BATCH", 3)


def test_many_are_moved_a_few_at_a_time_by_any_number_of_workers_each_once(cast: Cast, small_batches: None) -> None:
    events = [accept(cast.source, key=f"key-{number}") for number in range(40)]
    routed(cast.source, key="last")
    existing = [incident(event_id) for event_id in events]
    make_silence(cast.workspace, start=SOON)
    make_silence(cast.workspace, start=SOON, match=titled("disk"))

    everywhere(SOON)
    assert {reloaded(one).state for one in existing} == {"silenced"}
    Incident.update(notified_at=None).execute()
    everywhere(SOON + HOUR)

    assert {reloaded(one).state for one in existing} == {"open"}
    assert all(timeline(one.id)[:2] == ["opened", "silenced"] for one in existing)
    assert Notice.select().where(Notice.reason == "silence_expired").count() == 41
    assert TimelineEntry.select().where(TimelineEntry.kind == "silence_ended").count() == 41


def test_incidents_of_many_destinations_are_moved_in_smaller_batches(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_size, "STEP_RECIPIENTS", 8)
    for number in range(4):
        listen(cast.workspace, f"Pager {number}")
    for number in range(7):
        accept(cast.source, key=f"key-{number}")
    routed(cast.source, key="last")
    make_silence(cast.workspace, start=SOON)

    everywhere(SOON)
    Incident.update(notified_at=None).execute()
    everywhere(SOON + HOUR)

    ended = db.execute_sql("SELECT count(*) FROM notices WHERE reason = 'silence_expired' GROUP BY xmin").fetchall()
    assert [count for (count,) in ended] == [2, 2, 2, 2]


def everywhere(at: Any) -> None:
    """Four workers fire what is due."""

    def one(_: int) -> int:
        with db.connection_context():
            return run_due(lambda: at)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, range(4)))
    run_due(lambda: at)


def test_another_worker_continues_after_a_worker_dies_between_two_batches(cast: Cast, small_batches: None) -> None:
    existing = [incident(routed(cast.source, key=f"key-{number}").id) for number in range(8)]
    silence = make_silence(cast.workspace, start=SOON)

    end_of_the_worker = "PERFORM pg_terminate_backend(pg_backend_pid())"
    with row_trigger(
        f"IF nextval('trigger_rows') = 5 THEN {end_of_the_worker}; END IF", table="incidents", on="UPDATE"
    ):
        with pytest.raises((peewee.OperationalError, peewee.InterfaceError)):
            run_due(lambda: SOON)
        with connection_released():
            pass

    assert sorted(reloaded(one).state for one in existing) == ["open"] * 5 + ["silenced"] * 3
    assert next_turn(silence) == SOON
    assert Timer.get(Timer.kind == silences.TRANSITION).resume_after == sorted(one.id for one in existing)[2]
    run_due(lambda: SOON)

    assert {reloaded(one).state for one in existing} == {"silenced"}
    assert all(timeline(one.id) == ["opened", "silenced"] for one in existing)


def test_a_change_while_its_beginning_is_under_way_is_not_lost(cast: Cast) -> None:
    existing = incident(routed(cast.source).id)
    silence = make_silence(cast.workspace, start=SOON)

    with other_connection() as other, other.cursor() as cursor:
        cursor.execute("SELECT 1 FROM incidents WHERE id = %s FOR UPDATE", (str(existing.id),))
        beginning = in_a_thread(lambda: run_due(lambda: SOON))
        until(somebody_waits)
        change(silence, LATER, match=titled("network"))
    beginning()
    assert next_turn(silence) == LATER
    run_due(lambda: LATER)

    assert reloaded(existing).state == "open"


def test_an_incident_routed_while_a_silence_begins_or_ends_is_found_by_the_second_pass(cast: Cast) -> None:
    silence = make_silence(cast.workspace, start=SOON)
    run_due(lambda: SOON)
    late = incident(routed(cast.source, key="a").id)
    Incident.update(state="open", silenced_by=None, state_before_silence=None).where(Incident.id == late.id).execute()

    run_due(lambda: SOON + IN_FLIGHT_GRACE)
    assert (reloaded(late).state, reloaded(late).silenced_by) == ("silenced", silence.id)

    run_due(lambda: SOON + HOUR)
    Incident.update(state="silenced", silenced_by=silence.id, state_before_silence="open").where(
        Incident.id == late.id
    ).execute()
    run_due(lambda: SOON + HOUR + IN_FLIGHT_GRACE)
    assert (reloaded(late).state, reloaded(late).silenced_by) == ("open", None)
    assert not Timer.select().where(Timer.kind.startswith("silence.")).exists()


def test_hits_are_counted_and_looked_at_some_time_after_the_last(cast: Cast) -> None:
    first, second = make_silence(cast.workspace, start=NOW), make_silence(cast.workspace, start=NOW)

    routing_results.count_silenced({first.id: 2, second.id: 1}, SOON)
    routing_results.count_silenced({first.id: 3}, NOW)
    routing_results.count_silenced({}, SOON)

    assert [(s.hits, s.last_hit_at) for s in (Silence.get_by_id(first.id), Silence.get_by_id(second.id))] == [
        (5, SOON),
        (1, SOON),
    ]
    looks = {timer.subject_id: timer.due_at for timer in Timer.select().where(Timer.kind == silences.STRAY_CHECK)}
    assert looks == {first.id: NOW + IN_FLIGHT_GRACE, second.id: SOON + IN_FLIGHT_GRACE}


def test_a_silence_hit_all_the_time_still_has_its_second_pass(cast: Cast) -> None:
    silence = make_silence(cast.workspace, start=SOON)
    run_due(lambda: SOON)
    late = incident(routed(cast.source, key="a").id)
    Incident.update(state="open", silenced_by=None, state_before_silence=None).where(Incident.id == late.id).execute()
    for seconds in (1, 20):
        routing_results.count_silenced({silence.id: 1}, SOON + timedelta(seconds=seconds))

    run_due(lambda: SOON + IN_FLIGHT_GRACE)
    assert reloaded(late).state == "silenced"


def test_an_incident_silenced_by_a_router_after_the_end_is_released(cast: Cast) -> None:
    silence = make_silence(cast.workspace, start=SOON)
    end = SOON + HOUR
    run_due(lambda: end + IN_FLIGHT_GRACE)
    run_due(lambda: end + 2 * IN_FLIGHT_GRACE)
    late = incident(routed(cast.source, key="a").id)
    Incident.update(state="silenced", silenced_by=silence.id, state_before_silence="open").where(
        Incident.id == late.id
    ).execute()
    routing_results.count_silenced({silence.id: 1}, end - MINUTE)

    run_due(lambda: end + 2 * IN_FLIGHT_GRACE)
    assert reloaded(late).state == "open"


def test_a_silence_examines_incidents_in_batches_and_each_once(cast: Cast, small_batches: None) -> None:
    existing = [incident(routed(cast.source, key=f"key-{number}", title="Network").id) for number in range(8)]
    routed(cast.source, key="last")
    make_silence(cast.workspace, start=SOON, match=titled("disk"))

    assert [fire_first(SOON) for _ in range(5)] == [1, 1, 1, 1, 0]
    assert Incident.select().where(Incident.state == "silenced").count() == 1
    assert {reloaded(one).state for one in existing} == {"open"}


def test_a_silence_does_not_lock_incidents_that_it_does_not_match(cast: Cast) -> None:
    existing, other = (incident(routed(cast.source, key=title, title=title).id) for title in ("Disk", "Network"))
    make_silence(cast.workspace, start=SOON, match=titled("disk"))
    with other_connection() as held, held.cursor() as cursor:
        cursor.execute("SELECT id FROM incidents WHERE id = %s FOR UPDATE", (str(other.id),))

        run_due(lambda: SOON)

    assert (reloaded(existing).state, reloaded(other).state) == ("silenced", "open")


def test_a_silence_that_ends_while_it_begins_releases_all_its_incidents(cast: Cast, small_batches: None) -> None:
    existing = [incident(routed(cast.source, key=f"key-{number}").id) for number in range(8)]
    make_silence(cast.workspace, start=SOON)
    fire_first(SOON)
    assert sorted(reloaded(one).state for one in existing) == ["open"] * 5 + ["silenced"] * 3

    run_due(lambda: SOON + HOUR)
    assert {reloaded(one).state for one in existing} == {"open"}


def test_an_alarm_of_others_waits_for_some_of_its_incidents_and_not_for_all(cast: Cast, small_batches: None) -> None:
    settle(cast.foreign, renotifyMinutes={"ERROR": 10})
    alarm = routed(cast.foreign_source).incident_id
    for number in range(8):
        routed(cast.source, key=f"key-{number}")
    make_silence(cast.workspace, start=SOON - MINUTE)

    fire_first(SOON + timedelta(seconds=1))
    fire_first(SOON + timedelta(seconds=1))
    assert reasons(alarm) == ["opened", "renotify"]
    assert Incident.select().where(Incident.state == "silenced").count() == 3


def test_a_silence_counts_the_incidents_it_hides(cast: Cast) -> None:
    for key in "abc":
        routed(cast.source, key=key)
    silence, idle = make_silence(cast.workspace, start=SOON), make_silence(cast.workspace, start=SOON + HOUR)
    run_due(lambda: SOON)

    assert stored.silenced_counts([silence.id, idle.id]) == {silence.id: 3, idle.id: 0}


def test_an_incident_that_opens_under_a_silence_is_counted_and_notified_when_it_ends(cast: Cast) -> None:
    listen(cast.workspace)
    silence = make_silence(cast.workspace, start=SOON, match=titled("disk"))
    routing_config.bump_revision(cast.workspace.id)
    run_due(lambda: SOON)

    existing = incident(routed(cast.source, SOON + MINUTE).id)
    routed(cast.source, SOON + 2 * MINUTE, severity="CRITICAL")
    other = incident(routed(cast.source, SOON + MINUTE, key="n", title="Network down").id)
    assert (reloaded(existing).state, reloaded(existing).silenced_by) == ("silenced", silence.id)
    assert reloaded(other).state == "open"
    assert Silence.get_by_id(silence.id).hits == 2
    run_due(lambda: SOON + 5 * MINUTE)
    assert reloaded(existing).state == "silenced"
    run_due(lambda: SOON + HOUR)

    assert (reloaded(existing).state, reloaded(existing).severity) == ("open", "CRITICAL")
    assert reasons(existing.id)[-1] == "silence_expired"


def test_no_incident_stays_silenced_when_silences_and_routing_overlap(cast: Cast) -> None:
    """Routers open incidents while silences of a minute begin and end: at last all are open, and none was lost."""
    sources = [make_source(cast.workspace, f"Source {number}")[0] for number in range(4)]
    clock, lock = [NOW], threading.Lock()

    def now() -> datetime:
        with lock:
            clock[0] += timedelta(seconds=1)
            return clock[0]

    for number in range(10):
        make_silence(cast.workspace, start=NOW + number * 2 * MINUTE, ends_at=NOW + (number * 2 + 1) * MINUTE)
    routing_config.bump_revision(cast.workspace.id)

    def work_on(number: int) -> None:
        with db.connection_context():
            for turn in range(25):
                accept(sources[number], now(), key=f"{number} {turn}")
                route(now)
                run_due(now)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work_on, range(4)))
    end = max(clock[0], NOW + 20 * MINUTE) + HOUR
    route(lambda: end)
    run_due(lambda: end)
    run_due(lambda: end + IN_FLIGHT_GRACE)

    assert Incident.select().count() == 100
    assert {one.state for one in Incident.select()} == {"open"}
    assert not Timer.select().where(Timer.kind.startswith("silence.")).exists()
    began = TimelineEntry.select().where(TimelineEntry.kind == "silenced").count()
    born = sum(silence.hits for silence in Silence.select())
    assert began + born > 0, "no silence met an incident: the test says nothing"
