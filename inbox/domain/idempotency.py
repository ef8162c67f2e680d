"""Detection of repeats: of a request by its header, of an event by its own key or its occurrence.

Specification 4.8.
"""

import hashlib
import re
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from inbox.domain.events import NewEvent

WINDOW = timedelta(hours=48)
"""The period for which identities of requests and events are stored; the specification requires 24 hours at least."""

_KEY = re.compile(r"[\x21-\x7e]{1,255}")


class IdentityKind(StrEnum):
    """The kind of an event's identity."""

    KEY = "key"
    OCCURRENCE = "occurrence"


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of an event. Within one source, events with the same kind and digest (32 bytes) are duplicates.

    `content_digest` (kind `key` only): another digest under the same key is a mismatch, not a duplicate.
    """

    kind: IdentityKind
    digest: bytes
    content_digest: bytes | None


def identity(event: NewEvent, fingerprint: str, *, request_has_key: bool = False) -> Identity | None:
    """The event's own key, or its fingerprint and sent time unless its request had an `Idempotency-Key`.

    An alert and its recovery are two occurrences even in the same second. None when the event has no identity; it is
    then stored each time.
    """
    if event.idempotency_key:
        return Identity(IdentityKind.KEY, _digest(event.idempotency_key), event.content_digest)
    if event.occurred_at_sent is None or request_has_key:
        return None
    end = "recovery" if event.recovers else "alarm"
    return Identity(IdentityKind.OCCURRENCE, _digest(f"{fingerprint} {end} {event.occurred_at_sent}"), None)


def well_formed_key(header: str) -> bool:
    """Whether an `Idempotency-Key` header is 1 to 255 visible ASCII characters."""
    return _KEY.fullmatch(header) is not None


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
