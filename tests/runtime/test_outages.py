"""An outage is logged once with its cause and once at its end, however often it is met."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread

import psycopg2
import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from structlog.testing import capture_logs

from inbox.config.settings import Settings
from inbox.runtime.outages import Outage, cause_of, is_postgres_unavailable
from ops.embedded import Servers
from tests.runner.ports import free_port


@pytest.fixture(scope="module")
def with_password(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Redis that wants a password."""
    with Servers.start(tmp_path_factory.mktemp("redis"), durable=False, postgres=False) as servers:
        with closing(Redis.from_url(servers.redis_url)) as redis:
            redis.config_set("requirepass", "a-secret-canary")
        yield servers.redis_url


def fault_of(url: str, *, seconds: float = 30, **more: object) -> BaseException:
    with (
        closing(Redis.from_url(url, retry=Retry(NoBackoff(), 0), socket_timeout=seconds, **more)) as redis,
        pytest.raises((RedisError, OSError)) as raised,
    ):
        redis.ping()
    return raised.value


def test_a_refused_connection_is_named() -> None:
    assert cause_of(fault_of(f"redis://127.0.0.1:{free_port()}")) == "connection refused"


def test_a_missing_socket_is_named(tmp_path: Path) -> None:
    assert "no socket" in cause_of(fault_of(f"unix://{tmp_path / 'none'}"))


def test_the_innermost_of_chained_faults_is_the_cause() -> None:
    outer, inner = TimeoutError("timed out"), ConnectionRefusedError()
    outer.__cause__ = inner

    assert cause_of(outer) == "connection refused"

    inner.__context__ = outer  # a circle ends the search, and the cause is still found

    assert cause_of(outer) in ("connection refused", "no answer in time")


@pytest.mark.parametrize("password", ["", "wrong-canary"])
def test_a_refused_password_is_named_and_not_repeated(with_password: str, password: str) -> None:
    more = {"password": password} if password else {}
    with capture_logs() as lines:
        Outage("redis").record_failure(fault_of(with_password, **more))

    assert [line["cause"] for line in lines] == ["authentication failed"]
    assert "canary" not in str(lines)


def test_a_server_that_does_not_speak_tls_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as plain:

        def speak() -> None:
            client, _ = plain.accept()
            client.recv(1024)
            client.sendall(b"-ERR unknown command\r\n")
            client.close()

        thread = Thread(target=speak)
        thread.start()
        found = fault_of(f"rediss://127.0.0.1:{plain.getsockname()[1]}")
        thread.join()

    assert cause_of(found).startswith("TLS: ")


def test_a_silent_server_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert cause_of(fault_of(f"redis://127.0.0.1:{silent.getsockname()[1]}", seconds=0.3)) == "no answer in time"


def test_faults_of_statements_are_no_outage_of_postgres(settings: Settings) -> None:
    with pytest.raises(psycopg2.OperationalError) as refused:
        psycopg2.connect(f"postgresql://nobody@127.0.0.1:{free_port()}/x")
    with (
        closing(psycopg2.connect(settings.database_url, options="-c statement_timeout=10")) as connection,
        connection.cursor() as cursor,
        pytest.raises(psycopg2.OperationalError) as late,
    ):
        cursor.execute("SELECT pg_sleep(5)")

    assert is_postgres_unavailable(refused.value) and cause_of(refused.value) == "connection refused"
    assert not is_postgres_unavailable(late.value)


def test_one_cause_of_an_outage_is_one_line_until_the_server_is_back() -> None:
    outage = Outage("redis")
    with capture_logs() as lines:
        outage.record_success()
        for _ in range(3):
            outage.record_failure(ConnectionRefusedError())
        outage.record_failure(TimeoutError())
        outage.record_success()
        outage.record_success()
        outage.record_failure(ConnectionRefusedError())

    assert [(line["event"], line.get("cause")) for line in lines] == [
        ("redis is unavailable", "connection refused"),
        ("redis is unavailable", "no answer in time"),
        ("redis is available again", None),
        ("redis is unavailable", "connection refused"),
    ]
