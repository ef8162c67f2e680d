"""Events as people look for them: every filter and every sort of the list, each along an index (decision 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

import peewee

from inbox.domain import ids, severity
from inbox.domain.occurrence import Disposition
from inbox.domain.paging import Position
from inbox.domain.severity import Severity
from inbox.models import sources, walks, words
from inbox.models.events import Event, QueuedEvent, SettledEvent, WaitingEvent
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

PENDING = str(Disposition.PENDING)

_FIRST, _LAST = bytes(10), bytes([255]) * 10


def told(workspace_ids: Sequence[UUID], table: Any = Event) -> Any:
    """Events of these workspaces, each with the name of its source as `source_name`."""
    return (
        table.select(table, SOURCE_NAME.alias("source_name"))
        .join(Source, peewee.JOIN.LEFT_OUTER, on=(Source.id == table.source_id))
        .where(table.workspace_id.in_(list(workspace_ids)))
        .objects()
    )


def of_incident(workspace_id: UUID, incident_id: UUID) -> Any:
    """The events that were counted to an incident of the workspace."""
    return told([workspace_id], SettledEvent).where(SettledEvent.incident_id == incident_id)


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
    return told(workspace_ids).where(*_conditions(Event, args), *searched)


def walk(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> Walk:
    """How the list is walked."""
    if args["sort"] == "disposition":
        return _by_disposition(workspace_ids, args)
    table, (branches, settled) = _table(args), _branches(workspace_ids, args)
    column = getattr(table, COLUMNS.get(args["sort"], Event.id).name)
    order = [column] if column is table.id else [column, table.id]
    return Walk(table, order, branches, _conditions(table, args, settled), _hit(table, args))


def _hit(table: Any, args: Mapping[str, Any]) -> Any:
    return containing(args["q"], table) if "q" in args else None


def _table(args: Mapping[str, Any]) -> type[Event]:
    """By what events are looked for: what became of them where that says most, and else what they are."""
    if args["sort"] != "received":
        return Event
    if args.get("disposition") == PENDING:
        return WaitingEvent
    says_less = {"source_id", "severity", "min_severity"}.isdisjoint(args)
    return SettledEvent if "incident_id" in args or ("disposition" in args and says_less) else Event


def _by_disposition(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> Walk:
    """What is routed in a branch for each disposition, and beside it what waits."""
    names = [args["disposition"]] if "disposition" in args else [str(each) for each in Disposition]
    here, settled = {"workspace_id": "uuid"}, frozenset({"disposition"})
    named = [(id, name, name) for id in workspace_ids for name in names if name != PENDING]
    queued = [(id, name) for id in workspace_ids for name in names if name == PENDING]
    routed, waiting = (
        Walk(table, [table.id], branches, _conditions(table, args, settled), _hit(table, args))
        for table, branches in (
            (SettledEvent, Branches({**here, "routed_as": "text"}, named, "text")),
            (WaitingEvent, Branches(here, queued, "text")),
        )
    )
    if not (named and queued):
        return routed if named else waiting
    return replace(routed, beside=waiting)


def _branches(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> tuple[Branches, frozenset[str]]:
    """The branches, and the filters that they settle."""
    here, sort = {"workspace_id": "uuid"}, args["sort"]
    if sort == "severity":
        ranks = [(str(each), place) for place, each in enumerate(Severity) if each in _severities(args)]
        rows = [(id, *each) for id in workspace_ids for each in ranks]
        return Branches({**here, "severity": "severity"}, rows, "integer"), frozenset({"severity", "min_severity"})
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


def _conditions(table: Any, args: Mapping[str, Any], settled: frozenset[str] = frozenset()) -> list[Any]:
    given = {name: value for name, value in args.items() if name not in settled}
    found = [getattr(table, name) == given[name] for name in ("source_id", "incident_id") if name in given]
    if "disposition" in given:
        found += _became(table, given["disposition"])
    if "severity" in given or "min_severity" in given:
        found.append(table.severity.in_([str(each) for each in _severities(given)]))
    if "since" in given:
        found.append(since(given["since"], table))
    if "until" in given:
        found.append(until(given["until"], table))
    return found


def _became(table: Any, disposition: str) -> list[Any]:
    """With this disposition; what is pending waits in the queue."""
    if disposition != PENDING:
        return [table.routed_as == disposition]
    if table is WaitingEvent:
        return []
    return [
        table.id.in_(QueuedEvent.select(QueuedEvent.event_id).where(QueuedEvent.workspace_id == table.workspace_id))
    ]


def containing(text: str, table: Any = Event) -> Any:
    """With this text in the title, the resource or the dedup key, in any case."""
    like = words.pattern(text)
    return table.title**like | table.resource**like | table.dedup_key**like


def since(moment: datetime, table: Any = Event) -> Any:
    """Received at or after; the ids say it too, and they are what the indexes are sorted by."""
    return (table.received_at >= moment) & (table.id >= ids.uuid7(_milliseconds(moment), _FIRST))


def until(moment: datetime, table: Any = Event) -> Any:
    """Received before."""
    return (table.received_at < moment) & (table.id <= ids.uuid7(_milliseconds(moment), _LAST))


def _milliseconds(moment: datetime) -> int:
    return max(0, int(moment.timestamp() * 1000))
