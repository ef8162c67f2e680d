"""Base of every tool module: the payload, nodes that are safe to read, and the description of a tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inbox.domain.events.fields import EventWarning
from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.refusals import Fault
from inbox.intake.signatures import SigningScheme
from inbox.intake.source_kind import Snippet
from inbox.runtime import work_budget

Event = dict[str, Any]
"""The fields of one event as `POST /v1/events` accepts them. Tools create only valid events."""


FEWER_ITEMS = "Send fewer items at once."
ITEMS_OF_STEP = 16
"""The number of items after which a reader spends from the budget of the request. One item takes microseconds."""

MOST_ITEMS = 5_000
"""The maximum number of items of a payload that are read. The others are counted."""

MOST_ELEMENTS = 5_000
"""The maximum number of array elements inside an item, such as tags or jobs, that are read in one step."""


class OddItem(Exception):
    """An item lacks a required part of an alert. The other items of the payload are still read."""

    def __init__(self, pointer: str, detail: str) -> None:
        super().__init__(detail)
        self.fault = Fault(pointer, detail)


class WrongPayload(Exception):
    """The payload does not come from this tool, or none of its items can be read."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(fault.detail for fault in faults))
        self.faults = faults


class Node:
    """A JSON value of a sender, with its JSON pointer. Reading never fails, unless the caller requires a member."""

    __slots__ = ("pointer", "value")

    def __init__(self, value: Any, pointer: str = "") -> None:
        self.value = value
        self.pointer = pointer

    def at(self, *path: str) -> Node:
        """Returns the member at the path; its value is None if a step is missing."""
        return Node(_member(self.value, path), "/".join((self.pointer, *path)))

    def text(self, *path: str) -> str:
        """Returns a string, number or boolean as trimmed text; empty for everything else."""
        return _text(_member(self.value, path))

    def first(self, *names: str) -> str:
        """Returns the text of the first of these members that has one."""
        for name in names:
            text = _text(_member(self.value, name.split(".")))
            if text:
                return text
        return ""

    def require(self, *path: str) -> str:
        """Returns the text, which must not be empty. Raises `OddItem`."""
        found = self.text(*path)
        if not found:
            raise OddItem(self.at(*path).pointer, "is required, as a text or a number")
        return found

    def items(self, *path: str) -> list[Node]:
        """Returns the members of an array; an empty list if there is no array."""
        found = self.at(*path)
        if not isinstance(found.value, list):
            return []
        return [Node(value, f"{found.pointer}/{index}") for index, value in enumerate(found.value)]

    def elements(self, *path: str) -> list[Node]:
        """Returns the first `MOST_ELEMENTS` members of an array inside an item.

        A text that lists more members would be cut anyway.
        """
        found = self.at(*path)
        if not isinstance(found.value, list):
            return []
        return Node(found.value[:MOST_ELEMENTS], found.pointer).items()

    def members(self, *path: str) -> dict[str, str]:
        """Returns the members of an object that have a text."""
        found = _member(self.value, path)
        if not isinstance(found, dict):
            return {}
        # Most members are texts, and a group of alerts has thousands of them.
        return {
            name: text
            for name, value in found.items()
            if (text := value.strip() if value.__class__ is str else _text(value))
        }

    def __bool__(self) -> bool:
        return bool(self.value)


def _member(value: Any, path: Sequence[str]) -> Any:
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def _text(value: Any) -> str:  # runs for each member of a payload
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else ""


@dataclass(frozen=True, slots=True)
class Payload:
    """A parsed body. `headers` have lower-case names."""

    document: Any
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def node(self) -> Node:
        """Returns the body as a node."""
        return Node(self.document)

    def header(self, name: str) -> str:
        """Returns a header; empty when it is missing."""
        return self.headers.get(name, "")


@dataclass(slots=True)
class Result:
    """The events of a payload, the faults of items that gave none, and the warnings of each event.

    `warnings` is empty when no event has one.
    """

    events: list[Event]
    faults: list[Fault]
    warnings: list[list[EventWarning]] = field(default_factory=list)
    unread: int = 0
    """The items beyond `MOST_ITEMS`, and those that the budget of the request did not suffice for."""
    group: str = ""
    """The group of the tool to which the events belong; empty without one. It has at most 255 characters."""


Items = Callable[[Payload], list[Node]]
"""Returns the items of a payload; an empty list when it does not come from the tool."""

Warn = Callable[[Payload], list[EventWarning]]
"""Returns warnings for the operator about a readable payload. They are attached to its first event."""

Read = Callable[[Node, Payload], Event | None]
"""Returns the event of an item; None for an item that reports nothing. Raises `OddItem`."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that calls `POST /v1/hooks/{name}`. `expected` describes its payload."""

    name: str
    label: str
    summary: str
    setup: str
    """The place in the tool where the address and the key are entered."""

    expected: str
    items: Items
    read: Read
    time: TimeMeaning
    """The meaning of its `occurredAt` in alarms. An end has the time of the end."""

    signing: SigningScheme | None = None
    """The signing scheme of the tool; None when it does not sign."""

    warn: Warn | None = None
    group: Callable[[Payload], str] | None = None
    """Returns the group of a payload, by which people of the tool want to be notified once; None for a tool without.
    One incident for each group is the default of sources (`IncidentFor`)."""

    documentation: str = ""
    """The documentation page of the vendor."""

    synonyms: tuple[str, ...] = ()
    """Alternative names in the path."""

    listed_as: str = ""
    """The name by which lists sort the tool, if it differs."""

    more: tuple[Snippet, ...] = ()
    """Further snippets. A snippet with its own kind of key calls another address."""

    def events(self, payload: Payload) -> Result:
        """Returns the events of a payload. Raises `WrongPayload`."""
        items = self.items(payload)
        if not items:
            raise WrongPayload([Fault("", f"is no payload of {self.label}: {self.expected}")])
        group = "" if self.group is None else self.group(payload)
        result = Result([], [], group=group)
        read = self._read_each(items[:MOST_ITEMS], payload, result)
        if read < len(items):
            result.unread = len(items) - read
            result.faults.append(Fault(items[read].pointer, "this item and those after it were not read"))
        if result.faults and not result.events:
            raise WrongPayload(result.faults)
        if self.warn is not None and result.events and (warnings := self.warn(payload)):
            result.warnings.extend([warnings, *([] for _ in result.events[1:])])
        return result

    def _read_each(self, items: list[Node], payload: Payload, result: Result) -> int:
        """Reads the items into the result, until the budget of the request ends. Returns how many it read.

        In a big outage the alerts that were read are stored: a sender does not repeat what is refused. Raises
        `TooCostly` when no event was read.
        """
        for index, item in enumerate(items):
            if index % ITEMS_OF_STEP == 0:
                if not result.events:
                    work_budget.spend(FEWER_ITEMS)
                elif not work_budget.has_left():
                    return index
            try:
                event = self.read(item, payload)
            except OddItem as odd:
                result.faults.append(odd.fault)
            else:
                if event is not None:
                    result.events.append(event)
        return len(items)


def body_with(*members: str) -> Items:
    """Returns a function that finds the body itself, if it is an object with one of these members."""

    def items(payload: Payload) -> list[Node]:
        document = payload.document
        has = isinstance(document, Mapping) and any(document.get(name) is not None for name in members)
        return [payload.node] if has else []

    return items


def array(name: str) -> Items:
    """Returns a function that finds the members of an array of the body."""
    return lambda payload: payload.node.items(name)
