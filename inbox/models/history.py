"""Events as people look for them: every filter and every sort of the list, each along an index (decision 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import peewee

from inbox.domain import ids, severity
from inbox.domain.occurrence import Disposition
from inbox.domain.paging import Position
from inbox.domain.severity import Severity
from inbox.models import sources, walks, words
from inbox.models.events import Event
from inbox.models.pages import Slice
from inbox.models.sources import Source
from inbox.models.walks import Branches, Walk

SOURCE_NAME = peewee.fn.COALESCE(Source.name, "")

COLUMNS = {"received": Event.id, "occurred": Event.occurred_at, "title": Event.title}
"""The sorts by a column of the event's own; ids are in the order of receipt."""

RANKED = {"severity": Event.severity, "source": SOURCE_NAME, "disposition": Event.disposition}
"""The sorts by what many events share; among them they are sorted by when they were received."""

SORTS = {name: (column,) for name, column in {**COLUMNS, **RANKED}.items()}
"""By what each sort sorts, ties apart."""

_FIRST, _LAST = bytes(10), bytes([255]) * 10


def told(workspace_ids: Sequence[UUID]) -> Any:
    """Events of these workspaces, each with the name of its source as `source_name`."""
    return (
        Event.select(Event, SOURCE_NAME.alias("source_name"))
        .join(Source, peewee.JOIN.LEFT_OUTER, on=(Source.id == Event.source_id))
        .where(Event.workspace_id.in_(list(workspace_ids)))
        .objects()
    )


def find(workspace_ids: Sequence[UUID], event_id: UUID) -> Any:
    """One event of these workspaces, or None."""
    return told(workspace_ids).where(Event.id == event_id).first()


def turn(
    workspace_ids: Sequence[UUID], args: Mapping[str, Any], *, after: Position | None, descending: bool, limit: int
) -> Slice:
    """The next page of the events of these workspaces that pass the filters in `args`, by its `sort`.

    A search (`q`) looks through the newest ones that pass the other filters; a page of it may be short, even empty,
    though more follow.
    """
    steps = walks.page(walk(workspace_ids, args), after=after, descending=descending, limit=limit)
    rows = told(workspace_ids).where(Event.id.in_(list(steps.ids))) if steps.ids else ()
    found = {event.id: event for event in rows}
    return Slice([found[id] for id in steps.ids if id in found], steps.following)


def all_of(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> Any:
    """All of them, for pages by number and for counting."""
    searched = [containing(args["q"])] if "q" in args else []
    return told(workspace_ids).where(*_conditions(args), *searched)


def walk(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> Walk:
    """How the list is walked."""
    branches, settled = _branches(workspace_ids, args)
    column = COLUMNS.get(args["sort"], Event.id)
    order = [Event.id] if column is Event.id else [column, Event.id]
    hit = containing(args["q"]) if "q" in args else None
    return Walk(Event, order, branches, _conditions(args, settled), hit)


def _branches(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> tuple[Branches, frozenset[str]]:
    """The branches, and the filters that they settle."""
    here, sort = {"workspace_id": "uuid"}, args["sort"]
    if sort == "severity":
        ranks = [(str(each), place) for place, each in enumerate(Severity) if each in _severities(args)]
        rows = [(id, *each) for id in workspace_ids for each in ranks]
        return Branches({**here, "severity": "severity"}, rows, "integer"), frozenset({"severity", "min_severity"})
    if sort == "disposition":
        names = [args["disposition"]] if "disposition" in args else [str(each) for each in Disposition]
        named = [(id, name, name) for id in workspace_ids for name in names]
        return Branches({**here, "disposition": "text"}, named, "text"), frozenset({"disposition"})
    if sort == "source":
        senders = sources.names(workspace_ids, args.get("source_id"))
        return Branches({**here, "source_id": "uuid"}, senders, "text"), frozenset({"source_id"})
    if sort == "received" and "min_severity" in args and "incident_id" not in args:
        several = [(id, str(each)) for id in workspace_ids for each in _severities(args)]
        return Branches({**here, "severity": "severity"}, several), frozenset({"severity", "min_severity"})
    return Branches(here, [(id,) for id in workspace_ids]), frozenset()


def _severities(args: Mapping[str, Any]) -> list[Severity]:
    """Those that the filters leave; INFO and SUCCESS are equal (spec 2.2)."""
    least = severity.rank(args["min_severity"]) if "min_severity" in args else 0
    return [each for each in Severity if severity.rank(each) >= least and args.get("severity", each) == each]


def _conditions(args: Mapping[str, Any], settled: frozenset[str] = frozenset()) -> list[Any]:
    given = {name: value for name, value in args.items() if name not in settled}
    found = [
        getattr(Event, name) == given[name] for name in ("source_id", "disposition", "incident_id") if name in given
    ]
    if "severity" in given or "min_severity" in given:
        found.append(Event.severity.in_([str(each) for each in _severities(given)]))
    if "since" in given:
        found.append(since(given["since"]))
    if "until" in given:
        found.append(until(given["until"]))
    return found


def containing(text: str) -> Any:
    """With this text in the title, the resource or the dedup key, in any case."""
    like = words.pattern(text)
    return Event.title**like | Event.resource**like | Event.dedup_key**like


def since(moment: datetime) -> Any:
    """Received at or after; the ids say it too, and they are what the indexes are sorted by."""
    return (Event.received_at >= moment) & (Event.id >= ids.uuid7(_milliseconds(moment), _FIRST))


def until(moment: datetime) -> Any:
    """Received before."""
    return (Event.received_at < moment) & (Event.id <= ids.uuid7(_milliseconds(moment), _LAST))


def _milliseconds(moment: datetime) -> int:
    return max(0, int(moment.timestamp() * 1000))
