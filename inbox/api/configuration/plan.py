"""What an application of files changes, as values and as words (specification 24.2)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

LONGEST_VALUE = 80
"""The maximum number of characters of a value in a plan."""

MISSING = object()


class Act(StrEnum):
    """What becomes of a record."""

    CREATE = "create"
    """The file has it, and the workspace does not."""

    CHANGE = "change"
    """It differs from the file."""

    ADOPT = "adopt"
    """It equals the file, which keeps it from now on. A person created it, or another file kept it."""

    DELETE = "delete"
    """Its file no longer has it."""

    REORDER = "reorder"
    """The rules get the order of the file."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field that differs, by its path. The values are those before and after."""

    path: str
    before: Any
    after: Any

    @property
    def text(self) -> str:
        """Returns the change in words."""
        return f"{self.path}: {_shown(self.before)} → {_shown(self.after)}"


@dataclass(slots=True)
class Change:
    """A change of one record. `notes` are sentences about it, such as a change by hand that is undone."""

    act: Act
    section: str
    key: str
    title: str
    fields: list[FieldChange] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def record(self) -> dict[str, Any]:
        """Returns the change as JSON."""
        fields = [{"path": each.path, "before": _json(each.before), "after": _json(each.after)} for each in self.fields]
        return {
            "act": str(self.act),
            "section": self.section,
            "key": self.key,
            "name": self.title,
            "fields": fields,
            "notes": self.notes,
        }


@dataclass(slots=True)
class Plan:
    """All changes in the order in which they are made, and the preview of the rules as a sentence."""

    changes: list[Change] = field(default_factory=list)
    preview: str | None = None

    def count(self, act: Act) -> int:
        """Returns the number of changes of a kind."""
        return sum(each.act is act for each in self.changes)

    @property
    def summary(self) -> str:
        """Returns the numbers of changes as a sentence."""
        if not self.changes:
            return "Nothing to change."
        words = {
            Act.CREATE: "to create",
            Act.CHANGE: "to change",
            Act.ADOPT: "to adopt",
            Act.DELETE: "to delete",
            Act.REORDER: "order of rules to change",
        }
        return ", ".join(f"{self.count(act)} {text}" for act, text in words.items() if self.count(act)) + "."

    def lines(self) -> Iterator[str]:
        """Yields the plan in words."""
        for change in self.changes:
            name = f" “{change.title}”" if change.title else ""
            yield f"{change.act:<8} {change.section}.{change.key}{name}".rstrip(".")
            yield from (f"         {each.text}" for each in change.fields)
            yield from (f"         {note}" for note in change.notes)
        if self.preview:
            yield f"\nRules, on the events of the last 24 hours: {self.preview}"
        yield f"\n{self.summary}" if self.changes else self.summary


def differences(before: Any, after: Any, path: str = "") -> list[FieldChange]:
    """Returns the fields that differ. Members of objects are compared one by one, and other lists as a whole."""
    if before == after:
        return []
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        names = [*after, *(name for name in before if name not in after)]
        found = (
            differences(before.get(name, MISSING), after.get(name, MISSING), f"{path}.{name}" if path else name)
            for name in names
        )
        return [change for changes in found for change in changes]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after) and _are_objects(before):
        pairs = enumerate(zip(before, after, strict=True))
        return [change for place, (old, new) in pairs for change in differences(old, new, f"{path}.{place}")]
    return [FieldChange(path, before, after)]


def series(changes: Sequence[FieldChange]) -> str:
    """Returns the paths of changes in one line."""
    return ", ".join(each.path for each in changes)


def _are_objects(values: list[Any]) -> bool:
    return all(isinstance(each, Mapping) for each in values)


def _shown(value: Any) -> str:
    if value is MISSING:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


def _json(value: Any) -> Any:
    return None if value is MISSING else value
