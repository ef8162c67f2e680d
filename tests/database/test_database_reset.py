"""The clean-up between tests: leftovers neither break it nor reach the next test."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import peewee
import psycopg2
import pytest

from inbox.config import settings
from inbox.database.base import db
from inbox.runtime.queue import QueueName, job_queues
from tests.api.events.senders import until
from tests.cast import Cast
from tests.database import database_reset
from tests.flow.concurrent_connections import begun

pytestmark = pytest.mark.usefixtures("ground")


@contextmanager
def other_connection() -> Iterator[Any]:
    """Another session, which may be ended from outside."""
    connection = psycopg2.connect(settings.current().database_url)
    yield connection
    connection.close()


def waiting_for_a_lock() -> int:
    """How many sessions of this database wait for a lock."""
    return int(
        db.execute_sql(
            "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
            " WHERE NOT granted AND datname = current_database()"
        ).fetchone()[0]
    )


def test_the_clean_up_waits_for_a_transaction_that_ends_by_itself() -> None:
    with other_connection() as other, other.cursor() as cursor:
        cursor.execute("LOCK TABLE users IN ROW EXCLUSIVE MODE")

        def end() -> str:
            cursor.execute("SELECT pg_sleep(0.3)")
            other.commit()
            return "committed"

        ended = begun(end)
        database_reset.wait_for_transactions(60)
        assert ended() == "committed"


def test_the_clean_up_ends_the_session_of_a_transaction_that_stays() -> None:
    with other_connection() as other, other.cursor() as cursor:
        cursor.execute("LOCK TABLE users IN ROW EXCLUSIVE MODE")
        database_reset.wait_for_transactions(0.1)
        with pytest.raises(psycopg2.OperationalError):
            cursor.execute("SELECT 1")


def test_the_clean_up_leaves_idle_sessions_alone() -> None:
    with other_connection() as other, other.cursor() as cursor:
        cursor.execute("SELECT 1")
        other.commit()
        database_reset.wait_for_transactions(0)
        cursor.execute("SELECT 1")


def test_the_clean_up_takes_its_locks_again_after_a_deadlock() -> None:
    threads = []
    with other_connection() as other, other.cursor() as cursor:
        cursor.execute("SET deadlock_timeout = '1h'" if database_reset._is_superuser() else "SELECT 1")
        cursor.execute("LOCK TABLE sources IN ACCESS EXCLUSIVE MODE")

        def take_the_other_table() -> None:
            with suppress(psycopg2.Error):
                cursor.execute("LOCK TABLE users IN ACCESS EXCLUSIVE MODE")

        attempts = 0

        def work() -> None:
            nonlocal attempts
            attempts += 1
            with db.atomic():
                db.execute_sql("LOCK TABLE users IN ACCESS EXCLUSIVE MODE")
                if attempts == 1:
                    threads.append(threading.Thread(target=take_the_other_table))
                    threads[0].start()
                    until(waiting_for_a_lock)
                db.execute_sql("LOCK TABLE sources IN ACCESS EXCLUSIVE MODE")

        database_reset.again_after_a_deadlock(work)

        assert attempts == 2 or not database_reset._is_superuser()
        for thread in threads:
            thread.join()


def test_the_clean_up_retries_its_locks_after_a_lock_timeout() -> None:
    attempts = 0
    with other_connection() as other, other.cursor() as cursor:
        cursor.execute("LOCK TABLE sources IN ACCESS EXCLUSIVE MODE")

        def work() -> None:
            nonlocal attempts
            attempts += 1
            with db.atomic():
                db.execute_sql("SET LOCAL lock_timeout = '50ms'")
                db.execute_sql("LOCK TABLE sources IN ACCESS EXCLUSIVE MODE")

        database_reset.again_after_a_deadlock(work)
        assert attempts == 2


def test_a_permanent_fault_of_the_clean_up_is_not_retried() -> None:
    attempts = 0

    def work() -> None:
        nonlocal attempts
        attempts += 1
        db.execute_sql("SELECT no_such_column")

    with pytest.raises(peewee.ProgrammingError):
        database_reset.again_after_a_deadlock(work)
    assert attempts == 1


def test_the_clean_up_empties_every_table_and_restarts_every_sequence() -> None:
    Cast.assemble()
    sequences = [name for (name,) in db.execute_sql("SELECT sequencename FROM pg_sequences").fetchall()]
    restarted = [name for name in sequences if name != "schema_migration_id_seq"]
    for name in restarted:
        db.execute_sql(f"SELECT nextval('{name}')")
    tables = [name for (name,) in db.execute_sql(database_reset.TABLES, (list(database_reset.RETAINED),)).fetchall()]

    database_reset.empty_tables()

    assert len(tables) > 40 and {"users", "sources", "audit_log"} <= set(tables)
    assert [name for name in tables if db.execute_sql(f"SELECT count(*) FROM {name}").fetchone() != (0,)] == []
    assert len(restarted) > 10
    assert {
        name: db.execute_sql(
            f"SELECT nextval('{name}') = seqstart FROM pg_sequence WHERE seqrelid = '{name}'::regclass"
        ).fetchone()
        for name in restarted
    } == dict.fromkeys(restarted, (True,))


def test_a_later_wake_up_of_a_test_does_not_reach_the_next_one(ground: peewee.Database) -> None:
    queues = job_queues()
    queues.wake_later(QueueName.ROUTING, 0.2)

    database_reset.end_later_wakes()
    time.sleep(0.4)

    assert not queues.is_pending(QueueName.ROUTING)
