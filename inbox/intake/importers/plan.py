"""Plan of an import: items to create, entries that are left out, and warnings (specification 22.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar
from zoneinfo import available_timezones

from inbox.domain.events.fields import TAG_LIMIT, TAGS_LIMIT
from inbox.domain.heartbeats import schedule
from inbox.domain.values.text import one_line, without_nul

MAX_ITEMS = 500
"""The maximum number of items in a plan. Further ones are left out with a warning."""

MAX_SETUP_ITEMS = 2_000
"""The maximum number of items in the plan of a whole on-call set-up, with its people, schedules and profiles."""

MOST_LEFT_OUT = 1_000
"""The number of left-out entries after which reading stops."""

MAX_NOTES = 200
"""The maximum number of left-out entries, and of warnings, that are shown."""

MAX_ITEM_NOTES = 50
"""The maximum number of warnings of an item that are shown."""

NO_NAME = "(without a name)"
NAME_LIMIT = 100
REFERENCE_LIMIT = 200

PING_URL = "PING_URL_HERE"
"""Placeholder for the ping address of the new monitor in the texts."""

_TIMES = frozenset({"starts_at", "ends_at"})
"""Record columns that are times."""

LEAST_GRACE = timedelta(minutes=1)
LONGEST_GRACE = timedelta(days=366)


Entry = TypeVar("Entry")


class ItemKind(StrEnum):
    """The kind of record that an item becomes."""

    SOURCE = "source"
    MONITOR = "monitor"
    RULE = "rule"
    SILENCE = "silence"

    PERSON = "person"
    """A person of the other tool, who is a member with the same mail address, or none yet."""

    SCHEDULE = "schedule"
    PROFILE = "profile"


class Unreadable(Exception):
    """The document does not belong to this kind of import."""


@dataclass(frozen=True, slots=True)
class Item:
    """A record to create. `reference` names the entry of the other tool, so that a second import finds the record.

    `fields` are the columns of the record. `source` is the reference of the source that the record belongs to. `token`
    is a credential that the record keeps.
    """

    kind: ItemKind
    reference: str
    name: str
    text: str
    fields: Mapping[str, Any]
    source: str | None = None
    destinations: tuple[str, ...] = ()
    """Names of destinations that a rule notifies, if the workspace has them."""

    is_paused: bool = False
    token: str = field(default="", repr=False)
    has_ping_key: bool = False
    """Whether a source gets a key for pings of its monitors by their slugs."""

    snippet: str = ""
    warnings: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    """References of further items that the record names. They are created with it."""

    comparison: Mapping[str, Any] | None = None
    """The shifts of a schedule beside those that the other tool computed (`rendered_shifts.compared`)."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An entry that becomes no record, and the reason."""

    name: str
    reason: str


