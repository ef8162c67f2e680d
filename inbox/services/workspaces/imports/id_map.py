"""Which id a record of the file has here: its own where it is free, else a new one that follows from it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix

MAX_NEW_IDS = 1_000_000
"""The maximum number of ids of a file that other records may have. They are kept in memory."""

_IN_TEXT = re.compile(r'"([a-z]{3,4})_([0-7][0-9a-hjkmnp-tv-z]{25})"')
_RANDOM_BYTES = 10


def derived(workspace_id: UUID, id: UUID) -> UUID:
    """Returns the new id of a record: of the same millisecond, the same at each call, and another in each workspace."""
    digest = hashlib.blake2b(workspace_id.bytes + id.bytes, digest_size=_RANDOM_BYTES).digest()
    return ids.uuid7(id.int >> 80, digest)


def numbered(workspace_id: UUID, section: str, unix_ms: int, number: int) -> UUID:
    """Returns the id of a record that the file has without one. Records of a millisecond keep their order."""
    digest = hashlib.blake2b(workspace_id.bytes + section.encode(), digest_size=5).digest()
    random = (number << 40 | int.from_bytes(digest)) & ((1 << 74) - 1)
    return ids.uuid7(max(0, unix_ms), random.to_bytes(_RANDOM_BYTES))


@dataclass(slots=True)
class IdMap:
    """The ids of an import. `people` are the accounts here by the ids of the file, `workspace` both ids of the workspace.

    `new` are the ids of the file that other records have here. With `copies_events` all events get new ids, since an
    instance that has the workspace has its events.
    """

    workspace: tuple[UUID, UUID]
    people: dict[UUID, UUID] = field(default_factory=dict)
    new: set[UUID] = field(default_factory=set)
    copies_events: bool = False

    def of(self, prefix: str, id: UUID) -> UUID | None:
        """Returns the id here; None for a person without an account here."""
        if prefix == Prefix.USER:
            return self.people.get(id)
        if prefix == Prefix.WORKSPACE and id == self.workspace[0]:
            return self.workspace[1]
        if id in self.new or (self.copies_events and prefix == Prefix.EVENT):
            return derived(self.workspace[1], id)
        return id

    def in_json(self, text: str) -> str:
        """Returns JSON with the ids here. Ids of people without an account stay, beside their names."""
        return _IN_TEXT.sub(self._replaced, text)

    def without_strangers(self, value: Any) -> Any:
        """Returns JSON whose lists have no person without an account here."""
        match value:
            case list():
                return [self.without_strangers(each) for each in value if not self._is_stranger(each)]
            case dict():
                return {name: self.without_strangers(each) for name, each in value.items()}
            case _:
                return value

    def add_new(self, found: Iterable[UUID]) -> bool:
        """Adds ids that other records have. Returns False above the maximum."""
        self.new.update(found)
        return len(self.new) <= MAX_NEW_IDS

    def _replaced(self, match: re.Match[str]) -> str:
        prefix, id = match[1], ids.decode(match[1], f"{match[1]}_{match[2]}")
        here = None if id is None or prefix not in ids.PREFIXES else self.of(prefix, id)
        return match[0] if here is None else f'"{ids.encode(prefix, here)}"'

    def _is_stranger(self, value: Any) -> bool:
        named = value.get("userId") if isinstance(value, dict) else value
        id = ids.decode(Prefix.USER, named) if isinstance(named, str) else None
        return id is not None and id not in self.people
