"""The records of a workspace as an application finds them: kept by files, created by people, or absent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from uuid import UUID

from inbox.api.configuration import keys as keys_of
from inbox.api.configuration.exports import Stored, document_of
from inbox.api.configuration.files import Entry, Files
from inbox.api.configuration.keys import SECTION_OF, Keys
from inbox.api.configuration.plan import FieldChange, differences
from inbox.api.configuration.sections import SECTIONS, Section
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Fault
from inbox.models.records import kept
from inbox.models.records.kept import KeptRecord

ADOPTED = "A person created it. The file keeps it from now on."
DELETED = "Deleted by hand."
BY_HAND = "A person created it."


@dataclass
class Standing:
    """The records of a workspace, and the keys under which files keep them."""

    workspace_id: UUID
    file_set: str
    rows: dict[str, dict[UUID, Any]]
    entries: dict[tuple[str, str], KeptRecord]
    keys: Keys
    found: dict[tuple[str, str], UUID] = field(default_factory=dict)
    """The records by the prefix of their ids and their keys."""

    adopted: set[tuple[str, str]] = field(default_factory=set)

    @cached_property
    def people(self) -> dict[str, UUID]:
        """The members of the workspace by their addresses in lower case."""
        return {address.lower(): id for id, address in self.keys.people.items()}

    def id_of(self, entry: Entry) -> UUID | None:
        """Returns the id of the record of an entry; None when it does not exist."""
        return self.found.get((entry.section.prefix, entry.key))

    def row_of(self, entry: Entry) -> Any:
        """Returns the row of an entry; None when it does not exist."""
        id = self.id_of(entry)
        return None if id is None else self.rows[entry.section.name].get(id)

    def entry_of(self, entry: Entry) -> KeptRecord | None:
        """Returns what the last application stored about an entry."""
        return self.entries.get((entry.section.record_type, entry.key))

    def add(self, entry: Entry, id: UUID) -> None:
        """Adds the record of an entry: a new one, or one that the file keeps from now on."""
        self.found[entry.section.prefix, entry.key] = id
        self.keys.records[id] = entry.key

    def document(self, entry: Entry, row: Any) -> dict[str, Any]:
        """Returns the row of an entry as a file has it. References to secrets are those of the file."""
        return document_of(entry.section, row, self.keys, entry.document)

    def is_adopted(self, entry: Entry) -> bool:
        """Returns whether no file, or another one, kept the record before."""
        before = self.entry_of(entry)
        return (entry.section.prefix, entry.key) in self.adopted or before is None or not self.is_own(before)

    def is_own(self, entry: KeptRecord) -> bool:
        """Returns whether these files keep the record, as one file or as files of a directory."""
        return entry.file == self.file_set or entry.file.startswith(f"{self.file_set}/")

    def notes_of(self, entry: Entry) -> list[str]:
        """Returns sentences about the past of a record."""
        before = self.entry_of(entry)
        if (entry.section.prefix, entry.key) in self.adopted:
            return [ADOPTED]
        if before is None:
            return []
        if before.record_id not in self.rows[entry.section.name]:
            return [DELETED]
        return [] if self.is_own(before) else [f"{before.file} kept it."]

    def drift_of(self, entry: Entry, now: Mapping[str, Any]) -> list[FieldChange]:
        """Returns the fields that people changed since the last application. `now` is the present document."""
        before = self.entry_of(entry)
        if before is None or before.record_id != self.id_of(entry):
            return []
        if entry.section.record_type in ("destination", "schedule"):  # with the references to secrets of that time
            row = self.rows[entry.section.name][before.record_id]
            now = document_of(entry.section, row, self.keys, before.applied)
        return differences(before.applied, now)

    def exchange(self, failed: set[tuple[str, str]]) -> Exchanger:
        """Returns the exchange of keys for ids. References to records that `failed` give faults without a text."""
        return Exchanger(self, failed)

    def absent(self, section: Section, files: Files, *, prune: bool) -> Iterator[tuple[Any, str, str]]:
        """Yields the row, key and note of each record to delete."""
        named = {id for each in files.of(section) if (id := self.id_of(each)) is not None}
        own = {each.record_id: each for each in self.entries.values() if each.record_type == section.record_type}
        is_pruned = prune and any(True for _ in files.of(section))
        for id, row in self.rows[section.name].items():
            before = own.get(id)
            if id in named or (before is not None and not self.is_own(before)):
                continue
            if before is not None:
                yield section.table.get_by_id(id), before.key, ""
            elif is_pruned:
                yield section.table.get_by_id(row.id), ids.encode(section.prefix, id), BY_HAND


@dataclass(slots=True)
class Exchanger:
    """Exchanges keys for ids, and collects the faults of unknown ones."""

    standing: Standing
    failed: set[tuple[str, str]]
    faults: list[Fault] = field(default_factory=list)

    def __call__(self, prefix: str, text: str, at: str) -> str:
        """Returns the id for a key or for the address of a person. An unknown one stays, with a fault."""
        if prefix == Prefix.USER:
            found = self.standing.people.get(text.lower())
            detail = f"No member of the workspace has the address {text}."
        elif prefix in SECTION_OF:
            found = self.standing.found.get((prefix, text))
            detail = f"No file keeps a record of the kind {SECTION_OF[Prefix(prefix)].label} with the key {text}."
        else:
            return text
        if found is None:
            self.faults.append(Fault(at, "" if (prefix, text) in self.failed else detail))
            return text
        return ids.encode(prefix, found)

    def of_filter(self, prefix: str, text: str, at: str) -> str:
        """Does the same for a filter of a view, which may also have the id of a record that no file keeps."""
        return text if ids.decode(prefix, text) is not None else self(prefix, text, at)


def standing_of(workspace_id: UUID, files: Files) -> Standing:
    """Returns the records of a workspace, with the record of each entry of the files that has one.

    An entry whose key is new keeps the record that a person created with the same name. An export gives such a record
    the key of the entry, or it is the only one with the name.
    """
    stored = Stored(workspace_id)
    entries = {(each.record_type, each.key): each for each in kept.of_workspace(workspace_id)}
    rows = {name: {row.id: row for row in found} for name, found in stored.rows.items()}
    standing = Standing(workspace_id, files.name, rows, entries, Keys(people=keys_of.addresses(workspace_id)))
    for section in SECTIONS:
        free = dict(rows[section.name])
        for (record_type, key), before in entries.items():
            if record_type == section.record_type and before.record_id in free:
                del free[before.record_id]
                standing.found[section.prefix, key] = before.record_id
                standing.keys.records[before.record_id] = key
        for entry in files.of(section):
            if standing.id_of(entry) is None and (row := _by_hand(section, entry, free, stored.keys)) is not None:
                del free[row.id]
                standing.add(entry, row.id)
                standing.adopted.add((section.prefix, entry.key))
    return standing


def _by_hand(section: Section, entry: Entry, free: Mapping[UUID, Any], keys: Keys) -> Any:
    """Returns the record that a person created and that the entry describes; None without one."""
    title = section.title(entry.document)
    same = [row for row in free.values() if str(getattr(row, section.title_field)) == title]
    by_key = [row for row in same if keys.records[row.id] == entry.key]
    chosen = by_key or same
    return chosen[0] if len(chosen) == 1 else None
