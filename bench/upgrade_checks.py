"""What is counted after an upgrade, and which counts are faults."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bench.environment import Api, BenchEnvironment
from bench.programs import Program
from bench.upgrade_sender import Sender

UNROUTED = "SELECT count(*) FROM event_queue"
UNSETTLED = "SELECT count(*) FROM deliveries WHERE status IN ('pending', 'sending', 'retrying', 'held')"
UNPREVIEWED = "SELECT count(*) FROM rule_previews WHERE status IN ('pending', 'running')"
OVERDUE = "SELECT count(*) FROM timers WHERE due_at < now() - interval '30 seconds'"


@dataclass(frozen=True)
class Waiting:
    """Work of the earlier version that ends at `until`."""

    snoozed: list[str]
    previews: list[str]
    until: datetime


def settled(environment: BenchEnvironment, seconds: float) -> None:
    """Wait until no event, delivery, timer or preview is due, at most so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not any(environment.query_one(query) for query in (UNROUTED, UNSETTLED, OVERDUE, UNPREVIEWED)):
            return
        time.sleep(2)


def counts(
    environment: BenchEnvironment, web: Api, waiting: Waiting, sender: Sender, receiver: Program, events: int
) -> dict[str, Any]:
    """Count what the database and the receiver have."""
    stored = environment.query_one("SELECT count(*) FROM events")
    titles = {
        row for (row,) in _rows(environment, "SELECT DISTINCT title FROM received_events WHERE title LIKE 'Upgrade %%'")
    }
    arrived = Counter(title for _, title in receiver.request({})["arrivals"])
    states = Counter(web.call("GET", f"/v1/incidents/{each}")["state"] for each in waiting.snoozed)
    previews = Counter(web.call("GET", f"/v1/rules/previews/{each}")["status"] for each in waiting.previews)
    return {
        "events accepted during the upgrade": len(sender.accepted),
        "requests repeated": sender.repeated,
        "events lost": events + len(sender.accepted) - stored,
        "accepted events that are not stored": len(sender.accepted - titles),
        "events not routed": environment.query_one(UNROUTED),
        "deliveries": environment.query_one("SELECT count(*) FROM deliveries"),
        "deliveries not settled": environment.query_one(UNSETTLED),
        "deliveries failed": environment.query_one("SELECT count(*) FROM deliveries WHERE status = 'failed'"),
        "webhooks received": sum(arrived.values()),
        "deliveries sent": environment.query_one("SELECT count(*) FROM deliveries WHERE status = 'sent'"),
        "incidents of the upgrade without a webhook": len(sender.accepted - arrived.keys()),
        "timers overdue": environment.query_one(OVERDUE),
        "incidents still snoozed": states["snoozed"],
        "previews that waited": dict(previews),
        "previews not done": len(waiting.previews) - previews["done"],
    }


def faults(found: Mapping[str, Any]) -> list[str]:
    """The counts that must be zero and are not."""
    zero = (
        "events lost",
        "accepted events that are not stored",
        "events not routed",
        "deliveries not settled",
        "deliveries failed",
        "incidents of the upgrade without a webhook",
        "timers overdue",
        "incidents still snoozed",
        "previews not done",
    )
    wrong = [f"FAULT: {name}: {found[name]}" for name in zero if found[name]]
    if found["webhooks received"] < found["deliveries sent"]:
        wrong.append("FAULT: fewer webhooks were received than deliveries are stored as sent.")
    return wrong


def _rows(environment: BenchEnvironment, query: str) -> list[Any]:
    with environment.connection() as connection, connection.cursor() as cursor:
        cursor.execute(query.replace("%%", "%"))
        return list(cursor.fetchall())
