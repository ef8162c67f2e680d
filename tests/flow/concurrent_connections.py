"""Concurrent requests, and a separate group committer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

import orjson
import psycopg2

from inbox.config import settings
from inbox.database.base import db
from inbox.domain.senders import keys
from inbox.domain.values.refusals import InvalidTransition
from inbox.flow.ingest.group_commit import GroupCommitter
from inbox.flow.ingest.request import IngestRequest

T = TypeVar("T")


def offer(key: str, body: Any = None, *, idempotency_key: str | None = None) -> IngestRequest:
    """A request with that source key; `body` may be bytes or a JSON value."""
    if body is None:
        body = {"title": "Disk nearly full", "severity": "ERROR"}
    raw = body if isinstance(body, bytes) else orjson.dumps(body)
    return IngestRequest(keys.digest(key).hex(), raw, idempotency_key, datetime.now(UTC))


def tried(groups: GroupCommitter, one: IngestRequest) -> bytes | Exception:
    """The bytes of the answer, or what was raised."""
    try:
        return groups.submit(one).body
    except Exception as fault:  # noqa: BLE001 - the outcome, whatever it is
        return fault


def together(acts: Sequence[Callable[[], T]]) -> list[T]:
    """Runs each act in a separate thread, all at the same moment. Returns their results in order."""
    results: dict[int, T] = {}
    gate = threading.Barrier(len(acts))

    def run(place: int) -> None:
        gate.wait()
        results[place] = acts[place]()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(results) == len(acts)
    return [results[place] for place in range(len(acts))]


def begun(act: Callable[[], T]) -> Callable[[], T]:
    """Begin `act` in a thread; what is answered waits for its result."""
    results: list[T] = []
    thread = threading.Thread(target=lambda: results.append(act()))
    thread.start()

    def result() -> T:
        thread.join(60)
        return results[0]

    return result


@contextmanager
def other_connection() -> Iterator[Any]:
    """Another client of the database, in a transaction that ends with the block unless it was ended before."""
    connection = psycopg2.connect(settings.current().database_url)
    try:
        yield connection
    finally:
        connection.rollback()
        connection.close()


def a_group_waits_for_a_lock() -> bool:
    """Whether a committer is held up by another transaction."""
    return groups_that_wait_for_a_lock() > 0


def groups_that_wait_for_a_lock() -> int:
    """How many committers are held up by another transaction."""
    waiting = db.execute_sql(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'inbox-ingest' AND wait_event_type = 'Lock'"
        " AND datname = current_database()"
    )
    return int(waiting.fetchone()[0])


def end_committers() -> int:
    """End the database's side of all committers' connections; how many there were."""
    ended = db.execute_sql(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        " WHERE application_name = 'inbox-ingest' AND datname = current_database()"
    )
    return int(ended.fetchone()[0])


def somebody_waits() -> bool:
    """Whether a session of this database waits for another's lock."""
    waiting = db.execute_sql(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    return bool(waiting.fetchone()[0])


def in_a_thread(act: Any) -> Any:
    """Begin `act` with its own connection; what is answered waits for its result, or for its refusal."""

    def run() -> Any:
        with db.connection_context():
            try:
                return act()
            except InvalidTransition as refusal:
                return refusal

    return begun(run)
