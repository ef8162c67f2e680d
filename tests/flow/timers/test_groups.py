"""Checks of monitors run in groups: one transaction for many timers, and none blocks another."""

from __future__ import annotations

import threading
from contextlib import closing
from datetime import timedelta

import psycopg2
import pytest

from inbox.config import settings as in_force
from inbox.database.base import db, new_id
from inbox.flow.timers.run import FAILURE_DELAY, GROUP, run_due
from inbox.models.heartbeats.tables import HeartbeatFlip, HeartbeatMonitor
from inbox.models.incidents import timers
from inbox.models.incidents.tables import Timer
from inbox.models.incidents.timers import CANDIDATES, TimerSpec
from tests.cast import NOW, Cast
from tests.fault_triggers import row_trigger
from tests.flow.heartbeats.crowd import crowd

SECOND = timedelta(seconds=1)
DUE = NOW + 60 * SECOND


def overdue(cast: Cast, count: int) -> None:
    """Monitors whose pings are due now."""
    crowd(cast, count, NOW, period=60, grace=30, bursts=1, apart=0)


def monitor(name: str) -> HeartbeatMonitor:
    found: HeartbeatMonitor = HeartbeatMonitor.get(HeartbeatMonitor.name == name)
    return found


def late() -> int:
    return int(HeartbeatMonitor.select().where(HeartbeatMonitor.status == "late").count())


@pytest.mark.parametrize(("count", "groups"), [(1, 1), (GROUP - 1, 1), (GROUP, 1), (GROUP + 1, 2)])
def test_a_group_of_checks_is_one_transaction(cast: Cast, count: int, groups: int) -> None:
    overdue(cast, count)

    assert run_due(lambda: DUE) == count

    assert late() == count
    [(transactions,)] = db.execute_sql("SELECT count(DISTINCT xmin::text) FROM heartbeat_flips").fetchall()
    assert transactions == groups
    assert {timer.due_at for timer in Timer.select()} == {DUE + 30 * SECOND}


def test_a_check_that_fails_is_due_a_minute_later_and_blocks_no_other(cast: Cast) -> None:
    overdue(cast, 5)
    bad = monitor("3")

    with row_trigger(f"IF NEW.monitor_id = '{bad.id}' THEN RAISE EXCEPTION 'bad'; END IF", table="heartbeat_flips"):
        assert run_due(lambda: DUE) == 4

    assert late() == 4
    assert Timer.get(Timer.subject_id == bad.id).due_at == DUE + FAILURE_DELAY
    run_due(lambda: DUE + FAILURE_DELAY)
    assert monitor("3").status == "down"


def test_a_monitor_in_use_is_checked_a_second_later(cast: Cast) -> None:
    overdue(cast, 3)
    used = monitor("1")
    url = in_force.current().database_url

    with closing(psycopg2.connect(url)) as other:
        other.cursor().execute("SELECT FROM heartbeat_monitors WHERE id = %s FOR UPDATE", (str(used.id),))
        assert run_due(lambda: DUE) == 3
        other.rollback()  # the server ends a closed connection, and its locks, some time later

    assert (late(), monitor("1").status) == (2, "up")
    run_due(lambda: DUE + SECOND)
    assert (late(), monitor("1").late_since) == (3, DUE)


def test_the_timer_of_a_deleted_monitor_ends(cast: Cast) -> None:
    overdue(cast, 2)
    HeartbeatMonitor.update(deleted_at=NOW).where(HeartbeatMonitor.name == "1").execute()

    run_due(lambda: DUE)

    assert [timer.subject_id for timer in Timer.select()] == [monitor("0").id]


def test_a_timer_behind_a_group_of_another_worker_is_found(cast: Cast) -> None:
    overdue(cast, GROUP)
    timers.set_many([TimerSpec("snooze", new_id(), cast.workspace.id, DUE)])
    locked, done = threading.Event(), threading.Event()

    def hold() -> None:
        with db.connection_context(), db.atomic():
            assert len(timers.lock_due_of_kind("heartbeat.check", DUE, GROUP)) == GROUP > CANDIDATES
            locked.set()
            done.wait(30)

    worker = threading.Thread(target=hold)
    worker.start()
    locked.wait(30)
    with db.atomic():
        found = timers.lock_next_due(DUE)
        others = timers.lock_due_of_kind("heartbeat.check", DUE, GROUP)
    done.set()
    worker.join()

    assert found is not None
    assert (found[0], others) == ("snooze", [])
    assert HeartbeatFlip.select().count() == 0
