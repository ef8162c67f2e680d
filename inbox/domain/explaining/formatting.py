"""The format of times, names and causes in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from inbox.domain.deliveries.delivery import FailureReason

MAX_NAMES = 5
"""The limit of listed names. Further names are counted."""

_A_DAY = timedelta(hours=24)


def clock(at: datetime, zone: ZoneInfo, reference: datetime) -> str:
    """Returns the local time of `at` with the zone: `07:00 Europe/Berlin`.

    The date is added if `reference` is at least one day away: `Sat 21 Nov 2026 07:00 Europe/Berlin`.
    """
    wall = at.astimezone(zone)
    form = "%H:%M" if abs(at - reference) < _A_DAY else "%a %d %b %Y %H:%M"
    return f"{wall.strftime(form)} {zone.key}"


def instant(at: datetime) -> str:
    """Returns the moment for sentences of the API: `2026-11-21T06:00:00Z`. The dashboard writes it on the reader's clock."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def names(of: Sequence[str]) -> str:
    """Returns a list of names: `Pager`, `Pager and Chat`, `Pager, Chat and 3 more`; `nobody` for an empty list."""
    if not of:
        return "nobody"
    shown = list(of) if len(of) <= MAX_NAMES else [*of[: MAX_NAMES - 1], f"{len(of) - MAX_NAMES + 1} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def series(of: Sequence[str]) -> str:
    """Returns all parts in one text: `Monday`, `Monday and Friday`, `Monday, Tuesday and Friday`."""
    return of[0] if len(of) == 1 else f"{', '.join(of[:-1])} and {of[-1]}"


def sentence(words: str) -> str:
    """Returns a text as a sentence, with a capital letter and a full stop."""
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "…")) else ".")


def failure_text(cause: str | None) -> str:
    """Returns the text of a failure cause: `HTTP 503` for `http_503`, `the host name was not found` for `name_unknown`."""
    word, _, code = (cause or "").partition("_")
    if code.isdecimal() and word in ("http", "redirect"):
        return f"HTTP {code}" if word == "http" else f"HTTP {code}: redirects are not followed"
    return _FAILURES.get(cause or "", (cause or "").replace("_", " "))


def receiver_text(cause: str | None) -> str:
    """Returns the failure as an act of a receiver: `endpoint returned 410`, `endpoint redirected with 302`, or
    `failure_text`.
    """
    word, _, code = (cause or "").partition("_")
    if code.isdecimal() and word in ("http", "redirect"):
        return f"endpoint returned {code}" if word == "http" else f"endpoint redirected with {code}"
    return failure_text(cause) or "endpoint returned an error"


_FAILURES: Mapping[str, str] = {
    FailureReason.TIMEOUT: "no complete response in time",
    FailureReason.NAME_UNKNOWN: "the host name was not found",
    FailureReason.ADDRESS_REFUSED: "this instance does not allow the address of the host",
    FailureReason.CONNECT_FAILED: "the connection failed",
    FailureReason.TLS_FAILED: "no trusted TLS connection",
    FailureReason.CONNECTION_LOST: "the connection closed before the response",
    FailureReason.BAD_RESPONSE: "the response was not valid HTTP, or too long",
    FailureReason.UNSENDABLE: "the settings of the destination cannot be used; edit it",
    FailureReason.MESSAGE_REFUSED: "the service refused the message",
    FailureReason.DESTINATION_REFUSED: "the service refused the credential or the recipient",
    FailureReason.SERVICE_BUSY: "the service was busy",
    FailureReason.UNDELIVERED: "the service accepted the message but could not deliver it",
}
