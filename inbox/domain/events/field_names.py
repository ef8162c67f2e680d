"""The field names of an event, and the warnings about unknown names."""

from collections.abc import Iterable, Iterator
from itertools import islice

from inbox.domain.values.name_suggestions import NameSuggestions
from inbox.domain.values.redaction import cut, redact
from inbox.domain.values.text import without_nul

NAMES = (
    "title", "severity", "action", "type", "resource", "dedupKey", "body", "tags", "url", "occurredAt", "externalId",
    "idempotencyKey", "metadata",
)  # fmt: skip
"""All fields of an event. Other fields are not stored, so that senders newer than the service keep working."""

NAMES_OF_A_BODY = frozenset({*NAMES, "events"})

UNKNOWN = "unknown field, not stored"
UNKNOWN_LIMIT = 5
"""The maximum number of unknown fields that the warnings of one event name."""

LENGTH_LIMIT = 100
"""The number of characters shown of an unknown name."""

ALIASES = {
    "message": "body", "description": "body", "text": "body", "level": "severity", "priority": "severity",
    "name": "title", "summary": "title", "subject": "title", "labels": "tags", "link": "url", "timestamp": "occurredAt",
    "time": "occurredAt", "key": "dedupKey", "fingerprint": "dedupKey", "status": "action", "host": "resource",
    "service": "resource", "details": "metadata", "extra": "metadata", "id": "externalId",
}  # fmt: skip
"""The names of fields in other tools."""

_SPELLING = NameSuggestions(NAMES, ALIASES)


def unknown_fields(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yields the first five unknown names, redacted and cut, each with the text of its warning."""
    for name in islice((name for name in names if name not in NAMES_OF_A_BODY), UNKNOWN_LIMIT):
        suggestion = _SPELLING.closest(name)
        shown = cut(redact(without_nul(name[: 4 * LENGTH_LIMIT])), LENGTH_LIMIT)
        yield shown, UNKNOWN if suggestion is None else f"{UNKNOWN}; did you mean `{suggestion}`?"
