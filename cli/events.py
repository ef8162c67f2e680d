"""`bin/inbox events`: lists events that could not be routed, and queues them for another attempt."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from cli.command import Failed, add_json_option, command, group, show
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.times import rfc3339
from inbox.models.events import quarantine as event_quarantine
from inbox.services.routing import quarantine

MOST = 500


def add_to(commands: Any) -> None:
    """Adds `events quarantined|release`."""
    under = group(commands, "events", "quarantined events, which could not be routed")
    made = command(under, "quarantined", quarantined, f"List the oldest {MOST} quarantined events.")
    add_json_option(made)
    made = command(under, "release", release, "Route quarantined events again, once the cause is fixed.")
    made.add_argument("event", nargs="*", help="id of an event, evt_…")
    made.add_argument("--all", action="store_true", help="all quarantined events")


def quarantined(options: argparse.Namespace) -> None:
    """Prints the quarantined events, the oldest first."""
    rows = [
        {
            "event": ids.encode(Prefix.EVENT, each.event_id),
            "workspace": each.workspace_slug,
            "source": each.source_name,
            "severity": each.severity,
            "receivedAt": rfc3339(each.received_at),
            "setAsideAt": rfc3339(each.quarantined_at),
            "title": each.title,
        }
        for each in event_quarantine.list_quarantined(MOST)
    ]
    show(rows, as_json=options.json, nothing="No event is in quarantine.")


def release(options: argparse.Namespace) -> int:
    """Releases events. Returns 1 when a named event is not quarantined."""
    if bool(options.event) == options.all:
        raise Failed("Name events, or use --all.")
    event_ids = None if options.all else [_event(text) for text in options.event]
    released = set(quarantine.release(event_ids, datetime.now(UTC)))
    print(f"{len(released)} {'event' if len(released) == 1 else 'events'} will be routed again")
    missed = [each for each in event_ids or () if each not in released]
    for each in missed:
        print(f"{ids.encode(Prefix.EVENT, each)} is not quarantined", file=sys.stderr)
    return 1 if missed else 0


def _event(text: str) -> UUID:
    found = ids.decode(Prefix.EVENT, text)
    if found is None:
        raise Failed(f"{text} is not the id of an event.")
    return found
