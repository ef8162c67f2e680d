"""Mapping of a source: reads the JSON of any sender by paths that a person has chosen (specification 19.17)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import orjson

from inbox.domain.events.fields import Action, EventWarning, WarningCode
from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.redaction import cut
from inbox.domain.values.refusals import Fault
from inbox.domain.values.severity import Severity
from inbox.domain.values.text import one_line
from inbox.intake import event
from inbox.intake.base import Event, Node, Payload, Result, WrongPayload
from inbox.intake.paths import LONGEST_VALUE, Path, Root, Template, TooManyValues, parse_path, parse_template
from inbox.runtime import work_budget

TEXTS = {
    "title": "title",
    "body": "body",
    "type": "type",
    "resource": "resource",
    "url": "url",
    "external_id": "externalId",
    "dedup_key": "dedupKey",
    "occurred_at": "occurredAt",
}
"""The fields that are texts: names in a stored mapping, and names of an event."""

CUSTOM = "custom"
"""The name of the mapping among the tools in a path."""

NO_MAPPING = "the source has no mapping: an administrator makes one in its settings, with this payload as the sample"
NO_TITLE = "Event without a title"
MOST_ITEMS = 1_000
MOST_NESTED = 50
DEEPEST_NESTED = 6
LONGEST_NESTED = 2_000

TOO_COSTLY = "Use fewer paths in the mapping of the source, or send fewer items at once."

MILLISECONDS_FROM = 100_000_000_000
"""A number of this size or more is milliseconds since 1970, a smaller one is seconds."""


@dataclass(frozen=True, slots=True)
class _Field:
    template: Template
    default: str


class EventMapping:
    """A mapping that is ready to use. `stored` was checked when it was stored."""

    name, label = CUSTOM, "the mapping of this source"

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self.time = TimeMeaning(stored.get("time_meaning") or TimeMeaning.BEGINNING)
        self._items = parse_path(stored["items"], most_stars=2) if stored.get("items") else Path(True, ())
        self._texts = {name: _field(stored[name]) for name in TEXTS if stored.get(name)}
        self._severity, self._severities = _with_table(stored.get("severity"))
        self._action, self._actions = _with_table(stored.get("action"))
        self._tags = [parse_template(text) for text in stored.get("tags") or ()]
        self._metadata = {name: parse_template(text) for name, text in (stored.get("metadata") or {}).items()}
        fields = [*self._texts.values(), *(each for each in (self._severity, self._action) if each is not None)]
        templates = [*(each.template for each in fields), *self._tags, *self._metadata.values()]
        self._has_texts = bool(templates)
        self._of_item = {path for each in templates for path in each.paths if not path.is_from_root}

    def events(self, payload: Payload) -> Result:
        """Returns the events of a payload.

        Raises `WrongPayload` when no item gives an event, or when the paths look at too many values.
        """
        try:
            return self._events(Root(payload.document))
        except TooManyValues as fault:
            raise WrongPayload([Fault("", str(fault))]) from None

    def _events(self, root: Root) -> Result:
        result = Result([], [])
        items = list(islice(self._items.nodes(root, root), MOST_ITEMS + 1))
        for item in work_budget.spending(items[:MOST_ITEMS], TOO_COSTLY):
            if self._fits(item, root):
                made, warnings = self._event(item, root)
                result.events.append(made)
                result.warnings.append(warnings)
            else:
                result.faults.append(Fault(item.pointer, "no path of the mapping leads to a value"))
        if len(items) > MOST_ITEMS:
            result.faults.append(
                Fault(items[-1].pointer, f"this item and those after it: at most {MOST_ITEMS:,} are read")
            )
        if not result.events:
            raise WrongPayload(result.faults or [Fault("", "the path of the items leads to nothing")])
        return result

    def _fits(self, item: Node, root: Root) -> bool:
        """Returns whether a path leads to a value of the item.

        Also true if all texts are constants or come from the whole body.
        """
        return self._has_texts and (
            not self._of_item or any(next(path.values(item, root), None) is not None for path in self._of_item)
        )

    def _event(self, item: Node, root: Root) -> tuple[Event, list[EventWarning]]:
        warnings: list[EventWarning] = []
        found = {name: each.template.text(item, root)[:LONGEST_VALUE] for name, each in self._texts.items()}
        made: Event = {TEXTS[name]: text or self._texts[name].default for name, text in found.items()}
        made["tags"] = list(dict.fromkeys(text for each in self._tags for text in each.texts(item, root)))
        made["metadata"] = self._metadata_of(item, root, warnings)
        made["occurredAt"] = _time(made.get("occurredAt", ""), warnings)
        for name in ("dedupKey", "externalId"):
            if made.get(name):
                made[name] = event.bounded(made[name])
        if not one_line(made.get("title", "")):
            made["title"] = NO_TITLE
            warnings.append(_warning("/title", "no path of the mapping leads to a title"))
        made["severity"] = self._severity_of(item, root, warnings)
        made["action"] = self._action_of(item, root, warnings)
        if made["action"] == str(Action.RESOLVE) and not made.get("dedupKey"):
            made |= {"action": None, "severity": str(Severity.SUCCESS)}
            warnings.append(
                _warning("/dedupKey", "a recovery has no dedup key: it resolves by its fingerprint at most")
            )
        return {name: value for name, value in made.items() if value}, warnings

    def _metadata_of(self, item: Node, root: Root, warnings: list[EventWarning]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, template in self._metadata.items():
            path = template.only_path
            value: Any = template.text(item, root)[:LONGEST_VALUE]
            if not value and path is not None and not path.is_from_root and not path.stars:
                value = next(path.values(item, root), None)
                if isinstance(value, Mapping | list) and not _is_small(value):
                    work_budget.spend(TOO_COSTLY)
                    value = cut(orjson.dumps(value).decode(), LONGEST_NESTED)
                    warnings.append(
                        _warning(
                            "/metadata", f"`{name}` is large: stored as JSON text, cut to {LONGEST_NESTED} characters"
                        )
                    )
            if value not in ("", None, [], {}):
                found[name] = value
        return found

    def _severity_of(self, item: Node, root: Root, warnings: list[EventWarning]) -> str | None:
        """Returns the severity of the table, else of a word that all tools share, else the default of the mapping."""
        if self._severity is None:
            return None
        word = self._severity.template.text(item, root)
        if found := self._severities.get(word.lower()):
            return found
        default = self._severity.default or None
        if not word:
            return default
        shared = {event.severity(word, each) for each in (Severity.DEBUG, Severity.CRITICAL)}
        if len(shared) == 1:
            return str(shared.pop())
        stored = default or "the default of the source"
        warnings.append(_warning("/severity", f"`{word[:60]}` is not in the table: {stored} was stored"))
        return default

    def _action_of(self, item: Node, root: Root, warnings: list[EventWarning]) -> str | None:
        """Returns the action of the table, else a trigger. A table may list only the words of recoveries."""
        if self._action is None:
            return None
        word = self._action.template.text(item, root)
        found = self._actions.get(word.lower()) or self._action.default
        if not found and word and str(Action.TRIGGER) in self._actions.values():
            warnings.append(_warning("/action", f"`{word[:60]}` is not in the table: the event is a trigger"))
        return found or str(Action.TRIGGER)


def of_stored(stored: Mapping[str, Any]) -> EventMapping:
    """Returns the mapping of a source. The paths of a mapping are parsed once."""
    return _parsed(orjson.dumps(stored, option=orjson.OPT_SORT_KEYS))


class Unmapped:
    """Placeholder for the mapping of a source without one."""

    name, label, time = CUSTOM, "a mapped source", TimeMeaning.BEGINNING

    def events(self, payload: Payload) -> Result:
        """Raises `WrongPayload`."""
        raise WrongPayload([Fault("", NO_MAPPING)])


@lru_cache(maxsize=64)
def _parsed(stored: bytes) -> EventMapping:
    return EventMapping(orjson.loads(stored))


def _field(stored: Mapping[str, Any]) -> _Field:
    return _Field(parse_template(stored["template"]), stored.get("default") or "")


def _with_table(stored: Mapping[str, Any] | None) -> tuple[_Field | None, dict[str, str]]:
    if not stored:
        return None, {}
    return _field(stored), {word.strip().lower(): value for word, value in (stored.get("table") or {}).items()}


def _time(text: str, warnings: list[EventWarning]) -> str | None:
    """Returns a time or a number since 1970 in RFC 3339. Any other text is left out with a warning."""
    if not text:
        return None
    found = event.time(text) or event.epoch(text, per_second=1_000 if _is_milliseconds(text) else 1)
    if found is None:
        warnings.append(_warning("/occurredAt", f"`{text[:60]}` is no time: the time of receipt was stored"))
    return found


def _is_milliseconds(text: str) -> bool:
    try:
        return float(text) >= MILLISECONDS_FROM
    except ValueError:
        return False


def _is_small(value: Any) -> bool:
    """Returns whether a value has few values and levels, so that a batch stays within the limits of a body."""
    level, count = [value], 1
    for _ in range(DEEPEST_NESTED):
        inner = (
            each.values() if isinstance(each, Mapping) else each for each in level if isinstance(each, Mapping | list)
        )
        level = [value for values in inner for value in islice(values, MOST_NESTED)]
        count += len(level)
        if count > MOST_NESTED:
            return False
    return not any(isinstance(each, Mapping | list) for each in level)


def _warning(pointer: str, detail: str) -> EventWarning:
    return EventWarning(WarningCode.NOT_MAPPED, pointer, detail)
