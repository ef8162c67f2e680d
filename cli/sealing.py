"""`bin/inbox seal`: the key ring under which stored credentials are sealed."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import Any

from cli.command import add_json_option, command, group, show
from inbox.runtime import sealing
from inbox.services.instance.resealing import reseal


def add_to(commands: Any) -> None:
    """Adds `seal rotate`."""
    under = group(commands, "seal", "the key ring of stored credentials")
    made = command(under, "rotate", rotate, "Seal stored credentials with the newest key of INBOX_SECRET_KEYS.")
    made.epilog = (
        "First put the new key before the old one in INBOX_SECRET_KEYS of every process and restart them. Then run this."
        " Remove the old key when the last line begins with Complete."
    )
    made.add_argument("--dry-run", action="store_true", help="only count")
    add_json_option(made)


def rotate(options: argparse.Namespace) -> int:
    """Seals all secrets with the first key. Returns 1 when one is left under an older key or opens with none."""
    found = reseal(datetime.now(UTC), dry_run=options.dry_run)
    rows = [
        {
            "table": table,
            "resealed": found.resealed[table],
            "underOlderKey": found.remaining[table],
            "unreadable": found.unreadable[table],
        }
        for table in found.resealed
    ]
    show(rows, as_json=options.json)
    if not options.json:
        newest = sealing.current().newest
        summary = f"Complete: everything is sealed with {newest}; older keys can be removed."
        print(summary if found.is_complete else f"Not complete: keep the keys older than {newest}.")
    return 0 if found.is_complete or options.dry_run else 1
