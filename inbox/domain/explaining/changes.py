"""Sentences for a person's changes of an incident. They begin with the person's name (specification 7.7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from inbox.domain.explaining.formatting import names as listed

NOTE = "note"
"""The name of a note in `data.changes` of a webhook. The other names are fields of the incident record."""

UNSNOOZE_FIELDS = ("state", "snoozedUntil")
"""The fields that the end of a snooze changes."""

Changes = Mapping[str, Sequence[Any]]
"""The value before and the value after of each changed field, by its name in the API."""


def of_edit(actor_name: str, changed: Changes, people: Mapping[str, str]) -> str:
    """Returns the sentence for an edit: `Olga set the severity to CRITICAL.`; `people` are the names of assignees by id."""
    phrases = [
        text
        for field, field_sentences in _OF_FIELD.items()
        if field in changed
        for text in field_sentences(changed[field][0], changed[field][1], people)
    ]
    return f"{actor_name} {listed(phrases)}."


def of_note(actor_name: str) -> str:
    """Returns the sentence for an added note."""
    return f"{actor_name} added a note."


def of_unsnooze(actor_name: str) -> str:
    """Returns the sentence for a snooze that a person ended."""
    return f"{actor_name} ended the snooze."


def of_notify_now(actor_name: str) -> str:
    """Returns the sentence for a notice that a person asked for."""
    return f"{actor_name} notified destinations that had not been told."


def of_page(actor_name: str, names: str) -> str:
    """Returns the sentence for a notice by which a person pages others."""
    return f"{actor_name} paged {names}."


def of_undo(actor_name: str, act: str) -> str:
    """Returns the sentence for an undone act: `Olga undid the acknowledgement.`"""
    return f"{actor_name} undid {_UNDONE.get(act, 'the change')}."


_UNDONE: Mapping[str, str] = {
    "acknowledge": "the acknowledgement",
    "take": "the acknowledgement and the assignment",
    "unacknowledge": "the withdrawal of the acknowledgement",
    "snooze": "the snooze",
    "unsnooze": "the end of the snooze",
    "resolve": "the resolution",
    "reopen": "the reopening",
    "assign": "the assignment",
    "tag": "the added tags",
    "untag": "the removal of tags",
}
"""The act that was undone, by its name in the API. An edit is a change."""


def _title(before: str, after: str, people: Mapping[str, str]) -> Iterator[str]:
    yield f'changed the title to "{after}"'


def _severity(before: str, after: str, people: Mapping[str, str]) -> Iterator[str]:
    yield f"set the severity to {after}"


def _tags(before: Sequence[str], after: Sequence[str], people: Mapping[str, str]) -> Iterator[str]:
    added = [tag for tag in after if tag not in before]
    removed = [tag for tag in before if tag not in after]
    for verb, tags in (("added", added), ("removed", removed)):
        if tags:
            quoted = listed([f'"{tag}"' for tag in tags])
            yield f"{verb} the {'tag' if len(tags) == 1 else 'tags'} {quoted}"
    if not added and not removed:
        yield "reordered the tags"


def _assignee(before: str | None, after: str | None, people: Mapping[str, str]) -> Iterator[str]:
    if after is None:
        yield f"unassigned {people.get(before or '', 'a former member')}"
    else:
        yield f"assigned it to {people.get(after, 'a former member')}"


_OF_FIELD: Mapping[str, Callable[[Any, Any, Mapping[str, str]], Iterator[str]]] = {
    "title": _title,
    "tags": _tags,
    "assigneeId": _assignee,
    "severity": _severity,
}
