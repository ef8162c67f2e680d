"""Each kind of credential, planted in every field, appears nowhere afterwards.

Not in logs, Redis, the database beyond hashes and sealed bytes, an export, the stream, webhooks or error answers.
"""

from __future__ import annotations

import io
import json
import zlib
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from redis import Redis

from tests.journeys.canary_planting import (
    JOBS,
    SCHEDULED,
    Planting,
    planted,  # noqa: F401
)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("faults")]


def test_no_answer_reveals_a_credential_to_whom_it_does_not_belong(planted: Planting) -> None:
    assert [(about, found) for about, text in planted.answers if (found := planted.leaks(text))] == []
    assert len(planted.answers) > 500


def test_the_logs_hold_none(planted: Planting) -> None:
    searched = [path for path in planted.service.state.rglob("*") if path.is_file() and _is_log(path)]
    found = [
        (path.name, kind, line[:300])
        for path in searched
        for line in path.read_text(errors="replace").splitlines()
        for kind in planted.leaks(line)
    ]
    assert found == []
    assert {"up.log", "web.log", "postgres.log"} <= {path.name for path in searched}


def _is_log(path: Path) -> bool:
    return ".log" in path.name and "pg_" not in str(path)


def test_redis_holds_no_planted_credential(planted: Planting) -> None:
    redis = Redis.from_url(planted.service.servers.redis_url)
    found = {}
    for key in redis.scan_iter(count=1000):
        text = repr(key) + " ".join(_readable(each) for each in _values(redis, key))
        if leaks := planted.leaks(text):
            found[key] = leaks
    redis.close()

    assert found == {}


def test_redis_commands_contain_no_planted_credential(planted: Planting) -> None:
    found = [
        (words[:2], leaks)
        for words in planted.commands
        if (leaks := planted.leaks(" ".join(_readable(word) for word in words)))
    ]

    assert found == []
    jobs = " ".join(_readable(word) for words in planted.written(JOBS) for word in words)
    assert all(f"jobs.{wake_up}.run" in jobs for wake_up in ("routing", "delivery", "mail"))
    scheduled = [word for words in planted.written(SCHEDULED) for word in words[3::2]]
    assert any(word.startswith((b"clock-", b"timers-")) for word in scheduled)


def _values(redis: Any, key: bytes) -> list[bytes]:
    match redis.type(key):
        case b"string":
            return [redis.get(key) or b""]
        case b"hash":
            return [part for pair in redis.hgetall(key).items() for part in pair]
        case b"list":
            return list(redis.lrange(key, 0, -1))
        case b"set":
            return list(redis.smembers(key))
        case b"zset":
            return list(redis.zrange(key, 0, -1))
        case b"stream":
            return [repr(entry).encode() for entry in redis.xrange(key)]
    return []


def _readable(value: bytes) -> str:
    try:
        value = zlib.decompress(value)
    except zlib.error:
        pass
    return value.decode("utf-8", "replace")


def test_the_database_holds_only_hashed_or_sealed_credentials(planted: Planting) -> None:
    named = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
    tables = [row[0] for row in planted.service.ask(named)]
    found = []
    connection = psycopg2.connect(planted.service.servers.database_url)
    with connection, connection.cursor() as cursor:
        for table in tables:
            copy = io.StringIO()
            cursor.copy_expert(f"COPY {table} TO STDOUT", copy)
            for line in copy.getvalue().splitlines():
                found += [(table, kind, line[:300]) for kind in planted.leaks(line)]
    connection.close()

    assert found == []
    assert {
        "received_events_first",
        "routed_events_first",
        "sessions",
        "mail_outbox",
        "audit_log",
        "delivery_attempts",
        "change_feed",
    } <= set(tables)


def test_the_export_the_stream_and_the_webhooks_hold_none(planted: Planting) -> None:
    assert json.loads(planted.export)["events"]
    assert planted.leaks(planted.export) == []
    assert len(planted.streamed) > 10 and planted.leaks("\n".join(planted.streamed)) == []
    assert planted.received and [each for each in planted.received if planted.leaks(each)] == []


def test_the_planted_canaries_arrived(planted: Planting) -> None:
    [(events, marked)] = planted.service.ask(
        "SELECT count(*), count(*) FILTER (WHERE events::text LIKE '%%[REDACTED]%%') FROM events"
    )
    assert events > 50 and marked > 30
    [(attempts, retained)] = planted.service.ask("SELECT count(*), count(nullif(excerpt, '')) FROM delivery_attempts")
    assert (attempts > 0, retained) == (
        True,
        0,
    )  # receivers at loopback addresses echo secrets; nothing is kept of them
