"""Reports what the service could not take of the bodies of a source, as an event of this source (specification 19.5)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from cachetools import TTLCache

from inbox.domain.values.severity import Severity
from inbox.flow.ingest import own_events
from inbox.flow.unit_of_work import work
from inbox.intake.base import MOST_ITEMS
from inbox.models.events.ingest_rows import SourceKeyContext
from inbox.models.incidents import open_by_key

MIB = 1024 * 1024
OWN_WAYS = ("events", "legacy_push")
"""The ways in that are no webhooks."""

PAUSE = timedelta(hours=1)
"""A source gets at most one report of a kind in this time from a process, while its incident is open."""

_reported: TTLCache[str, bool] = TTLCache(10_000, PAUSE.total_seconds())


class Reporter(NamedTuple):
    """The source whose body is reported."""

    source_id: UUID
    workspace_id: UUID


def report_refused(reporter: Reporter, way: str, size: int | None, limit: int, now: datetime) -> None:
    """Stores an event about a body that was larger than the limit. `size` is None where it was not announced."""
    told = f"{max(size / 1e6, 0.1):,.3g} MB" if size else f"more than {limit / 1e6:,.3g} MB"
    _report(
        reporter,
        "refused",
        f"A {'request' if way in OWN_WAYS else 'webhook'} of {told} was refused",
        f"The way in `{way}` takes at most {limit / MIB:,.3g} MiB. Nothing of the request was stored, and the sender may not repeat it."
        " Look into the sender. Let it send smaller groups, such as with `max_alerts: 1000` of Alertmanager.",
        now,
    )


def report_unread(reporter: Reporter, way: str, read: int, unread: int, now: datetime) -> None:
    """Stores an event about a payload with more items than are read."""
    _report(
        reporter,
        "unread",
        f"{unread:,} of {read + unread:,} alerts in one webhook were not read",
        f"The way in `{way}` read the first {read:,} alerts of a webhook: at most {MOST_ITEMS:,}, and as many as one request may"
        " compute. Look into the sender for the others. Let it send smaller groups.",
        now,
    )


def _report(reporter: Reporter, kind: str, title: str, body: str, now: datetime) -> None:
    key = f"inbox:webhook-{kind}"
    recent = f"{reporter.source_id}:{kind}"
    if recent in _reported and open_by_key.open_by_key([(reporter.source_id, key)]):
        return
    document = {
        "title": title,
        "type": f"webhook.{kind}",
        "dedupKey": key,
        "severity": str(Severity.CRITICAL),
        "body": body,
    }
    sender = SourceKeyContext(reporter.source_id, reporter.source_id, reporter.workspace_id, Severity.CRITICAL, ())
    with work() as done:
        own_events.store([document], sender, now, done)
    _reported[recent] = True
