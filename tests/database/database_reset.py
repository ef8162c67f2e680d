"""Starts each test with a clean database on the existing connections."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import peewee
import psycopg2
from psycopg2.errors import DeadlockDetected, LockNotAvailable
from redis import Redis

from inbox.database.base import db
from inbox.runtime.queue import LATER_THREAD

RETAINED = ("schema_migration",)
FEW_BYTES = 64 * 1024

PATIENCE_SECONDS = 5.0
"""How long transactions of the test before may take to end by themselves."""

ATTEMPTS = 5
"""How often the tables are locked again after a deadlock, or after a lock that another session holds."""

# Everybody sees these locks, while only a superuser sees what the sessions of other roles do. These functions cost the
# planner a third of what the views of the same name cost, which join roles and databases.
TRANSACTIONS = """
    SELECT count(*){end} FROM (
        SELECT DISTINCT pid FROM pg_lock_status() JOIN pg_stat_get_activity(NULL) USING (pid)
        WHERE locktype = 'virtualxid' AND mode = 'ExclusiveLock'
            AND datid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND pid <> pg_backend_pid()
    ) AS at_work
"""
TABLES = """
    SELECT quote_ident(relname) FROM pg_class
    WHERE relkind = 'r' AND relname <> ALL(%s)
        AND relnamespace = ANY (ARRAY(SELECT oid FROM pg_namespace WHERE nspname = ANY (current_schemas(false))))
    ORDER BY relname
"""
SIZES = "SELECT name, pg_relation_size(name::regclass) FROM unnest(%s::text[]) AS name"
SEQUENCES = """
    SELECT setval(oid::regclass, seqstart, false) FROM pg_class JOIN pg_sequence ON seqrelid = oid
    WHERE relname <> 'schema_migration_id_seq'
        AND relnamespace = ANY (ARRAY(SELECT oid FROM pg_namespace WHERE nspname = ANY (current_schemas(false))))
        AND CASE relkind WHEN 'S' THEN pg_sequence_last_value(oid::regclass) IS NOT NULL END
"""


class DatabaseReset:
    """One connection for all tests of this process: what a server has learnt of the tables is costly to learn again."""

    def __init__(self, redis_url: str) -> None:
        self._redis = Redis.from_url(redis_url)
        self._connection: Any = None

    @contextmanager
    def clean(self) -> Iterator[None]:
        """Connected to the database of this process, which has just been wired; nothing is in it, nor in Redis."""
        pool = db.obj
        if self._is_as_new():
            pool._connections.append((time.time(), 0, self._connection))
        with db.connection_context():
            self._connection = db.connection()
            wait_for_transactions(PATIENCE_SECONDS)
            again_after_a_deadlock(empty_tables)
            end_later_wakes()
            self._redis.flushdb()
            yield
        pool._connections = [idle for idle in pool._connections if idle[2] is not self._connection]

    def _is_as_new(self) -> bool:
        """Whether there is a connection, and nothing on it of the test before: no transaction, setting, lock or plan."""
        if self._connection is None or self._connection.closed:
            return False
        try:
            with self._connection.cursor() as cursor:
                cursor.execute("ROLLBACK")
                cursor.execute("DISCARD ALL")
        except psycopg2.Error:
            return False
        return True


def end_later_wakes() -> None:
    """No wake-up of the test before arrives in the next one."""
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer) and thread.name == LATER_THREAD:
            thread.cancel()
            thread.join()


def wait_for_transactions(seconds: float) -> None:
    """Returns when no other session of this database is in a transaction; sessions that stay in one are ended."""
    patient_until = time.monotonic() + seconds
    while _transactions(end=time.monotonic() >= patient_until):
        time.sleep(0.01)


def again_after_a_deadlock(work: Callable[[], None]) -> None:
    """Does `work`, and does it again when other sessions held locks that it needs; these sessions are ended before."""
    for _ in range(ATTEMPTS - 1):
        try:
            return work()
        except peewee.OperationalError as fault:
            if not isinstance(getattr(fault, "orig", None), DeadlockDetected | LockNotAvailable):
                raise
        wait_for_transactions(0)
    return work()


def _transactions(*, end: bool = False) -> int:
    """How many other sessions of this database are in a transaction."""
    sql = TRANSACTIONS.format(end=", count(pg_terminate_backend(pid))" if end else "")
    return int(db.execute_sql(sql).fetchone()[0])


def empty_tables() -> None:
    """All rows go, and as with a `TRUNCATE` of all tables, fifty times as slow, every other transaction is waited for."""
    with db.atomic():
        tables = [name for (name,) in db.execute_sql(TABLES, (list(RETAINED),)).fetchall()]
        db.execute_sql(f"LOCK TABLE {', '.join(tables)} IN ACCESS EXCLUSIVE MODE")
        sizes = dict(db.execute_sql(SIZES, (tables,)).fetchall())
        most = FEW_BYTES if _is_superuser() else 0
        # Triggers keep the audit log from being emptied: a superuser goes without triggers, others say that they purge.
        if most:
            db.execute_sql("SET LOCAL session_replication_role = replica")
        else:
            db.execute_sql("SET LOCAL inbox.purging = 'on'; DELETE FROM audit_log")
            sizes.pop("audit_log")
        if many := [name for name, size in sizes.items() if size > most]:
            db.execute_sql(f"TRUNCATE {', '.join(many)} CASCADE")
        if few := [name for name, size in sizes.items() if 0 < size <= most]:
            # No triggers: nobody asks for foreign keys.
            db.execute_sql("; ".join(f"DELETE FROM {name}" for name in few))
        db.execute_sql(SEQUENCES)


def _is_superuser() -> bool:
    """Whether triggers may be disabled. On a foreign server the role of the tests may be no superuser."""
    return bool(db.execute_sql("SELECT current_setting('is_superuser') = 'on'").fetchone()[0])
