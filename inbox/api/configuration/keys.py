"""Keys of records in files: those that a file gave, and those that an export derives from names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from inbox.api.configuration.sections import SECTIONS, Section
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.workspaces.settings import slug_of
from inbox.models.people.accounts import User
from inbox.models.people.members import Member
from inbox.models.records.kept import KeptRecord

KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")

SECTION_OF = {each.prefix: each for each in SECTIONS}


@dataclass(slots=True)
class Keys:
    """The keys of the records of a workspace by their ids, and the addresses of its people."""

    records: dict[UUID, str] = field(default_factory=dict)
    people: dict[UUID, str] = field(default_factory=dict)

    def of_id(self, prefix: str, text: str, at: str = "") -> str:
        """Returns the key of a record or the address of a person. An id without one stays."""
        id = ids.decode(prefix, text)
        found = self.people if prefix == Prefix.USER else self.records
        return text if id is None else found.get(id, text)


def of_workspace(
    workspace_id: UUID, rows: Mapping[str, list[tuple[Any, str]]], kept: Iterable[KeptRecord]
) -> tuple[Keys, dict[UUID, KeptRecord]]:
    """Returns the keys of all records, and the entries of those that a file keeps. `rows` are rows with their names."""
    entries = {each.record_id: each for each in kept}
    keys = Keys(people=addresses(workspace_id))
    for section in SECTIONS:
        keys.records |= _keys_of(section, rows[section.name], entries)
    return keys, entries


def addresses(workspace_id: UUID) -> dict[UUID, str]:
    """Returns the mail addresses of the members of a workspace."""
    members = Member.select(Member.user).where(Member.workspace == workspace_id)
    return dict(User.select(User.id, User.email).where(User.id.in_(members)).tuples())


def _keys_of(section: Section, rows: list[tuple[Any, str]], entries: Mapping[UUID, KeptRecord]) -> dict[UUID, str]:
    """Returns the key of each row. A second row of the same name gets a number, in the order of creation."""
    found = {row.id: entries[row.id].key for row, _ in rows if row.id in entries}
    used = set(found.values())
    for row, title in sorted(rows, key=lambda each: (each[0].created_at, each[0].id)):
        if row.id not in found:
            base, number = slug_of(title) or section.label.replace(" ", "-"), 1
            while (key := base if number == 1 else f"{base}-{number}") in used:
                number += 1
            found[row.id] = key
            used.add(key)
    return found
