"""The statements that look up and store a group of requests, and a committer's connection outside the pool.

Each statement is set-based and takes one round trip. Parameters and results are JSON. For the database this is as cheap
as arrays and far cheaper than a list of values. In Python it is almost free.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

import orjson
import psycopg2

from inbox.config import settings
from inbox.database.base import SESSION, connect, connect_arguments
from inbox.domain.values.severity import Severity
from inbox.models.events.ingest_rows import (
    IdentityKey,
    IngestRows,
    KnownEvent,
    LookupResult,
    SourceKeyContext,
    StoredResponse,
)

ROUTE = "POST /v1/events"
"""The scope of an `Idempotency-Key`, together with its source (specification 4.8)."""

_WINDOW = "interval '48 hours'"
"""`IDEMPOTENCY_WINDOW`, by the clock of the database."""

LOCK_MS = 500
"""The time for which another transaction may delay a whole group, in milliseconds."""

RETRY_SECONDS = 1.0
"""The pause after a failed connect, in which an unavailable database is not tried again, in seconds."""

# The statements are planned once, possibly while the tables are empty and have no statistics.
_PLANS = {"enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off"}
_SESSION = {**SESSION, "plan_cache_mode": "force_generic_plan", **_PLANS}
_SET_PLANS = "".join(f"SET LOCAL {name} = {value}; " for name, value in _PLANS.items())

_EVENT = {
    "workspace_id": "uuid", "id": "uuid", "source_id": "uuid", "received_at": "timestamptz",
    "occurred_at": "timestamptz", "severity": "severity", "action": "text", "title": "text", "type": "text",
    "resource": "text", "dedup_key": "text", "body": "text", "tags": "text[]", "url": "text", "external_id": "text",
    "idempotency_key": "text", "metadata": "jsonb", "fingerprint": "text", "group_fingerprint": "text", "flags": "text[]", "warnings": "jsonb",
}  # fmt: skip

# Each look-up can only be executed row by row through the unique index. A plan that was made for an empty table is
# therefore still good with millions of rows.
_STATEMENTS: Mapping[str, str] = {
    "known": f"""
        WITH asked AS MATERIALIZED (SELECT * FROM json_to_recordset($1) AS a(hash bytea, key text)),
        senders AS MATERIALIZED (
            SELECT a.hash, k.*
            FROM (SELECT DISTINCT hash FROM asked) a CROSS JOIN LATERAL (
                SELECT k.id, k.source_id, k.workspace_id, s.default_severity, s.group_by, s.incident_for
                FROM source_keys k JOIN sources s ON s.id = k.source_id JOIN workspaces w ON w.id = k.workspace_id
                WHERE k.hash = a.hash
                  AND k.revoked_at IS NULL AND (k.grace_ends_at IS NULL OR k.grace_ends_at > clock_timestamp())
                  AND s.enabled AND s.deleted_at IS NULL AND w.deleted_at IS NULL
                LIMIT 1) k)
        SELECT
            (SELECT json_agg(json_build_array(
                encode(hash, 'hex'), id, source_id, workspace_id, default_severity, group_by, incident_for))
             FROM senders)::text,
            (SELECT json_agg(json_build_array(
                r.source_id, r.key, encode(r.body_hash, 'hex'), convert_from(r.response, 'UTF8'),
                r.created_at > clock_timestamp() - {_WINDOW}))
             FROM asked a JOIN senders ON senders.hash = a.hash CROSS JOIN LATERAL (
                SELECT * FROM idempotency_records r
                WHERE r.source_id = senders.source_id AND r.route = '{ROUTE}' AND r.key = a.key LIMIT 1) r)::text""",
    "met": f"""
        SELECT json_agg(json_build_array(
            i.source_id, i.kind, encode(i.digest, 'hex'), i.event_id, encode(i.content_digest, 'hex'), i.severity_rank,
            i.created_at > clock_timestamp() - {_WINDOW}))::text
        FROM json_to_recordset($1) AS a(source_id uuid, kind text, digest bytea) CROSS JOIN LATERAL (
            SELECT * FROM event_dedup i
            WHERE i.source_id = a.source_id AND i.kind = a.kind AND i.digest = a.digest LIMIT 1) i""",
    "forget_records": f"""
        DELETE FROM idempotency_records r USING json_to_recordset($1) AS a(source_id uuid, key text)
        WHERE r.source_id = a.source_id AND r.route = '{ROUTE}' AND r.key = a.key
          AND r.created_at <= clock_timestamp() - {_WINDOW}""",
    "forget_identities": f"""
        DELETE FROM event_dedup i
        USING json_to_recordset($1) AS a(source_id uuid, kind text, digest bytea, severity_rank smallint)
        WHERE i.source_id = a.source_id AND i.kind = a.kind AND i.digest = a.digest
          AND (i.created_at <= clock_timestamp() - {_WINDOW}
               OR (i.kind = 'occurrence' AND i.severity_rank < a.severity_rank))""",
    "keep_records": f"""
        INSERT INTO idempotency_records (source_id, route, key, body_hash, status, response, created_at)
        SELECT source_id, '{ROUTE}', key, body_hash, 202, convert_to(response, 'UTF8'), clock_timestamp()
        FROM json_to_recordset($1) AS a(source_id uuid, key text, body_hash bytea, response text)""",
    "keep_identities": """
        INSERT INTO event_dedup (source_id, kind, digest, event_id, content_digest, severity_rank, created_at)
        SELECT source_id, kind, digest, event_id, content_digest, severity_rank, clock_timestamp()
        FROM json_to_recordset($1) AS a(
            source_id uuid, kind text, digest bytea, event_id uuid, content_digest bytea, severity_rank smallint)""",
    "keep_events": f"""
        INSERT INTO received_events ({", ".join(_EVENT)}) SELECT {", ".join(_EVENT)}
        FROM json_to_recordset($1) AS a({", ".join(f"{name} {kind}" for name, kind in _EVENT.items())})""",
    "queue_events": """
        INSERT INTO event_queue (shard, workspace_id, event_id, repeated_at, fingerprint_hash, may_overtake)
        SELECT shard, workspace_id, event_id, repeated_at, fingerprint_hash, may_overtake
        FROM json_to_recordset($1) AS a(shard smallint, workspace_id uuid, event_id uuid, repeated_at timestamptz,
            fingerprint_hash integer, may_overtake boolean)""",
}

_AWAIT_STANDBY = """
    SELECT pg_logical_emit_message(true, 'incident-inbox', '') WHERE current_setting('synchronous_standby_names') <> ''"""
"""A transaction that changes no row, whose commit yet waits for a synchronous standby. Without a standby it writes nothing."""

_PREPARED = ("known", "met", "keep_records", "keep_identities", "keep_events", "queue_events")
"""The statements of every group. The others are rare, and planning them at each use gives better plans."""


class IngestStore:
    """The statements on one psycopg2 connection in autocommit mode; each `insert` is one transaction.

    `lock_ms` limits how long `insert` waits for another transaction. `prepared` is for a long-lived connection that no
    pooler shares. Raises the exceptions of psycopg2; `write_attempted` then says whether rows may have been stored.
    """

    def __init__(self, connection: Any, *, lock_ms: int, prepared: bool = False) -> None:
        self._cursor = connection.cursor()
        self._prepared = prepared
        self._set_plans = "" if prepared else _SET_PLANS
        self._set_lock_timeout = f"{self._set_plans}SET LOCAL lock_timeout = {lock_ms}; "
        self.write_attempted = False
        if prepared:
            for name in _PREPARED:
                self._cursor.execute(f"PREPARE {name} (json) AS {_STATEMENTS[name]}")

    def find_keys(self, requests: Iterable[tuple[str, str | None]]) -> LookupResult:
        """Looks up active keys and stored responses for (digest of a key in hex, `Idempotency-Key`) of each request."""
        self.write_attempted = False
        rows = [{"hash": "\\x" + digest, "key": key} for digest, key in requests]
        self._cursor.execute(self._set_plans + self._text("known"), (_json(rows),))
        key_rows, records = self._cursor.fetchone()
        result = LookupResult({}, {}, set())
        for digest, key_id, source_id, workspace_id, severity, group_by, incident_for in orjson.loads(
            key_rows or b"[]"
        ):
            result.keys[digest] = SourceKeyContext(
                UUID(key_id), UUID(source_id), UUID(workspace_id), Severity(severity), tuple(group_by), incident_for
            )
        for source_id, key, body_digest, response, fresh in orjson.loads(records or b"[]"):
            scope = (UUID(source_id), key)
            if fresh:
                result.responses[scope] = StoredResponse(body_digest, response.encode())
            else:
                result.stale.add(scope)
        return result

    def find_events(self, identities: Iterable[IdentityKey]) -> tuple[dict[IdentityKey, KnownEvent], set[IdentityKey]]:
        """Returns the identities of events accepted before, and the identities whose window has ended."""
        events: dict[IdentityKey, KnownEvent] = {}
        stale: set[IdentityKey] = set()
        self._cursor.execute(self._set_plans + self._text("met"), (_json([_identity_row(key) for key in identities]),))
        found = self._cursor.fetchone()[0]
        for source_id, kind, digest, event_id, content_digest, rank, fresh in orjson.loads(found or b"[]"):
            key = (UUID(source_id), kind, digest)
            if fresh:
                events[key] = KnownEvent(UUID(event_id), content_digest, rank)
            else:
                stale.add(key)
        return events, stale

    def insert(self, rows_of_group: IngestRows) -> bool:
        """Stores and commits all rows or none, and returns whether there are any.

        A unique violation means that another process stored a key first.
        """
        # All groups insert in the same order, so that two groups never deadlock.
        rows_of_group.records.sort(key=lambda row: (row["source_id"], row["key"]))
        identities = [rows_of_group.identities[key] for key in sorted(rows_of_group.identities)]
        parts = [
            (name, rows)
            for name, rows in (
                ("forget_records", rows_of_group.stale_records),
                ("forget_identities", list(rows_of_group.stale_identities.values())),
                ("keep_records", rows_of_group.records),
                ("keep_identities", identities),
                ("keep_events", rows_of_group.events),
                ("queue_events", rows_of_group.queue),
            )
            if rows
        ]
        if parts:
            self.write_attempted = True
            statements = self._set_lock_timeout + "; ".join(self._text(name) for name, _ in parts)
            self._cursor.execute(statements, [_json(rows) for _, rows in parts])
        return bool(parts)

    def await_standby(self) -> None:
        """Returns when a synchronous standby, if there is one, has all rows that were visible.

        A commit that was interrupted while it waited is visible, although the standby may lack it.
        """
        self._cursor.execute(_AWAIT_STANDBY)

    def _text(self, name: str) -> str:
        is_prepared = self._prepared and name in _PREPARED
        return f"EXECUTE {name} (%s)" if is_prepared else _STATEMENTS[name].replace("$1", "%s::json")


def is_idempotency_lock_timeout(error: psycopg2.Error) -> bool:
    """Returns whether a lock timeout concerns a key that another transaction is about to store."""
    context = str(getattr(error.diag, "context", None) or "")
    return "idempotency_records" in context or "event_dedup" in context


def _identity_row(key: IdentityKey) -> dict[str, Any]:
    source_id, kind, digest = key
    return {"source_id": source_id, "kind": kind, "digest": "\\x" + digest}


def _json(rows: list[dict[str, Any]]) -> str:
    return orjson.dumps(rows).decode()


class IngestConnection:
    """A long-lived connection of one thread. Connects on demand, and again after a loss.

    Its statements are prepared, unless a pooler gives each transaction another connection of the server.
    """

    def __init__(self) -> None:
        self._connection: Any = None
        self._store: IngestStore | None = None
        self._url = ""
        self._down_until = 0.0

    def store(self) -> IngestStore:
        """Returns the statements on an open connection.

        Raises `psycopg2.OperationalError` when the database is unavailable.
        """
        url = settings.current().database_url
        if self._url != url:
            self.close()
            self._url, self._down_until = url, 0.0
        if self._store is None:
            try:
                self._connection = self._connected()
                self._store = IngestStore(self._connection, lock_ms=LOCK_MS, prepared=not self._is_pooled())
            except psycopg2.Error:
                self.close()
                raise
        return self._store

    def _connected(self) -> Any:
        if time.monotonic() < self._down_until:
            raise psycopg2.OperationalError("the database is unavailable")
        pooled = self._is_pooled()
        arguments = connect_arguments(self._url, application="inbox-ingest", session=_SESSION, pooled=pooled)
        try:
            connection = connect(arguments)
        except psycopg2.Error:
            self._down_until = time.monotonic() + RETRY_SECONDS
            raise
        connection.autocommit = True
        return connection

    @staticmethod
    def _is_pooled() -> bool:
        return bool(settings.current().database_pooler)

    @property
    def is_closed(self) -> bool:
        """Returns whether the other side is known to have closed the connection."""
        return self._connection is None or bool(self._connection.closed)

    def close(self) -> None:
        """Discards the connection in any state."""
        if self._connection is not None:
            with contextlib.suppress(psycopg2.Error):
                self._connection.close()
        self._connection = self._store = None
