"""How a replay is known: of a request by its header, of an event by its own key or its occurrence.

Specification 4.8.
"""

import hashlib
import re
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from inbox.domain.events import NewEvent

WINDOW = timedelta(hours=48)
"""How long requests and events are remembered; the specification asks for 24 hours at least."""

_KEY = re.compile(r"[\x21-\x7e]{1,255}")


class IdentityKind(StrEnum):
    """By what an event is known again."""

    KEY = "key"
    OCCURRENCE = "occurrence"


@dataclass(frozen=True, slots=True)
class Identity:
    """Within one source two events of the same kind and digest (32 bytes) are one.

    `content_digest` (kind `key` only): a different one under the same key is a mismatch, not a duplicate.
    """

    kind: IdentityKind
    digest: bytes
    content_digest: bytes | None


def identity(event: NewEvent, fingerprint: str, *, request_has_key: bool = False) -> Identity | None:
    """The event's own key; else, unless its request carried an `Idempotency-Key`, its fingerprint and time as sent.

    An alarm and its recovery are two occurrences even in the same second. None when nothing tells the event from
    another: it is then stored each time it comes.
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
