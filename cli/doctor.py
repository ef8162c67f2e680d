"""`bin/inbox doctor`: runs an operator's checks and says in plain words what to do."""

from __future__ import annotations

import argparse
import socket
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from cli.command import add_json_option, command, show
from inbox.config import settings
from inbox.config.settings import Settings
from inbox.config.unknown import unknown_settings
from inbox.database import replica as replicas
from inbox.database.base import db
from inbox.database.migrate import difference
from inbox.database.replica import ReplicaUnavailable
from inbox.models.instance import partitions
from inbox.runtime.distribution import typed
from inbox.services.instance import setup, system_status
from inbox.services.instance.resealing import reseal

MAIL_SECONDS = 3.0
"""The time in which the mail receiver must greet."""

REPLICA_SECONDS = 10.0
"""The time that a replica may be behind."""

NO_REPLICA = (
    "The replica of INBOX_READ_DATABASE_URL does not answer, and the primary does: check its server and its address."
)

REMEDIES = {
    "queues": f"Check that enough workers run, and read their logs. See {typed('queues')} and {typed('events quarantined')}.",
    "workers": f"Start {typed('worker')}, or {typed('up')}, which runs everything.",
    "scheduler": f"Start {typed('scheduler')}, or {typed('up')}, which runs everything.",
    "database": "Check the load, the disk and the connection limit of the database.",
    "feed": f"Check Redis. {typed('up')} restarts its own Redis; restart any other yourself.",
    "redis": "Check the memory (maxmemory) and the disk of Redis, and whether it is a replica or read-only.",
    "mail": "Check INBOX_SMTP_URL, and the answers of the mail server in the worker logs.",
}


def add_to(commands: Any) -> None:
    """Adds `doctor`."""
    add_json_option(command(commands, "doctor", examine, "Check the instance, and print what to do."))


def examine(options: argparse.Namespace) -> int:
    """Runs the checks. Returns 1 when one of them failed."""
    rows = list(_findings(options.environment))
    show(rows, as_json=options.json)
    return 0 if all(row["state"] == "ok" for row in rows) else 1


def _findings(environ: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    tables = difference(db)
    yield _finding("tables", not str(tables), "are those of this version", str(tables))
    if tables.missing:
        return
    for name, part in system_status.parts().items():
        remedy = REMEDIES["redis" if part.redis_refuses else name]
        advice = "" if part.status is system_status.State.OK else " " + remedy
        yield {"what": name, "state": str(part.status), "said": part.detail + advice}
    yield _partitions()
    yield from _replica()
    sealed = reseal(datetime.now(UTC), dry_run=True)
    readable = not any(sealed.unreadable.values())
    yield _finding(
        "key ring",
        readable,
        "opens all stored credentials",
        "Some stored credentials cannot be opened with INBOX_SECRET_KEYS: add the key that sealed them, from a backup.",
    )
    if any(sealed.remaining.values()):
        yield _finding(
            "old keys", False, "", f"Some credentials are sealed with an older key: run {typed('seal rotate')}."
        )
    yield _finding(
        "accounts",
        not setup.is_required(),
        "at least one exists",
        f"No account exists yet: run {typed('user create')}.",
    )
    yield from _mail_in(settings.current())
    unknown = unknown_settings(environ)
    yield _finding("settings", not unknown, "all are known", " ".join(unknown))
    chosen = settings.current()
    local = chosen.host in ("127.0.0.1", "::1", "localhost")
    yield _finding(
        "address",
        chosen.is_https or local,
        f"is {chosen.base_url}",
        "INBOX_BASE_URL is not https, so cookies are sent unencrypted: use a proxy with TLS and its https address.",
    )


def _partitions() -> dict[str, Any]:
    missing = partitions.tables_without_partition(datetime.now(UTC) + timedelta(days=1))
    remedy = f"No partition for tomorrow: {', '.join(missing)}. Run a worker with the queue `purge`, which adds them."
    return _finding("partitions", not missing, "of tomorrow exist", remedy)


def _replica() -> Iterator[dict[str, Any]]:
    """Checks the replica of reads, where there is one."""
    replica = replicas.current()
    if replica is None:
        return
    try:
        found = replica.status()
    except ReplicaUnavailable:
        yield _finding("replica", False, "", NO_REPLICA)
        return
    if found.identity != replica.primary_identity():
        yield _finding("replica", False, "", f"{replicas.OTHER_SYSTEM}.")
    elif not found.is_in_recovery:
        yield _finding("replica", False, "", "INBOX_READ_DATABASE_URL leads to a primary: name its standby.")
    else:
        said = f"is {found.lag_seconds:.1f} s behind"
        remedy = f"The replica {said}, and the primary answers instead: check its load, its disk and its network."
        yield _finding("replica", found.lag_seconds < REPLICA_SECONDS, said, remedy)


def _mail_in(chosen: Settings) -> Iterator[dict[str, Any]]:
    """Checks that the mail receiver greets, where there is one."""
    if not chosen.can_receive_mail:
        return
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(chosen.mail_in_host, chosen.mail_in_host)
    try:
        with socket.create_connection((host, chosen.mail_in_port), timeout=MAIL_SECONDS) as connection:
            connection.settimeout(MAIL_SECONDS)
            greets = connection.recv(4) == b"220 "
    except OSError:
        greets = False
    well = f"receives for @{chosen.mail_in_domain} on port {chosen.mail_in_port}"
    yield _finding("mail in", greets, well, f"No answer on port {chosen.mail_in_port}: start {typed('mail-in')}.")


def _finding(what: str, is_well: bool, well: str, otherwise: str) -> dict[str, Any]:
    return {"what": what, "state": "ok" if is_well else "degraded", "said": well if is_well else otherwise}
