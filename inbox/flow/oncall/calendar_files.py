"""Fetches the iCalendar file of an external calendar, and reads it in a child process (specification 23.20)."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import orjson

from inbox.config import settings
from inbox.config.settings import Settings
from inbox.destinations import outbound_policy
from inbox.destinations.http import CallResult, Client
from inbox.domain.deliveries.delivery import FailureReason
from inbox.domain.oncall.followed import AHEAD, Occurrence
from inbox.runtime import child_process

MAX_BYTES = 5 * 1024 * 1024
"""The most bytes of a file."""

SECONDS = 10.0
"""The time of one call."""

MAX_REDIRECTS = 3

CHILD_SECONDS, CPU_SECONDS, MEMORY_BYTES = 20.0, 8, 768 * 1024**2
"""The limits of the process that reads a file. One of 10,000 events takes 4 seconds and 200 MiB."""

MAX_RESULT = 32 * 1024 * 1024

_FAILURES = {
    FailureReason.TIMEOUT: "The server did not answer in time.",
    FailureReason.NAME_UNKNOWN: "The host name of the server does not resolve.",
    FailureReason.ADDRESS_REFUSED: "The policy for outgoing calls blocks this address.",
    FailureReason.CONNECT_FAILED: "The connection to the server failed.",
    FailureReason.TLS_FAILED: "The TLS connection to the server failed.",
}

_PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from inbox.intake.calendars import child; child.main()"
_ROOT = Path(__file__).parent.parent.parent.parent
_COMMAND = [sys.executable, "-I", "-c", _PROGRAM, str(_ROOT)]

_lock = threading.Lock()
_client: tuple[Settings, Client] | None = None


class CalendarFailed(Exception):
    """A calendar that cannot be fetched or read. The text has no part of its address or content."""


@dataclass(frozen=True, slots=True)
class CalendarFile:
    """The occurrences of a calendar, and the `ETag` of its file. Without occurrences the file is unchanged."""

    occurrences: list[Occurrence] | None
    etag: str


def fetch(url: str, etag: str, timezone: str, now: datetime) -> CalendarFile:
    """Fetches and reads a calendar. With an `etag`, the server may answer that the file is unchanged.

    The caller holds no connection to the database. Raises `CalendarFailed`.
    """
    result = _called(url, etag)
    if etag and result.receipt.status_code == 304:
        return CalendarFile(None, etag)
    if result.receipt.status_code != 200:
        raise CalendarFailed(f"The server answered {result.receipt.status_code}.")
    if result.headers.get("content-encoding", "identity").lower() != "identity":
        raise CalendarFailed("The server sent a compressed file, although it was asked for a plain one.")
    if len(result.body) > MAX_BYTES:
        raise CalendarFailed(f"The file has more than {MAX_BYTES // 1024**2} MiB.")
    found = read(result.body, timezone, now)
    return CalendarFile(found, result.headers.get("etag", "")[:200])


def read(content: bytes, timezone: str, now: datetime) -> list[Occurrence]:
    """Reads a file in a child process: what occurs from now on. Raises `CalendarFailed`."""
    order = {
        "timezone": timezone,
        "start": now.isoformat(),
        "end": (now + AHEAD).isoformat(),
        "cpuSeconds": CPU_SECONDS,
        "memoryBytes": MEMORY_BYTES,
    }
    with child_process.started(_COMMAND, CHILD_SECONDS) as child:
        with suppress(OSError):  # a child without memory answers before it has read everything
            child.input.write(orjson.dumps(order) + b"\n" + content)
            child.input.close()
        written = child.output.read(MAX_RESULT)
        child.process.wait()
    if child.is_late or child.ended_by == signal.SIGXCPU:
        raise CalendarFailed("Reading the file takes too long.")
    return _occurrences(orjson.loads(written) if written else {"unreadable": "Reading the file failed."})


def _occurrences(result: Mapping[str, Any]) -> list[Occurrence]:
    if "unreadable" in result:
        raise CalendarFailed(result["unreadable"])
    return [
        Occurrence(_at(starts), _at(ends), level, tuple(names), tuple(addresses))
        for starts, ends, level, names, addresses in result["occurrences"]
    ]


def _at(timestamp: float) -> datetime:
    return datetime.fromtimestamp(timestamp, UTC)


def _called(url: str, etag: str) -> CallResult:
    """Calls the server, and follows redirects. Each address is checked by the policy. Raises `CalendarFailed`."""
    headers = {"Accept": "text/calendar", **({"If-None-Match": etag} if etag else {})}
    for _ in range(MAX_REDIRECTS + 1):
        result = client().exchange("GET", url, headers)
        if result.receipt.failure is not None:
            raise CalendarFailed(_FAILURES.get(result.receipt.failure, "The server did not send a valid response."))
        if result.receipt.status_code not in (301, 302, 303, 307, 308) or "location" not in result.headers:
            return result
        url = urljoin(url, result.headers["location"])
    raise CalendarFailed("The server redirects too often.")


def client() -> Client:
    """Returns the client for calendars. It has the policy of destinations, and accepts larger answers."""
    global _client
    chosen = settings.current()
    with _lock:
        if _client is None or _client[0] is not chosen:
            policy = outbound_policy.policy(chosen)
            made = Client(
                policy,
                deadline=SECONDS,
                ca_file=chosen.ca_file,
                proxy=chosen.outbound_proxy,
                body_bytes=MAX_BYTES + 1,
            )
            _client = (chosen, made)
        return _client[1]
