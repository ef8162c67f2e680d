"""What of an event some matches look at: of events that look the same to them they meet all or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Any

import orjson

from inbox.domain.matchers.fields import Subject
from inbox.domain.matchers.tree import clauses

SHORT = 160
"""Bytes that are kept as they are; of what is longer a digest is."""

Sight = Callable[[Subject], bytes]


def sight(trees: Iterable[Any]) -> Sight:
    """How these checked matches see an event of one source, in few bytes: others where any of their fields holds another value.

    Texts that are the same but for upper case are others here, though matches may take them for the same.
    """
    fields = {clause.field.name: clause.field.read for tree in trees for clause in clauses(tree)}
    reads = tuple(fields.values())

    def seen(subject: Subject) -> bytes:
        looks = orjson.dumps([read(subject) for read in reads])
        return looks if len(looks) <= SHORT else blake2b(looks, digest_size=16).digest()

    return seen