@dataclass(slots=True)
class Plan:
    """The items in the order of their creation: a source comes before its records."""

    items: list[Item] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    most_items: int = MAX_ITEMS
    _left_out_count: int = 0
    _names: Counter[str] = field(default_factory=Counter)
    _references: Counter[str] = field(default_factory=Counter)

    @property
    def is_full(self) -> bool:
        """Returns whether the plan has `most_items` items or `MOST_LEFT_OUT` left-out entries."""
        return len(self.items) >= self.most_items or self._left_out_count >= MOST_LEFT_OUT

    def reading(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        """Yields the entries of a set-up until the plan is full. A reader examines no others."""
        for entry in entries:
            if self.is_full:
                self.warn_full()
                return
            yield entry

    def warn_full(self) -> None:
        """Records that entries are not read because the plan is full."""
        if len(self.items) >= self.most_items:
            self.warn(f"Only the first {self.most_items:,} entries are read.")
        else:
            self.warn(f"{MOST_LEFT_OUT:,} entries are left out. The entries after them are not read.")

    def add(self, item: Item) -> None:
        """Adds an item. Beyond `most_items` it is left out."""
        if self.is_full:
            self.warn_full()
        else:
            self.items.append(item)

    def extend(self, other: Plan) -> None:
        """Adds the items and notes of another plan."""
        for item in self.reading(other.items):
            self.add(item)
        for entry in other.left_out:
            self.leave_out(entry.name, entry.reason)
        for text in other.warnings:
            self.warn(text)

    def leave_out(self, name: str, reason: str) -> None:
        """Records an entry that becomes no record."""
        self._left_out_count += 1
        if len(self.left_out) < MAX_NOTES:
            self.left_out.append(LeftOut(line(name) or NO_NAME, reason))
        else:
            self.warn(f"More than {MAX_NOTES} entries are left out. The others are not listed.")

    def warn(self, text: str) -> None:
        """Records a warning once."""
        if text not in self.warnings and len(self.warnings) < MAX_NOTES:
            self.warnings.append(text)

    def unique(self, name: str) -> str:
        """Returns the name on one line; a name that is already used gets a number."""
        name = line(name) or NO_NAME
        self._names[name] += 1
        number = self._names[name]
        return name if number == 1 else f"{name[: NAME_LIMIT - 6]} ({number})"

    def unique_reference(self, reference: str) -> str:
        """Returns the reference; one that is already used gets a number, so that equal entries stay distinct.

        A second import gives them the same numbers.
        """
        self._references[reference] += 1
        number = self._references[reference]
        return reference if number == 1 else f"{reference}:{number}"


def restored(stored: Mapping[str, Any]) -> Plan:
    """Restores the plan from JSON, where times are texts and tuples are lists."""
    items = [
        Item(
            **{
                **each,
                "kind": ItemKind(each["kind"]),
                "fields": {name: _restored(name, value) for name, value in each["fields"].items()},
                "destinations": tuple(each["destinations"]),
                "warnings": tuple(each["warnings"]),
                "needs": tuple(each["needs"]),
            }
        )
        for each in stored["items"]
    ]
    return Plan(items, [LeftOut(**each) for each in stored["left_out"]], list(stored["warnings"]))


def _restored(name: str, value: Any) -> Any:
    return datetime.fromisoformat(value) if name in _TIMES else value


def source(reference: str, name: str, text: str, **fields: Any) -> Item:
    """Returns an item that becomes a source."""
    return Item(ItemKind.SOURCE, reference, line(name), text, fields)


def line(text: str, limit: int = NAME_LIMIT) -> str:
    """Returns the text on one line with at most `limit` characters."""
    return one_line(stored_text(text))[:limit].strip()


def stored_text(text: str) -> str:
    """Removes characters that the database cannot store."""
    return without_nul(text.encode("utf-8", "replace").decode())


def tags(words: list[str]) -> list[str]:
    """Returns the first tags of a record, without duplicates."""
    return list(dict.fromkeys(filter(None, (line(word, TAG_LIMIT) for word in words))))[:TAGS_LIMIT]


def notes(texts: Iterable[str]) -> tuple[str, ...]:
    """Returns the first warnings of an item, without duplicates. The last one counts those that are not listed."""
    found = tuple(dict.fromkeys(texts))
    further = len(found) - MAX_ITEM_NOTES
    return found if further <= 0 else (*found[:MAX_ITEM_NOTES], f"{further:,} further warnings are not listed.")


def simple_schedule(seconds: object) -> dict[str, Any] | None:
    """Returns a schedule with a fixed period; None for a period that no monitor can have."""
    if isinstance(seconds, bool) or not isinstance(seconds, int):
        return None
    if not schedule.SHORTEST_PERIOD.total_seconds() <= seconds <= schedule.LONGEST_PERIOD.total_seconds():
        return None
    return {"kind": "simple", "periodSeconds": seconds}


def grace(seconds: object, otherwise: int = 300) -> int:
    """Returns the nearest grace in seconds that a monitor can have."""
    value = seconds if isinstance(seconds, int) and not isinstance(seconds, bool) else otherwise
    return int(min(max(value, LEAST_GRACE.total_seconds()), LONGEST_GRACE.total_seconds()))


def is_zone(name: str) -> bool:
    """Returns whether the time zone database has this name."""
    return name in _zones()


def words(stored: Mapping[str, Any]) -> str:
    """Describes a schedule in words."""
    return schedule.of_stored(stored).words


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())
