"""Ends pushed alerts that are not repeated: the sweep writes the events that close their incidents.

Specification 19.10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any
from uuid import UUID

from inbox.database.base import db
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.severity import Severity
from inbox.flow.ingest import own_events
from inbox.flow.people import sender_acts
from inbox.flow.people.sender_acts import SentAct
from inbox.flow.unit_of_work import AfterCommit, retry_on_conflict, work
from inbox.models.events.ingest_rows import SourceKeyContext
from inbox.models.heartbeats import availability
from inbox.models.senders import pushed_alerts
from inbox.models.senders.sources import Source

EXPIRED = "alert.expired"
TITLE = "The alert is no longer reported"
NO_LONGER = "No longer reported: the sender did not repeat it. It may have ended, or the sender itself may be down."
BATCH = 100
MAX_BATCHES = 20
LONGEST = timedelta(days=1)
"""An alert whose end is further away does not expire, so that no row lives much longer."""


AFTER_OUTAGE = timedelta(minutes=5)
"""The time for senders to repeat their alerts after an outage of this service."""


def track(
    source_id: UUID,
    firing: Mapping[str, datetime],
    ended: Sequence[str],
    seen_expired: Mapping[str, datetime],
    lasting: Sequence[str] = (),
) -> None:
    """Stores the ends of firing alerts by their keys, and removes ended alerts. Their events are stored already.

    `lasting` are firing alerts that do not expire: the end from an earlier push no longer applies to them.
    """

    def once() -> None:
        with db.atomic():
            pushed_alerts.forget(source_id, ended)
            pushed_alerts.release(source_id, lasting, seen_expired)
            pushed_alerts.renew(source_id, firing, seen_expired)

    retry_on_conflict(once)


def expire(now: datetime) -> int:
    """Ends the alerts whose end has passed without a repeat; returns their number. Any process may call it."""
    expired = 0
    for _ in range(MAX_BATCHES):
        with work() as done:
            found = _expire_batch(now, done)
        expired += found
        if found < BATCH:
            break
    return expired


def postpone(now: datetime) -> None:
    """Gives senders time to repeat their alerts after an outage of this service, in the caller's transaction."""
    pushed_alerts.postpone(now + AFTER_OUTAGE)


def _expire_batch(now: datetime, done: AfterCommit) -> int:
    last = availability.last()
    if last is not None and last.is_outage(now):
        return 0  # repeats may be lost
    found = pushed_alerts.expire(now, BATCH)
    for (source_id, workspace_id), alerts in groupby(found, key=lambda each: each[:2]):
        _end([alert.dedup_key for alert in alerts], workspace_id, Source.get_by_id(source_id), now, done)
    return len(found)


def _end(keys: Sequence[str], workspace_id: UUID, source: Source, now: datetime, done: AfterCommit) -> None:
    """Stores the end of each alert, or a notice where the source keeps incidents open. The timeline tells why."""
    sender = SourceKeyContext(source.id, source.id, workspace_id, Severity.INFO, ())
    stays_open = source.keep_open_on_missing_data
    found = own_events.store([_notice(key) if stays_open else _resolve(key) for key in keys], sender, now, done)
    kind = sender_acts.NOTE if stays_open else sender_acts.ENDED
    acts = [
        SentAct(ids.encode(Prefix.EVENT, each.event_id), kind, key, "", NO_LONGER)
        for key, each in zip(keys, found, strict=True)
    ]
    sender_acts.write(source, acts, now, done)


def _notice(key: str) -> dict[str, Any]:
    told = {"act": sender_acts.NOTE, "dedupKey": key}
    return {"title": TITLE, "body": NO_LONGER, "type": EXPIRED, "severity": str(Severity.INFO), "metadata": told}


def _resolve(key: str) -> dict[str, Any]:
    ended = {"severity": str(Severity.SUCCESS), "action": "resolve"}
    return {"title": TITLE, "body": NO_LONGER, "type": EXPIRED, "dedupKey": key, **ended}
