"""The status of a delivery, and the next step after a receipt: sent, retry, give up, or stop the destination.

Specification 9.7.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any

from inbox.domain.values.addresses import AddressClass

RETRY_DELAYS = tuple(
    timedelta(seconds=seconds) for seconds in (0, 5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800)
)
"""The delay before each attempt, from the end of the previous one (specification 9.6)."""

ATTEMPTS = len(RETRY_DELAYS)
JITTER = 0.2
MAX_RETRY_AFTER = timedelta(hours=1)
CLOCK_DIFFERENCE = timedelta(minutes=5)
"""The maximum difference between the clocks of workers. A pause that ends later comes from a clock that ran fast."""

MAX_UNNAMED_PAUSE = timedelta(minutes=2)
"""The longest pause of a destination whose service is busy and names no time."""

MAX_SHARED_PAUSE = timedelta(seconds=30)
"""The longest pause of the other destinations of a server that accepts nothing at present."""

UNDELIVERED_ATTEMPTS, UNDELIVERED_AFTER = 3, timedelta(minutes=2)
"""The number of failed attempts, or the time after one, from which on a delivery is shown as not delivered yet."""

REFUSALS_TO_STOP = 5
SECOND_TRY_AFTER = timedelta(minutes=2)
"""The delay of a second try after a status of `STOP_STATUSES` from a service: proxies and deployments send them, too."""

MAX_HELD = timedelta(hours=24)
"""The time for which a stopped destination can hold a delivery that is still sent when it resumes (specification 9.8)."""

STOP_STATUSES = frozenset({401, 403, 404, 410})
"""The statuses that stop the destination: its URL or credential is permanently wrong."""

_STOP_CAUSES = frozenset(f"http_{code}" for code in STOP_STATUSES)

RETRY_STATUSES = frozenset({408, 429})
"""The 4xx statuses that are temporary."""

TOO_MANY_REQUESTS = 429


class Status(StrEnum):
    """The status of a delivery (specification 9.5)."""

    PENDING = "pending"
    """Due and not yet attempted."""

    SENDING = "sending"
    """Claimed by a worker until its lease ends."""

    RETRYING = "retrying"
    """Attempted at least once, and due again at a time."""

    HELD = "held"
    """Held while its destination is stopped, until quiet hours end, or until its digest is due."""

    SENT = "sent"
    """The receiver responded with 2xx."""

    FAILED = "failed"
    """Given up permanently."""

    SKIPPED = "skipped"
    """Never sent: the destination was disabled, or the notice was obsolete when quiet hours ended (`cause`)."""

    EXPIRED = "expired"
    """Held for longer than 24 hours."""

    GATHERED = "gathered"
    """A digest contains the notice. Its outcome is the status of the digest's delivery."""


class FailureReason(StrEnum):
    """The reason why there is no response. Only these words are stored and shown."""

    TIMEOUT = "timeout"
    """No complete response within the timeout."""

    NAME_UNKNOWN = "name_unknown"
    """The name of the host does not resolve."""

    ADDRESS_REFUSED = "address_refused"
    """The outbound address policy refuses the address of the host."""

    CONNECT_FAILED = "connect_failed"
    """No connection to the host."""

    TLS_FAILED = "tls_failed"
    """No trusted encrypted connection to the host."""

    CONNECTION_LOST = "connection_lost"
    """The connection ended before the response."""

    BAD_RESPONSE = "bad_answer"
    """The response is not HTTP or too large."""

    UNSENDABLE = "unsendable"
    """The settings of the destination cannot be used; a person must edit it."""

    MESSAGE_REFUSED = "message_refused"
    """The service answered that it does not accept this message. The destination works."""

    DESTINATION_REFUSED = "destination_refused"
    """The service answered that the credential or the recipient of the destination is wrong. The destination stops."""

    SERVICE_BUSY = "service_busy"
    """The service answered that it does not accept the message at present."""

    UNDELIVERED = "undelivered"
    """The service accepted the message, and reported later that it did not arrive."""


FAILURE_STATUS = "^(http|redirect)_[1-9][0-9]{2}$"
"""The form of a status as the reason of a failure: `http_503`, `redirect_302`."""

