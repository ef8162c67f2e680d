"""`bin/inbox doctor`: checks what an operator would, and says in plain words what to do."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from inbox import settings
from inbox.migrate import difference
from inbox.models.base import db
from inbox.services import condition, setup
from inbox.services.resealing import reseal
from inbox.unknown_settings import unknown_settings
from ops.cli.desk import command, show, takes_json

REMEDIES = {
    "queues": "Are enough workers running, and does a log of one complain? See bin/inbox queues and events quarantined.",
    "workers": "Start bin/worker, or bin/up, which runs everything.",
    "scheduler": "Start bin/scheduler, or bin/up, which runs everything.",
    "database": "Look at the database's load, its disk and its limit of connections.",
    "feed": "Look at Redis: bin/up restarts it by itself, another one you must.",
    "redis": "Look at its memory (maxmemory), its disk, and whether it is a replica or read-only.",
    "mail": "Look at INBOX_SMTP_URL, and at the workers' logs for what the mail server said.",
}


def add_to(commands: Any) -> None:
    """`doctor`."""
    takes_json(command(commands, "doctor", examine, "Check the instance, and say in plain words what to do."))


def examine(options: argparse.Namespace) -> int:
    """1 when something is not well."""
    rows = list(_findings(options.environment))
    show(rows, as_json=options.json)
    return 0 if all(row["state"] == "ok" for row in rows) else 1


def _findings(environ: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    tables = difference(db)
    yield _finding("tables", not str(tables), "are those of this version", str(tables))
    if tables.missing:
        return
    for name, part in condition.parts().items():
        remedy = REMEDIES["redis" if part.redis_refuses else name]
        advice = "" if part.status is condition.State.OK else " " + remedy
        yield {"what": name, "state": str(part.status), "said": part.detail + advice}
    sealed = reseal(datetime.now(UTC), dry_run=True)
    readable = not any(sealed.unreadable.values())
    yield _finding(
        "key ring", readable, "opens everything", "Some stored credentials open with no key of INBOX_SECRET_KEYS."
    )
    if any(sealed.remaining.values()):
        yield _finding("old keys", False, "", "Some credentials are under an older key: bin/inbox seal rotate.")
    yield _finding("accounts", not setup.is_required(), "there are some", "Nobody has one yet: bin/inbox user create.")
    unknown = unknown_settings(environ)
    yield _finding("settings", not unknown, "have known names", " ".join(unknown))
    chosen = settings.current()
    local = chosen.host in ("127.0.0.1", "::1", "localhost")
    yield _finding(
        "address",
        chosen.secure or local,
        f"is {chosen.base_url}",
        "INBOX_BASE_URL is not https: cookies travel openly.",
    )


def _finding(what: str, is_well: bool, well: str, otherwise: str) -> dict[str, Any]:
    return {"what": what, "state": "ok" if is_well else "degraded", "said": well if is_well else otherwise}
