"""What a receiver's answer means for a delivery: sent, tried again, given up, or the destination stops.

Specification 9.7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum

from inbox.domain.addresses import AddressClass
from inbox.domain.redaction import MARK, redact

RETRY_DELAYS = tuple(
    timedelta(seconds=seconds) for seconds in (0, 5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800)
)
"""How long before each attempt is waited, counted from the end of the one before (specification 9.6)."""

ATTEMPTS = len(RETRY_DELAYS)
JITTER = 0.2
LONGEST_OBEYED_WAIT = timedelta(hours=1)
REFUSALS_TO_STOP = 5
MAX_HELD = timedelta(hours=24)
"""How old a held delivery may be to leave when its destination resumes (specification 9.8)."""

EXCERPT_BYTES = 2_048

STOPPING = frozenset({401, 403, 404, 410})
"""Answers that say: not here, not with this, not any more."""

PASSING = frozenset({408, 429})
"""The 4xx answers that say: not now."""


class Status(StrEnum):
    """Where a delivery stands (specification 9.5)."""

    PENDING = "pending"
    """Due, and not tried yet."""

    SENDING = "sending"
    """Claimed by a worker until its lease ends."""

    RETRYING = "retrying"
    """Tried, and due again at a time."""

    HELD = "held"
    """Kept while its destination is stopped, or until quiet hours end."""

    SENT = "sent"
    """The receiver answered 2xx."""

    FAILED = "failed"
    """Given up for good."""

    SKIPPED = "skipped"
    """Never sent: its destination was disabled, or when quiet hours ended there was nothing left to tell (`cause`)."""

    EXPIRED = "expired"
    """Held for longer than 24 hours."""


class FailureReason(StrEnum):
    """Why there is no answer: the only words that are stored and shown of it."""

    TIMEOUT = "timeout"
    """No whole answer within the time allowed."""

    NAME_UNKNOWN = "name_unknown"
    """The host's name was not found."""

    ADDRESS_REFUSED = "address_refused"
    """The host's address is not one that we call."""

    CONNECT_FAILED = "connect_failed"
    """No connection to the host."""

    TLS_FAILED = "tls_failed"
    """No trusted encrypted connection to the host."""

    CONNECTION_LOST = "connection_lost"
    """The connection ended before the answer."""

    BAD_ANSWER = "bad_answer"
    """What came back is not HTTP, or too much of it."""

    UNSENDABLE = "unsendable"
    """The destination's own settings cannot be used; edit it."""


FAILURE_STATUS = "^(http|redirect)_[1-9][0-9]{2}$"
"""How a status is written as the reason of a failure: `http_503`, `redirect_302`."""

REFUSAL = "^http_4[0-9]{2}$"
"""How the status is written for which a destination stops."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one call came to: a status code, or the trouble why there is none.

    `excerpt` is sanitised and has at most 2 KiB. It is empty unless the answer came from a public address.
    """

    status_code: int | None = None
    failure: FailureReason | None = None
    duration_ms: int = 0
    excerpt: str = ""
    retry_after: timedelta | None = None

    @property
    def reason(self) -> str:
        """A short word that may be stored and shown: `http_404`, `redirect_302`, or the trouble."""
        code = self.status_code
        if code is None:
            return str(self.failure or FailureReason.CONNECTION_LOST)
        return f"redirect_{code}" if 300 <= code < 400 else f"http_{code}"


@dataclass(frozen=True, slots=True)
class Sent:
    """The receiver has it; the count of refusals is cleared."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again `after` this long."""

    after: timedelta
    reason: str


@dataclass(frozen=True, slots=True)
class GiveUp:
    """This delivery has failed for good; later ones are still sent."""

    reason: str


@dataclass(frozen=True, slots=True)
class Stop:
    """The destination stops; this delivery and all that wait are held until it resumes."""

    reason: str


NextStep = Sent | Retry | GiveUp | Stop


def next_step(receipt: Receipt, attempt: int, refusals: int, jitter: float) -> NextStep:
    """What follows from an answer (specification 9.7).

    `attempt` is its number, from 1; `refusals` the other-4xx answers in a row of this destination before it; `jitter`
    from -1 to 1, chosen by the caller.
    """
    code = receipt.status_code
    if code is not None:
        if 200 <= code < 300:
            return Sent()
        if code in STOPPING:
            return Stop(receipt.reason)
        if is_refusal(code):
            return Stop(receipt.reason) if refusals + 1 >= REFUSALS_TO_STOP else GiveUp(receipt.reason)
    if attempt >= ATTEMPTS:
        return GiveUp(receipt.reason)
    wait = RETRY_DELAYS[attempt] * (1 + JITTER * max(-1.0, min(1.0, jitter)))
    asked = min(receipt.retry_after or timedelta(), LONGEST_OBEYED_WAIT)
    return Retry(max(wait, asked), receipt.reason)


def is_refusal(code: int) -> bool:
    """Whether a status is one of the "other 4xx" that give up one event and, five in a row, stop the destination."""
    return 400 <= code < 500 and code not in STOPPING and code not in PASSING


def refusals_after(receipt: Receipt, refusals: int) -> int:
    """The destination's count after this answer: only a delivered notice clears it (specification 9.7)."""
    code = receipt.status_code
    if code is None:
        return refusals
    if 200 <= code < 300:
        return 0
    return refusals + 1 if is_refusal(code) else refusals


def parse_retry_after(text: str | None, now: datetime) -> timedelta | None:
    """The wait that a `Retry-After` asks for, in seconds or as an HTTP date; `None` when it is neither or past."""
    text = (text or "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return timedelta(seconds=int(text))
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    wait = at.replace(tzinfo=at.tzinfo or UTC) - now
    return wait if wait > timedelta() else None


_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)


def kept_excerpt(body: bytes, reach: AddressClass, encoding: str = "identity") -> str:
    """The excerpt of an answer from an address of this kind: only answers from public addresses may be shown.

    Whoever may create a destination could otherwise read the answers of servers in the local network. A compressed answer
    has no excerpt.
    """
    return excerpt(body) if reach is AddressClass.PUBLIC and encoding.lower() == "identity" else ""


def excerpt(body: bytes, secrets: Iterable[str] = ()) -> str:
    """The beginning of an answer as it may be stored and shown: no control or direction characters, none of our keys,
    none of `secrets`, at most 2 KiB."""
    text = redact(_UNSEEN.sub(" ", body[: 2 * EXCERPT_BYTES].decode("utf-8", errors="replace")))
    for secret in secrets:
        if secret:
            text = text.replace(secret, MARK)
    return text.encode("utf-8")[:EXCERPT_BYTES].decode("utf-8", errors="ignore").strip()