REFUSAL_STATUS = f"^(http_4[0-9]{{2}}|{FailureReason.DESTINATION_REFUSED}|{FailureReason.MESSAGE_REFUSED})$"
"""The form of a reason for which a destination stops."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of one call: a status code, or the reason why there is none.

    `failure` beside a status code comes from the body of the response; it counts instead of the status. `answer` is the
    text of the response, which may repeat secrets of the request. It is never stored. It is empty unless the response
    came from a public address. `excerpt` is derived from it: without secrets, at most 2 KiB. A later message of the
    incident uses `reference` to change this message or to reply to it. `is_server_limit`: the busy server accepts
    nothing from any destination of the kind, because they share it.
    """

    status_code: int | None = None
    failure: FailureReason | None = None
    duration_ms: int = 0
    answer: str = field(default="", repr=False)
    excerpt: str = ""
    retry_after: timedelta | None = None
    reference: Mapping[str, Any] | None = None
    is_server_limit: bool = False

    @property
    def is_accepted(self) -> bool:
        """Returns whether the receiver accepted the message."""
        return self.failure is None and self.status_code is not None and 200 <= self.status_code < 300

    @property
    def is_refusal(self) -> bool:
        """Returns whether the receiver refused this message, but not the destination. Five in a row stop the destination."""
        if self.failure is None and self.status_code is not None:
            return is_refusal(self.status_code)
        return self.failure is FailureReason.MESSAGE_REFUSED

    @property
    def stops(self) -> bool:
        """Returns whether the receiver reported a permanent fault of the destination."""
        if self.failure is None:
            return self.status_code in STOP_STATUSES
        return self.failure is FailureReason.DESTINATION_REFUSED

    def pause_after(self, attempt: int) -> timedelta | None:
        """Returns how long the whole destination pauses after the attempt with this number; None without a pause.

        A busy service names the time. Without a time, the pause grows with the attempts. A service can also name a time
        with an accepted message that used up its limit.
        """
        is_busy = self.status_code == TOO_MANY_REQUESTS or self.failure is FailureReason.SERVICE_BUSY
        if self.retry_after and (is_busy or self.is_accepted):
            return min(self.retry_after, MAX_RETRY_AFTER)
        return min(RETRY_DELAYS[min(attempt, ATTEMPTS - 1)], MAX_UNNAMED_PAUSE) if is_busy else None

    @property
    def reason(self) -> str:
        """The reason as a short word that is stored and shown: `http_404`, `redirect_302`, or the failure."""
        code = self.status_code
        if code is None or self.failure is not None:
            return str(self.failure or FailureReason.CONNECTION_LOST)
        return f"redirect_{code}" if 300 <= code < 400 else f"http_{code}"


@dataclass(frozen=True, slots=True)
class Sent:
    """The receiver accepted the notice. The count of refusals is cleared."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Retry `after` this delay."""

    after: timedelta
    reason: str


@dataclass(frozen=True, slots=True)
class GiveUp:
    """This delivery failed permanently. Later deliveries are still sent."""

    reason: str


@dataclass(frozen=True, slots=True)
class Stop:
    """The destination stops. This delivery and all waiting ones are held until it resumes."""

    reason: str


NextStep = Sent | Retry | GiveUp | Stop


def next_step(
    receipt: Receipt,
    attempt: int,
    refusals: int,
    jitter: float,
    *,
    age_at_service: timedelta | None = None,
    last_cause: str | None = None,
) -> NextStep:
    """Returns the next step after a receipt (specification 9.7).

    `attempt` is the number of the attempt, from 1. `refusals` is the number of consecutive other-4xx responses of this
    destination before it. `jitter` is from -1 to 1; the caller chooses it.

    `age_at_service` is the age of a delivery to a service, and `last_cause` the reason of its last attempt. A status
    alone stops a service at the last attempt, or when it repeats such a status after `SECOND_TRY_AFTER`.
    """
    if receipt.is_accepted:
        return Sent()
    if receipt.stops:
        is_first_try = last_cause not in _STOP_CAUSES or (age_at_service or timedelta()) < SECOND_TRY_AFTER
        is_asked_again = age_at_service is not None and is_first_try and attempt < ATTEMPTS
        is_in_doubt = is_asked_again and receipt.failure is None
        return Retry(SECOND_TRY_AFTER, receipt.reason) if is_in_doubt else Stop(receipt.reason)
    if receipt.is_refusal:
        return Stop(receipt.reason) if refusals + 1 >= REFUSALS_TO_STOP else GiveUp(receipt.reason)
    if attempt >= ATTEMPTS:
        return GiveUp(receipt.reason)
    delay = RETRY_DELAYS[attempt] * (1 + JITTER * max(-1.0, min(1.0, jitter)))
    requested_delay = min(receipt.retry_after or timedelta(), MAX_RETRY_AFTER)
    return Retry(max(delay, requested_delay), receipt.reason)


def is_refusal(code: int) -> bool:
    """Returns whether a status is one of the "other 4xx". One fails the delivery; five in a row stop the destination."""
    return 400 <= code < 500 and code not in STOP_STATUSES and code not in RETRY_STATUSES


def refusals_after(receipt: Receipt, refusals: int) -> int:
    """Returns the destination's count of refusals after this receipt. Only a success clears it (specification 9.7)."""
    if receipt.is_accepted:
        return 0
    return refusals + 1 if receipt.is_refusal else refusals


def parse_retry_after(text: str | None, now: datetime) -> timedelta | None:
    """Returns the delay of a `Retry-After` header, in seconds or as an HTTP date.

    Returns `None` if it is neither or in the past.
    """
    text = (text or "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return timedelta(seconds=int(text))
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    delay = at.replace(tzinfo=at.tzinfo or UTC) - now
    return delay if delay > timedelta() else None


_INVISIBLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)


def answer_text(body: bytes, address_class: AddressClass, encoding: str = "identity") -> str:
    """Returns the text of a response from an address of this class. Only responses from public addresses are shown.

    Otherwise a person who may create a destination could read responses of servers in the local network. A compressed
    response has no text. Control and direction characters are replaced.
    """
    if address_class is not AddressClass.PUBLIC or encoding.lower() != "identity":
        return ""
    return _INVISIBLE.sub(" ", body.decode("utf-8", errors="replace"))
