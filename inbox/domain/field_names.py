"""The names of the fields of an event, and what is said of a name that is none of them."""

from collections.abc import Iterable, Iterator
from itertools import islice

from inbox.domain.name_suggestions import NameSuggestions
from inbox.domain.redaction import cut, redact
from inbox.domain.text import without_nul

NAMES = (
    "title", "severity", "action", "type", "resource", "dedupKey", "body", "tags", "url", "occurredAt", "externalId",
    "idempotencyKey", "metadata",
)  # fmt: skip
"""Every field of an event; others are not stored, so that senders newer than the service keep working."""

NAMES_OF_A_BODY = frozenset({*NAMES, "events"})

UNKNOWN = "unknown field, not stored"
UNKNOWN_LIMIT = 5
"""Unknown fields of one event that are named."""

LENGTH_LIMIT = 100
"""Characters of an unknown name that are shown."""

ALIASES = {
    "message": "body", "description": "body", "text": "body", "level": "severity", "priority": "severity",
    "name": "title", "summary": "title", "subject": "title", "labels": "tags", "link": "url", "timestamp": "occurredAt",
    "time": "occurredAt", "key": "dedupKey", "fingerprint": "dedupKey", "status": "action", "host": "resource",
    "service": "resource", "details": "metadata", "extra": "metadata", "id": "externalId",
}  # fmt: skip
"""What other tools call a field."""

_SPELLING = NameSuggestions(NAMES, ALIASES)


def unknown_fields(sent: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The first five names that are not known, redacted and cut, and what is said of each."""
    for name in islice((name for name in sent if name not in NAMES_OF_A_BODY), UNKNOWN_LIMIT):
        meant = _SPELLING.closest(name)
        shown = cut(redact(without_nul(name[: 4 * LENGTH_LIMIT])), LENGTH_LIMIT)
        yield shown, UNKNOWN if meant is None else f"{UNKNOWN}; did you mean `{meant}`?"
