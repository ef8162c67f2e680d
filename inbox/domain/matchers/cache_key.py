"""What of an event some matches look at: of events that look the same to them they meet all or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from operator import attrgetter
from typing import Any

import orjson

from inbox.domain.matchers.fields import Kind, Subject
from inbox.domain.matchers.tree import clauses

SHORT = 160
"""Bytes that are kept as they are; of what is longer a digest is."""

_NAMES = {
    "resource.kind": "resource",
    "resource.name": "resource",
    "dedupKey": "dedup_key",
    "externalId": "external_id",
    "source": "source_name",
}
"""Of what fields are read, where that is named otherwise."""

CacheKey = Callable[[Subject], bytes]


def cache_key(trees: Iterable[Any]) -> CacheKey:
    """How these checked matches see an event of one source, in few bytes: others where any of their fields holds another value.

    Texts that are the same but for upper case are others here, though matches may take them for the same.
    """
    fields = {clause.field.name: clause.field for tree in trees for clause in clauses(tree)}.values()
    paths = [field.read for field in fields if field.kind is Kind.METADATA]
    names = [_NAMES.get(field.name, field.name) for field in fields if field.kind is not Kind.METADATA]
    head = _reading(list(dict.fromkeys(names)))

    def seen(subject: Subject) -> bytes:
        # A copy without the brackets: what `orjson` answers keeps a page of memory, and many of these are kept.
        readers = orjson.dumps((head(subject), [read(subject) for read in paths]))[1:-1]
        return readers if len(readers) <= SHORT else blake2b(readers, digest_size=16).digest()

    return seen


def _reading(names: Sequence[str]) -> Callable[[Subject], Iterable[Any]]:
    """All of these at once, where they are more than one."""
    return attrgetter(*names) if len(names) > 1 else lambda subject: [getattr(subject, name) for name in names]
