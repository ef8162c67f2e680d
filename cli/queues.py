"""`bin/inbox queues`: the waiting work and its age."""

from __future__ import annotations

import argparse
from typing import Any

from cli.command import add_json_option, command, show
from inbox.models.instance.backlog_metrics import read


def add_to(commands: Any) -> None:
    """Adds `queues`."""
    add_json_option(command(commands, "queues", queues, "Show how much work is queued, and for how long."))


def queues(options: argparse.Namespace) -> None:
    """Prints the waiting work."""
    found = read()
    rows: list[dict[str, Any]] = [
        {
            "what": "events to route",
            "count": found.events_waiting,
            "oldestSeconds": round(found.events_oldest_seconds, 1),
        },
        {"what": "events quarantined", "count": found.events_quarantined, "oldestSeconds": None},
    ]
    for status in ("pending", "sending", "retrying", "held"):
        rows.append({"what": f"deliveries {status}", "count": found.deliveries.get(status, 0), "oldestSeconds": None})
    rows.append({"what": "timers overdue", "count": found.timers_overdue, "oldestSeconds": None})
    show(rows, as_json=options.json)
