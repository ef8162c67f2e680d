"""Samples of failed requests of senders: the last one of each source (specification 19.14)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import orjson
import peewee
import structlog

from inbox.database.base import db
from inbox.domain.values import redaction
from inbox.domain.values.refusals import Fault
from inbox.intake import sample
from inbox.models.senders.source_samples import RETENTION, SourceSample
from inbox.models.senders.sources import Source

log = structlog.get_logger(__name__)

MOST_FAULTS = 20
LONGEST_TEXT = 500
SHORTEST_PAUSE = timedelta(seconds=1)
"""A source that sends wrong payloads in a row writes at most one sample in this time."""

_STORE = """
    INSERT INTO source_samples (source_id, tool, received_at, headers, body, truncated, detail, faults)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (source_id) DO UPDATE
       SET tool = excluded.tool, received_at = excluded.received_at, headers = excluded.headers, body = excluded.body,
           truncated = excluded.truncated, detail = excluded.detail, faults = excluded.faults
     WHERE source_samples.received_at < excluded.received_at - %s
"""


@dataclass(frozen=True, slots=True)
class Received:
    """A request of a tool. `document` is the parsed body, None when it cannot be parsed."""

    tool: str
    headers: Mapping[str, str]
    body: bytes
    document: Any
    at: datetime


def record(source_id: UUID, received: Received, detail: str, faults: Iterable[Fault]) -> None:
    """Store the sample of a source in place of the one before it. A failure is logged: the answer does not depend on it."""
    text, truncated = sample.body_of(received.body, received.document)
    listed = [{"pointer": _short(each.pointer), "detail": _short(each.detail)} for each in list(faults)[:MOST_FAULTS]]
    headers = orjson.dumps(sample.headers_of(received.headers)).decode()
    columns = (text, truncated, _short(detail), orjson.dumps(listed).decode())
    try:
        db.execute_sql(_STORE, (source_id, received.tool, received.at, headers, *columns, SHORTEST_PAUSE))
    except peewee.PeeweeException as fault:
        log.warning("sample not stored", fault=type(fault).__name__)


def of_source(source: Source, now: datetime) -> SourceSample | None:
    """Return the sample of the source; None when there is none, or when it is older than a day."""
    found: SourceSample | None = SourceSample.get_or_none(
        SourceSample.source == source.id, SourceSample.received_at > now - RETENTION
    )
    return found


def _short(text: str) -> str:
    return redaction.cut(redaction.redact(text.replace("\x00", "\ufffd")), LONGEST_TEXT)
