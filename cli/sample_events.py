"""`bin/inbox demo` with a source key: example events for that source through the public API."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from cli.command import Failed
from cli.instance import post, source_key

BATCH = 100

# Title, severity, resource, type, and the minutes until it recovers; None while it lasts.
SCENARIOS: tuple[tuple[str, str, str, str, int | None], ...] = (
    ("Disk 91 % full on db-1", "ERROR", "host:db-1", "disk.usage", None),
    ("Nightly backup failed: no space left", "CRITICAL", "job:backup", "backup.failed", None),
    ("Checkout answers slowly: p99 2.4 s", "WARNING", "service:checkout", "latency.high", 25),
    ("5xx rate of api above 2 %", "ERROR", "service:api", "errors.high", 12),
    ("Certificate of shop.example.org ends in 6 days", "WARNING", "host:shop.example.org", "tls.expiring", None),
    ("Queue mail has 4,812 messages", "WARNING", "queue:mail", "queue.long", 40),
    ("Replica db-2 lags by 95 s", "ERROR", "host:db-2", "replication.lag", 8),
)
REMARKS = (
    ("Deployed checkout 2.14.0", "INFO", "service:checkout", "deploy.finished"),
    ("Backup of the wiki finished", "SUCCESS", "job:wiki-backup", "backup.finished"),
    ("Cache warmed in 41 s", "DEBUG", "service:api", "cache.warm"),
)


def fill(options: argparse.Namespace) -> None:
    """Sends the events of the last `--hours`, oldest first."""
    if not 1 <= options.hours <= 160:
        raise Failed("--hours is 1 to 160: older events would count as new ones.")
    key, events = source_key(), sorted(_events(options.hours, datetime.now(UTC)), key=lambda each: each["occurredAt"])
    for first in range(0, len(events), BATCH):
        post(options, key, {"events": events[first : first + BATCH]})
    print(f"{len(events)} events sent")


def _events(hours: int, now: datetime) -> Iterator[dict[str, Any]]:
    run = secrets.token_hex(4)  # so that a second run has other incidents
    for number, (title, severity, resource, kind, lasts) in enumerate(SCENARIOS):
        began = now - timedelta(minutes=hours * 60 * (number + 1) / (len(SCENARIOS) + 1))
        about = {"resource": resource, "type": kind, "dedupKey": f"demo-{run}-{kind}", "tags": ["demo"]}
        for repetition in range(1 + number % 3):
            at = began + timedelta(minutes=3 * repetition)
            yield {**about, "title": title, "severity": severity, "occurredAt": _written(min(at, now))}
        end = began + timedelta(minutes=lasts or 0)
        if lasts is not None and end <= now:
            yield {**about, "title": f"Over: {title}", "severity": "SUCCESS", "occurredAt": _written(end)}
    for number in range(hours):
        title, severity, resource, kind = REMARKS[number % len(REMARKS)]
        at = now - timedelta(minutes=60 * number + 7)
        yield {
            "title": title, "severity": severity, "resource": resource, "type": kind, "tags": ["demo"],
            "occurredAt": _written(at),
        }  # fmt: skip


def _written(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")
