"""psycopg2 under gevent: requests wait concurrently, and a frozen database causes errors, not a frozen process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg2
import pytest

from ops.embedded import Servers
from tests.ops.processes import PROJECT

pytestmark = pytest.mark.slow

PREPARE = """
from gevent import monkey; monkey.patch_all()
import os, signal, gevent
signal.alarm(90)  # a frozen process of ours ends, and fails the test
from inbox.runtime import gevent_psycopg as green
from inbox.database import base
green.patch()
base.open_database(os.environ["DATABASE_URL"], application="inbox-green", connections=4, green=True)
db = base.db

def ask(query):
    with db.connection_context():
        return db.execute_sql(query).fetchone()[0]

def attempt(query="SELECT 1"):
    import peewee
    from playhouse.pool import MaxConnectionsExceeded
    try:
        return ask(query)
    except (peewee.OperationalError, peewee.InterfaceError, MaxConnectionsExceeded) as fault:
        return type(fault).__name__

def together(count, act):
    return [greenlet.get() for greenlet in [gevent.spawn(act) for _ in range(count)]]
"""


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    with Servers.start(tmp_path / "servers", durable=False, redis=False) as servers:
        yield servers


def green(servers: Servers, code: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PREPARE + code],
        cwd=PROJECT,
        env={**os.environ, "DATABASE_URL": servers.database_url},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_query_that_waits_lets_the_others_run(servers: Servers) -> None:
    code = """
waiting = gevent.spawn(ask, "SELECT count(*) FROM (SELECT pg_sleep(3)) AS slept")
gevent.sleep(0.05)
print("during", waiting.ready(), ask("SELECT 2"), waiting.ready())
print("after", waiting.get())
"""
    process = green(servers, code)
    out, _ = process.communicate(timeout=60)

    assert out.splitlines() == ["during False 2 False", "after 1"]


LOW = """
from inbox.runtime.low_priority import is_low
def ask_low(query):
    is_low.set(True)
    return ask(query)

def busy_until(done):
    while not done():
        gevent.sleep(0)
"""


def test_a_read_of_low_priority_waits_until_nothing_else_does(servers: Servers) -> None:
    code = """
green.TURN_SECONDS = 60
ask("SELECT 1")
low, other = gevent.spawn(ask_low, "SELECT 2"), gevent.spawn(ask, "SELECT pg_sleep(0.3)")
busy_until(other.ready)
print("busy", low.ready())
print("idle", low.get())
"""
    out, _ = green(servers, LOW + code).communicate(timeout=60)

    assert out.splitlines() == ["busy False", "idle 2"]


def test_a_read_of_low_priority_continues_in_a_process_that_is_never_idle(servers: Servers) -> None:
    code = """
ask("SELECT 1")
reads = [gevent.spawn(ask_low, "SELECT 2") for _ in range(4)]
busy_until(lambda: all(read.ready() for read in reads))
print(*[read.get() for read in reads])
"""
    out, _ = green(servers, LOW + code).communicate(timeout=60)

    assert out.splitlines() == ["2 2 2 2"]


def test_a_connection_is_opened_at_once_for_a_caller_of_any_priority(servers: Servers) -> None:
    """The others wait for the lock of the pool meanwhile."""
    code = """
green.TURN_SECONDS = 60
def connect_low():
    is_low.set(True)
    db.connect()
low = gevent.spawn(connect_low)
busy_until(low.ready)
print("connected")
"""
    out, _ = green(servers, LOW + code).communicate(timeout=60)

    assert out.splitlines() == ["connected"]


def test_a_frozen_database_is_an_error_for_everybody_and_is_used_again_when_it_thaws(servers: Servers) -> None:
    process = green(
        servers,
        """
assert together(4, attempt) == [1] * 4
print("warm", flush=True); input()
print("frozen", *sorted(set(map(str, together(30, attempt)))), flush=True); input()
while attempt() != 1:
    gevent.sleep(0.1)
print("thawed", *set(together(4, attempt)), flush=True)
""",
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "warm\n"
    backends = [servers.postgres.pid, *_backends(servers)]
    try:
        for pid in backends:
            os.kill(pid, signal.SIGSTOP)
        print(file=process.stdin, flush=True)
        assert process.stdout.readline().split()[0] == "frozen"
    finally:
        for pid in backends:
            os.kill(pid, signal.SIGCONT)
    print(file=process.stdin, flush=True)

    assert process.stdout.readline() == "thawed 1\n"
    assert process.wait(60) == 0


def test_a_restarted_database_fails_no_later_request(servers: Servers) -> None:
    process = green(
        servers,
        """
assert together(4, attempt) == [1] * 4
print("warm", flush=True); input()
print("again", *together(20, attempt), flush=True)
""",
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "warm\n"

    servers.stop_postgres()
    servers.start_postgres()
    print(file=process.stdin, flush=True)

    assert process.stdout.readline().split() == ["again", *["1"] * 20]
    assert process.wait(60) == 0


def test_a_connection_is_probed_only_after_a_pause(servers: Servers) -> None:
    process = green(
        servers,
        """
from psycopg2 import extensions
statements, wait = [], extensions.get_wait_callback()
extensions.set_wait_callback(lambda connection: (statements.append(connection), wait(connection)))

def statements_of_a_query(pause):
    gevent.sleep(pause)
    statements.clear()
    ask("SELECT 1")
    return len(statements)

ask("SELECT 1")
print(min(statements_of_a_query(0) for _ in range(20)), statements_of_a_query(2 * green.PROBE_AFTER_SECONDS))
""",
    )
    out, _ = process.communicate(timeout=60)

    assert out.split() == ["1", "2"]


def _backends(servers: Servers) -> list[int]:
    connection = psycopg2.connect(servers.database_url)
    with connection, connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'inbox-green'")
        found = [pid for (pid,) in cursor.fetchall()]
    connection.close()
    return found
