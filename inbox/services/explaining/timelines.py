"""Timelines of incidents for display: each entry with a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.domain.explaining import formatting
from inbox.domain.explaining.timeline_text import of_entry
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.models.incidents.tables import TimelineEntry
from inbox.models.insight import explanations
from inbox.models.workspaces.tables import Workspace
from inbox.services.explaining.explanations import zone_of


def with_text(workspace_id: UUID, entries: Sequence[TimelineEntry]) -> list[dict[str, Any]]:
    """Return these timeline entries of one workspace, each with its `text`."""
    zone, people = zone_of(Workspace.get_by_id(workspace_id)), _people(entries)
    fields = ("id", "at", "kind", "actor", "event_id", "details")
    return [{**{name: getattr(each, name) for name in fields}, "text": _text(each, people, zone)} for each in entries]


def _text(entry: TimelineEntry, people: Mapping[str, str], zone: ZoneInfo) -> str:
    """Build the sentence. Times use the workspace's time zone, relative to the time of the entry."""
    clock = partial(formatting.clock, zone=zone, reference=entry.at)
    return of_entry(entry.kind, entry.actor, entry.details, people, clock)


def _people(entries: Sequence[TimelineEntry]) -> dict[str, str]:
    """Return the names of the assignees, by id."""
    changed = [pair for entry in entries for pair in entry.details.get("changed", {}).get("assigneeId", ()) if pair]
    named = {ids.decode(Prefix.USER, each): each for each in changed}
    return {named[id]: name for id, name in explanations.people(named).items() if id is not None}
