"""Lists of events with every filter and every sort, each along an index (specification 4.10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import peewee

from inbox.database.patterns import like_pattern
from inbox.database.read_query import ReadQuery
from inbox.domain.events.fields import EXCERPT_LENGTH
from inbox.domain.incidents.event_transition import Disposition
from inbox.domain.values import ids, severity
from inbox.domain.values.severity import Severity
from inbox.models.events import id_range as event_id_range
from inbox.models.events.tables import (
    Event,
    EventQueueRow,
    PendingEventView,
    ReceivedEvent,
    RoutedEvent,
    RoutedEventView,
)
from inbox.models.incidents.filters import of_kinds
from inbox.models.lists.index_scan import IndexScan, Lookup, Partitions
from inbox.models.lists.pagination import NUMBERED_PAGE, PagedList, keyset_page
from inbox.models.senders import sources
from inbox.models.senders.sources import Source

SOURCE_NAME = peewee.fn.COALESCE(Source.name, "")

COLUMNS = {"received": Event.id, "occurred": Event.occurred_at, "title": Event.title}
"""The sorts by a column of the event; ids are in the order of receipt."""

GROUPED_SORTS = {"severity": Event.severity, "source": SOURCE_NAME, "disposition": Event.disposition}
"""The sorts by a value that many events share. Events with the same value are sorted by receipt."""

SORTS = {name: (column,) for name, column in {**COLUMNS, **GROUPED_SORTS}.items()}
"""The sort columns of each sort, without the tie-breaker."""

PENDING = str(Disposition.PENDING)

SEVERITY_FILTERS = frozenset({"severity", "min_severity"})

INDEXED_FILTERS: dict[str, tuple[Any, Any]] = {
    "incident_id": (RoutedEvent, RoutedEventView),
    "disposition": (RoutedEvent, RoutedEventView),
    **dict.fromkeys(("source_id", "severity", "min_severity", "since", "until"), (ReceivedEvent, Event)),
}
"""The filters with an index, the most selective first: the table that has the index, and the view to read."""

UNINDEXED_VALUES = ("resource", "type", "dedup_key", "fingerprint", "action")
"""Filters by values of a column without an index."""

LISTS = {"tag": "tags", "flag": "flags"}
"""Filters by values of a column that holds several, each with the column."""

LARGE = frozenset({"body", "metadata", "idempotency_key"})
"""The columns that a row of a list omits, because they can be many kilobytes long."""


def with_source(workspace_ids: Sequence[UUID], table: Any = Event) -> Any:
    """Returns events of these workspaces, each with the name of its source as `source_name`."""
    return _with_source(table).where(table.workspace_id.in_(list(workspace_ids))).objects()


def _with_source(table: Any) -> Any:
    return table.select(table, SOURCE_NAME.alias("source_name")).join(
        Source, peewee.JOIN.LEFT_OUTER, on=(Source.id == table.source_id)
    )


def _rows(table: Any) -> Any:
    """Selects events as rows of a list: with an excerpt in place of the large columns."""
    columns = [field for field in table._meta.sorted_fields if field.name not in LARGE]
    excerpt = peewee.fn.LEFT(table.body, EXCERPT_LENGTH).alias("body_excerpt")
    has_metadata = table.metadata.is_null(False).alias("has_metadata")
    return table.select(*columns, excerpt, has_metadata, SOURCE_NAME.alias("source_name")).join(
        Source, peewee.JOIN.LEFT_OUTER, on=(Source.id == table.source_id)
    )


_ROWS = ReadQuery(lambda: _rows(Event))


def of_incident(workspace_id: UUID, incident_id: UUID) -> Any:
    """Returns the events that are counted on an incident of the workspace."""
    rows = _rows(RoutedEventView).where(RoutedEventView.workspace_id == workspace_id)
    return rows.where(RoutedEventView.incident_id == incident_id).objects()


def find(workspace_ids: Sequence[UUID], event_id: UUID) -> Any:
    """Returns one event of these workspaces, or None."""
    return with_source(workspace_ids).where(Event.id == event_id).first()


def search(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> PagedList:
    """Returns the events of these workspaces that pass the filters in `args`, sorted by `args["sort"]`."""
    return PagedList(scan_plan(workspace_ids, args), lambda ids: _ROWS(workspace_id=workspace_ids, id=ids))


def newest(workspace_ids: Sequence[UUID], args: Mapping[str, Any], *, most: int) -> tuple[list[UUID], bool]:
    """Returns the newest `most` events that pass the filters, and whether more may follow.

    Fewer are returned if more rows would be examined than for a numbered page.
    """
    scan = scan_plan(workspace_ids, {**args, "sort": "received"})
    found, following = keyset_page(scan, after=None, descending=True, limit=most, bounds=NUMBERED_PAGE)
    return found, following is not None


def scan_plan(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> IndexScan:
    """Returns the scan of the list."""
    if args["sort"] == "disposition":
        return _by_disposition(workspace_ids, args)
    table, (branches, covered) = _table(args), _branches(workspace_ids, args)
    column = getattr(table, COLUMNS.get(args["sort"], Event.id).name)
    order = [column] if column is table.id else [column, table.id]
    return _scan(table, order, branches, covered, workspace_ids, args)


def _scan(
    table: Any,
    order: Sequence[Any],
    branches: Partitions,
    covered: frozenset[str],
    workspace_ids: Sequence[UUID],
    args: Mapping[str, Any],
) -> IndexScan:
    """Builds a scan. In an order by time, the scan covers only the period in which the other filters can match."""
    remaining = {name: value for name, value in args.items() if name not in covered}
    low: Any = None
    high: Any = None
    where: list[Any] = []
    received = _received(table, args)
    if order[0] is table.id:
        low, high = _id_range(workspace_ids, remaining)
        remaining = {name: value for name, value in remaining.items() if name not in ("since", "until")}
        where, received = received, []
    elif order[0] is table.occurred_at:
        low, high = event_id_range.occurred_range(_id_range(workspace_ids, remaining))
    filters = [*_conditions(table, remaining), *received, *_searched(table, args)]
    return IndexScan(table, order, branches, low, high, where, filters, lookups=_lookups(workspace_ids, args))


def _lookups(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> list[Lookup]:
    """Returns the filters that have an index, the most selective first."""
    found = []
    for name, (indexed, table) in INDEXED_FILTERS.items():
        if name in args:
            own = {name: args[name]}
            if name == "disposition" and _is_mixed(args):
                continue
            if args[name] == [PENDING]:
                indexed, table, own = EventQueueRow, PendingEventView, {}
            rows = indexed.select(peewee.SQL("1")).where(
                indexed.workspace_id.in_(list(workspace_ids)), *_conditions(indexed, own)
            )
            filters = [*_conditions(table, args), *_received(table, args), *_searched(table, args)]
            found.append(Lookup(rows, table, _conditions(table, own), filters))
    return found


def _id_range(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> event_id_range.IdRange:
    values: dict[str, Sequence[Any]] = {name: args[name] for name in ("source_id", "disposition") if name in args}
    if PENDING in args.get("disposition", ()):
        del values["disposition"]
    if not SEVERITY_FILTERS.isdisjoint(args):
        values["severity"] = [str(each) for each in _severities(args)]
    return event_id_range.for_filters(workspace_ids, values, since=args.get("since"), until=args.get("until"))


def _searched(table: Any, args: Mapping[str, Any]) -> list[Any]:
    """Returns conditions for the filters that no index supports."""
    found = [getattr(table, name).in_(list(args[name])) for name in UNINDEXED_VALUES if name in args]
    found += [getattr(table, column).contains_any(*args[name]) for name, column in LISTS.items() if name in args]
    if "resource_kind" in args:
        found.append(of_kinds(table.resource, args["resource_kind"]))
    if "rule_id" in args:
        routed_by = peewee.fn.JSON_EXTRACT_PATH_TEXT(table.routing, "ruleId")
        found.append(routed_by.in_([ids.encode(ids.Prefix.RULE, each) for each in args["rule_id"]]))
    return [*found, text_filter(args["q"], table)] if "q" in args else found


def _table(args: Mapping[str, Any]) -> type[Event]:
    """Returns the table to scan: the routing results where their filters are the most selective, otherwise the events."""
    if args["sort"] != "received":
        return Event
    if args.get("disposition") == [PENDING]:
        return PendingEventView
    unselective = {"source_id", "severity", "min_severity"}.isdisjoint(args)
    is_routed = "disposition" in args and PENDING not in args["disposition"]
    return RoutedEventView if "incident_id" in args or (is_routed and unselective) else Event


def _by_disposition(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> IndexScan:
    """Returns the scan in the order of dispositions: one branch for each disposition, and the pending events."""
    names = list(dict.fromkeys(args["disposition"])) if "disposition" in args else [str(each) for each in Disposition]
    workspace_type, covered = {"workspace_id": "uuid"}, frozenset({"disposition"})
    rows = [(id, name, name) for id in workspace_ids for name in names]
    pending_rows = [(id, name) for id, name, _ in rows if name == PENDING]
    routed, pending = (
        _scan(table, [table.id], branches, covered, workspace_ids, args)
        for table, branches in (
            (RoutedEventView, Partitions({**workspace_type, "disposition": "text"}, rows, "text")),
            (PendingEventView, Partitions(workspace_type, pending_rows, "text")),
        )
    )
    return replace(routed, beside=[pending])


def _branches(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> tuple[Partitions, frozenset[str]]:
    """Returns the branches of the scan, and the filters that they cover."""
    if args["sort"] == "severity":
        ranks = [(id, str(each), list(Severity).index(each)) for id in workspace_ids for each in _severities(args)]
        return Partitions({"workspace_id": "uuid", "severity": "severity"}, ranks, "integer"), SEVERITY_FILTERS
    if args["sort"] == "source":
        source_rows = sources.names(workspace_ids, args.get("source_id"))
        return Partitions({"workspace_id": "uuid", "source_id": "uuid"}, source_rows, "text"), frozenset({"source_id"})
    column, sql_type, values, covered = _most_selective(args)
    rows = [(id, *value) for id in workspace_ids for value in values]
    return Partitions({"workspace_id": "uuid", **({column: sql_type} if column else {})}, rows), covered


def _most_selective(args: Mapping[str, Any]) -> tuple[str, str, Sequence[tuple[Any, ...]], frozenset[str]]:
    """Returns the column that divides the branches, its type and values, and the covered filters.

    Without a suitable filter there is no column, and the branch has all events.
    """
    by_time, is_pending = args["sort"] == "received", args.get("disposition") == [PENDING]
    if not by_time or is_pending:
        return "", "", [()], frozenset({"disposition"} if by_time else ())
    for name, values in (("incident_id", [args.get("incident_id")]), ("source_id", args.get("source_id", ()))):
        if name in args:
            return name, "uuid", [(value,) for value in dict.fromkeys(values)], frozenset({name})
    if not SEVERITY_FILTERS.isdisjoint(args):
        return "severity", "severity", [(str(each),) for each in _severities(args)], SEVERITY_FILTERS
    if "disposition" in args and not _is_mixed(args):
        return (
            "disposition",
            "text",
            [(each,) for each in dict.fromkeys(args["disposition"])],
            frozenset({"disposition"}),
        )
    return "", "", [()], frozenset()


def _is_mixed(args: Mapping[str, Any]) -> bool:
    """Returns whether both pending and routed events pass the filter by the disposition. No index has both."""
    dispositions = args.get("disposition", ())
    return PENDING in dispositions and len(set(dispositions)) > 1


def _severities(args: Mapping[str, Any]) -> list[Severity]:
    """Returns the severities that pass the filters; INFO and SUCCESS are equal (specification 4.2)."""
    least = severity.rank(args["min_severity"]) if "min_severity" in args else 0
    return [each for each in Severity if severity.rank(each) >= least and each in args.get("severity", Severity)]


def _conditions(table: Any, args: Mapping[str, Any]) -> list[Any]:
    """Returns conditions for the filters by a column."""
    found = [table.incident_id == args["incident_id"]] if "incident_id" in args else []
    found += [getattr(table, name).in_(list(args[name])) for name in ("source_id", "disposition") if name in args]
    if not SEVERITY_FILTERS.isdisjoint(args):
        found.append(table.severity.in_([str(each) for each in _severities(args)]))
    low, high = event_id_range.for_filters([], {}, since=args.get("since"), until=args.get("until"))
    found += [] if low is None else [table.id >= low]
    return found if high is None else [*found, table.id < high]


def _received(table: Any, args: Mapping[str, Any]) -> list[Any]:
    """Returns the exact times of the filter. The ids cover them only to the millisecond."""
    found = [table.received_at >= args["since"]] if "since" in args else []
    return [*found, table.received_at < args["until"]] if "until" in args else found


def text_filter(text: str, table: Any = Event) -> Any:
    """Returns a condition: the text is in the title, the resource or the dedup key, in any case."""
    pattern = like_pattern(text)
    return table.title**pattern | table.resource**pattern | table.dedup_key**pattern
