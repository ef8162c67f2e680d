"""The pool of the workers probes a connection after a pause only."""

from __future__ import annotations

import time

import psycopg2

from inbox.connection_pool import PROBE_AFTER_SECONDS, ConnectionPool
from inbox.models.sql.base import connect_arguments

TRIES = 20


def statement_after(pool: ConnectionPool, pause: float) -> str:
    """The last statement of a connection that is taken again after a pause; PostgreSQL reports it."""
    with pool.connection_context():
        pid = pool.execute_sql("SELECT pg_backend_pid() /* ours */").fetchone()[0]
    time.sleep(pause)
    with pool.connection_context():
        observer = psycopg2.connect(**pool.connect_params, dbname=pool.database)
        with observer, observer.cursor() as cursor:
            cursor.execute("SELECT query FROM pg_stat_activity WHERE pid = %s", (pid,))
            found = cursor.fetchone()
        observer.close()
    assert found is not None
    return str(found[0])


def test_a_connection_is_probed_only_after_a_pause(addresses: tuple[str, str]) -> None:
    arguments = connect_arguments(addresses[0], application="pool")
    pool = ConnectionPool(arguments.pop("database"), max_connections=1, autoconnect=False, **arguments)
    at_once = {statement_after(pool, 0) for _ in range(TRIES)}
    later = statement_after(pool, 2 * PROBE_AFTER_SECONDS)
    pool.close_all()

    assert "SELECT pg_backend_pid() /* ours */" in at_once
    assert later == "SELECT 1"


def test_a_broken_connection_is_replaced_after_a_pause(addresses: tuple[str, str]) -> None:
    arguments = connect_arguments(addresses[0], application="pool")
    pool = ConnectionPool(arguments.pop("database"), max_connections=1, autoconnect=False, **arguments)
    with pool.connection_context():
        pid = pool.execute_sql("SELECT pg_backend_pid()").fetchone()[0]
    observer = psycopg2.connect(**pool.connect_params, dbname=pool.database)
    with observer, observer.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
    observer.close()
    time.sleep(2 * PROBE_AFTER_SECONDS)

    with pool.connection_context():
        assert pool.execute_sql("SELECT pg_backend_pid()").fetchone()[0] != pid
    pool.close_all()
