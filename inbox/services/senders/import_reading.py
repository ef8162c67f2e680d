"""Reads the set-up of another tool: from a text, from a file, or from its API (specification 22.1).

A child process reads it, because its content decides how long that takes.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from inbox.config import settings
from inbox.config.settings import Settings
from inbox.database.base import connection_released
from inbox.destinations import outbound_policy
from inbox.destinations.http import CallResult, Client
from inbox.domain.deliveries.delivery import FailureReason
from inbox.domain.values.refusals import Fault, ValidationFailed
from inbox.intake.importers import uptime_kuma
from inbox.intake.importers.import_kind import ImportForm, ImportKind, Options
from inbox.intake.importers.plan import Plan, Unreadable
from inbox.intake.importers.registry import KINDS
from inbox.services.senders import import_fetching
from inbox.services.senders.import_children import Limits, Readers

MAX_TEXT = 1024 * 1024
"""The most characters of a text."""

MAX_FILE = 3 * 1024 * 1024
"""The most bytes of a file over the API. `bin/inbox import` reads larger files."""

MAX_DATABASE = 2 * 1024**3
"""The most bytes of a database file that `bin/inbox import` reads."""

DATABASE_SECONDS = 5.0
"""The time limit of its queries."""

MAX_ANSWER = 2 * 1024 * 1024
"""The most bytes of one answer of the API of a tool."""

SECONDS = 15.0

_FAILURES = {
    FailureReason.TIMEOUT: "The server did not answer in time.",
    FailureReason.NAME_UNKNOWN: "The host name of the server does not resolve.",
    FailureReason.ADDRESS_REFUSED: "The policy for outgoing calls blocks this address.",
    FailureReason.CONNECT_FAILED: "The connection to the server failed.",
    FailureReason.TLS_FAILED: "The TLS connection to the server failed.",
}

_readers = Readers(Limits())

_lock = threading.Lock()
_client: tuple[Settings, Client] | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """The set-up to import: a text, a file, or an address with a token. The token is used and never stored."""

    kind: ImportKind
    document: str | None = None
    file: bytes | None = None
    address: str | None = None
    token: str = field(default="", repr=False)
    options: Options = field(default_factory=Options)

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Draft:
        """Return the draft of the fields of a request. Raises `ValidationFailed`."""
        kind = KINDS[fields["kind"]]
        zone = fields.get("timezone", "UTC")
        draft = cls(
            kind,
            fields.get("document"),
            fields.get("file"),
            fields.get("address"),
            fields.get("token", ""),
            Options(zone, fields.get("has_user_field", False)),
        )
        given = [form for form in ImportForm if getattr(draft, form) is not None]
        if len(given) != 1 or given[0] not in kind.forms:
            forms = " or ".join(kind.forms)
            raise ValidationFailed(errors=[Fault("/kind", f"{kind.label} is imported from one {forms}.")])
        return draft


def read(draft: Draft) -> Plan:
    """Return the plan of the set-up. The connection of the caller returns to the pool meanwhile.

    Raises `ValidationFailed`, and `Unavailable` when other set-ups are being read for too long.
    """
    form = next(each for each in ImportForm if getattr(draft, each) is not None)
    order: dict[str, Any] = {
        "kind": draft.kind.kind,
        "form": form,
        "timezone": draft.options.timezone,
        "hasUser": draft.options.has_user,
    }
    with connection_released():
        match form:
            case ImportForm.DOCUMENT:
                content = (draft.document or "").encode()
            case ImportForm.FILE:
                content = draft.file or b""
            case ImportForm.ADDRESS:
                now = datetime.now(UTC)
                answers = fetch(draft, now, import_fetching.Limits())
                order["at"] = now.isoformat()
                order["answers"] = {path: len(answer) for path, answer in answers.items()}
                content = b"".join(answers.values())
        try:
            return _readers.read(order, content)
        except Unreadable as fault:
            raise _refused(f"/{form}", str(fault)) from None


def fetch(draft: Draft, now: datetime, limits: import_fetching.Limits) -> dict[str, bytes]:
    """Return the answers of the server. Raises `ValidationFailed`."""
    address = draft.address or ""
    if draft.kind.first_paths is None:
        return {path: _answer(draft, address, path) for path in draft.kind.paths}
    return import_fetching.fetch(draft.kind, lambda path: _result(draft, address, path), now, limits)


def read_database(path: Path) -> Plan:
    """Return the plan of a database file of Uptime Kuma, which is only read. Raises `ValidationFailed`."""
    if path.stat().st_size > MAX_DATABASE:
        raise _refused("/file", f"It has more than {MAX_DATABASE:,} bytes.")
    has_log = path.with_name(f"{path.name}-wal").exists()
    address = f"file:{quote(str(path.resolve()))}?mode=ro{'' if has_log else '&immutable=1'}"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            return uptime_kuma.read_database(connection, seconds=DATABASE_SECONDS)
    except sqlite3.Error:
        raise _refused("/file", "It cannot be opened as a SQLite database.") from None
    except Unreadable as fault:
        raise _refused("/file", str(fault)) from None


def client() -> Client:
    """Return the client for the APIs of other tools. It has the policy of destinations, and accepts larger answers."""
    global _client
    chosen = settings.current()
    with _lock:
        if _client is None or _client[0] is not chosen:
            made = Client(
                outbound_policy.policy(chosen), deadline=SECONDS, proxy=chosen.outbound_proxy, body_bytes=MAX_ANSWER
            )
            _client = (chosen, made)
        return _client[1]


def _answer(draft: Draft, address: str, path: str) -> bytes:
    """Return the answer to one path. Raises `ValidationFailed`, without the server's text."""
    result = _result(draft, address, path)
    import_fetching.check_status(path, result.receipt)
    return result.body


def _result(draft: Draft, address: str, path: str) -> CallResult:
    """Call one path. Raises `ValidationFailed` when no whole answer arrives."""
    headers = {"Accept": draft.kind.accept, **(draft.kind.headers(draft.token) if draft.token else {})}
    place, _, body = path.partition("\n")
    method = "POST" if body else "GET"
    more = {"Content-Type": "application/json"} if body else {}
    result = client().exchange(method, address.rstrip("/") + place, {**headers, **more}, body.encode() or None)
    failure = result.receipt.failure
    if failure is not None:
        raise _refused("/address", _FAILURES.get(failure, "The server did not send a valid response."))
    if len(result.body) >= MAX_ANSWER:
        raise _refused("/address", f"The answer to {place} is too large.")
    return result


def _refused(pointer: str, detail: str) -> ValidationFailed:
    return ValidationFailed(errors=[Fault(pointer, detail)])
