"""Cache keys of events. Matches give the same result for all events with the same key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from operator import attrgetter
from typing import Any

import orjson

from inbox.domain.matchers.fields import FieldKind, MatchSubject
from inbox.domain.matchers.tree import clauses

MAX_KEY_BYTES = 160
"""The limit of bytes in a key. Longer keys are replaced by a digest."""

MAX_PATHS = 50
"""The limit of paths in metadata that are read for a key. Beyond it the whole metadata is read: one value has many paths."""

_ATTRIBUTES = {
    "resource.kind": "resource",
    "resource.name": "resource",
    "dedupKey": "dedup_key",
    "externalId": "external_id",
    "source": "source_name",
}
"""The attributes from which fields are read, where their names differ."""

CacheKey = Callable[[MatchSubject], bytes]


def cache_key(trees: Iterable[Any]) -> CacheKey:
    """A function that computes the key of an event of one source for these checked matches.

    The key differs if any of their fields has another value. Texts that differ only in case have different keys, though
    matches may treat them as equal.
    """
    fields = {clause.field.name: clause.field for tree in trees for clause in clauses(tree)}.values()
    paths = [field.read for field in fields if field.kind is FieldKind.METADATA]
    names = [_ATTRIBUTES.get(field.name, field.name) for field in fields if field.kind is not FieldKind.METADATA]
    if len(paths) > MAX_PATHS:
        paths, names = [], [*names, "metadata"]
    head = _reader(list(dict.fromkeys(names)))

    def key_of(subject: MatchSubject) -> bytes:
        # The slice is a copy without the brackets: the result of `orjson` occupies a page of memory, and many keys are cached.
        encoded = orjson.dumps((head(subject), [read(subject) for read in paths]))[1:-1]
        return encoded if len(encoded) <= MAX_KEY_BYTES else blake2b(encoded, digest_size=16).digest()

    return key_of


def _reader(names: Sequence[str]) -> Callable[[MatchSubject], Iterable[Any]]:
    """A function that reads all attributes, in one call if there are several."""
    return attrgetter(*names) if len(names) > 1 else lambda subject: [getattr(subject, name) for name in names]
