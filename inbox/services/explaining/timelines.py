"""Timelines of incidents for display: each entry with a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inbox.domain.explaining.timeline_text import of_entry
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.models.incidents.tables import TimelineEntry
from inbox.models.insight import explanations


def with_text(entries: Sequence[TimelineEntry]) -> list[dict[str, Any]]:
    """Return these timeline entries, each with its `text`."""
    people = _people(entries)
    fields = ("id", "at", "kind", "actor", "event_id", "details")
    return [
        {
            **{name: getattr(each, name) for name in fields},
            "text": of_entry(each.kind, each.actor, each.details, people),
        }
        for each in entries
    ]


def _people(entries: Sequence[TimelineEntry]) -> dict[str, str]:
    """Return the names of the assignees, by id."""
    changed = [pair for entry in entries for pair in entry.details.get("changed", {}).get("assigneeId", ()) if pair]
    named = {ids.decode(Prefix.USER, each): each for each in changed}
    return {named[id]: name for id, name in explanations.people(named).items() if id is not None}
