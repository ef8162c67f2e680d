"""The variables of templates: the values of a notice, and paths into the metadata of its newest event (specification 9.17)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from inbox.domain.explaining.notice_content import NoticeContent
from inbox.domain.values.times import rfc3339

Path = tuple[str | int, ...]

MOST_LISTED, LONGEST_LISTED = 100, 200
"""The maximum number of variables in a list for an editor, and the maximum length of their values."""


class Variable(NamedTuple):
    """A variable as a template writes it, and its value: `labels.instance`, `db-1`."""

    name: str
    value: str


FIELDS: Mapping[str, Callable[[NoticeContent], str]] = MappingProxyType(
    {
        "title": lambda content: content.title,
        "sentence": lambda content: content.sentence,
        "status": lambda content: content.status,
        "severity": lambda content: str(content.severity),
        "state": lambda content: content.state,
        "reason": lambda content: content.reason,
        "resource": lambda content: _fact(content, "Resource"),
        "source": lambda content: _fact(content, "Source"),
        "workspace": lambda content: content.workspace,
        "url": lambda content: content.url,
        "at": lambda content: rfc3339(content.at),
        "body": lambda content: content.data.get("body", ""),
        "tags": lambda content: ", ".join(content.data.get("tags", ())),
        "type": lambda content: content.data.get("type", ""),
        "dedupKey": lambda content: content.data.get("dedupKey", ""),
        "sourceUrl": lambda content: content.data.get("sourceUrl", ""),
        "beganAt": lambda content: content.data.get("beganAt", ""),
        "runbookUrl": lambda content: content.data.get("runbookUrl", ""),
        "alerts": lambda content: _text(content.data.get("alerts", {}).get("total")),
        "firing": lambda content: _text(content.data.get("alerts", {}).get("firing")),
        "labels": lambda content: ", ".join(f"{name}: {_text(value)}" for name, value in _labels(content).items()),
        "metadata": lambda content: _text(content.data.get("metadata")),
    }
)

PATHS = ("metadata", "labels")
"""The variables with members: `metadata.annotations.summary`, `labels.instance`, `labels["app/name"]`."""


def of_path(content: NoticeContent, path: Path) -> str:
    """Returns the text of a member of the metadata; empty where there is none."""
    root, *steps = path
    value: Any = content.data.get("metadata", {}) if root == "metadata" else _labels(content)
    for step in steps:
        if isinstance(value, dict):
            value = value.get(str(step))
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        else:
            return ""
    return _text(value)


def listed(content: NoticeContent) -> list[Variable]:
    """Returns all variables with their values in this notice, and the members of its metadata."""
    found = [Variable(name, of(content)) for name, of in FIELDS.items() if name not in PATHS]
    found += [Variable(f"labels{_step(name)}", _text(value)) for name, value in _labels(content).items()]
    found += _leaves("metadata", content.data.get("metadata", {}))
    return [Variable(name, value[:LONGEST_LISTED]) for name, value in found[:MOST_LISTED]]


def _leaves(name: str, value: Any) -> Iterator[Variable]:
    """Yields the members of a value that have no members themselves. Labels have variables of their own."""
    match value:
        case dict():
            for key, each in value.items():
                if (name, key) != ("metadata", "labels"):
                    yield from _leaves(f"{name}{_step(key)}", each)
        case list():
            for number, each in enumerate(value):
                yield from _leaves(f"{name}[{number}]", each)
        case _:
            yield Variable(name, _text(value))


def _step(key: str) -> str:
    return f".{key}" if key.isascii() and key.isidentifier() else f"[{json.dumps(key)}]"


def _labels(content: NoticeContent) -> Mapping[str, Any]:
    labels = content.data.get("metadata", {}).get("labels")
    return labels if isinstance(labels, dict) else {}


def _fact(content: NoticeContent, label: str) -> str:
    return next((fact.value for fact in content.facts if fact.label == label), "")


def _text(value: Any) -> str:
    """Returns a text as it is, and any other value as JSON; empty for None."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
