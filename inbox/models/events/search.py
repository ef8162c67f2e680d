"""The list of events: its filters, its sorts, each along an index, and its facets (specification 4.10, 4.11)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

import peewee

from inbox.domain.events import labels
from inbox.domain.incidents.event_transition import Disposition
from inbox.domain.values import ids
from inbox.models.events import id_range as event_id_range
from inbox.models.events import read as event_read
from inbox.models.events.tables import (
    Event,
    EventQueueRow,
    PendingEventView,
    ReceivedEvent,
    RoutedEvent,
    RoutedEventView,
)
from inbox.models.lists import filters
from inbox.models.lists.facets import KIND_OF_RESOURCE, Dimension, FacetedTable, each_of
from inbox.models.lists.filters import PERIOD, SEVERITIES, Args, Filter, Filters, Index
from inbox.models.lists.index_scan import IndexScan, Partitions
from inbox.models.lists.long_list import LongList
from inbox.models.senders import sources

SORTS = {
    "received": (Event.id,),
    "occurred": (Event.occurred_at,),
    "severity": (Event.severity, Event.id),
    "source": (event_read.SOURCE_NAME, Event.id),
    "title": (Event.title,),
    "disposition": (Event.disposition, Event.id),
}
"""The sort columns of each sort, without the tie-breaker. Ids are in the order of receipt. The first of two is a value
that many events share.
"""

PENDING = str(Disposition.PENDING)


def _of_rules(table: Any, rules: Sequence[UUID]) -> Any:
    """Returns a condition: one of these rules routed the event."""
    routed_by = peewee.fn.JSON_EXTRACT_PATH_TEXT(table.routing, "ruleId")
    return routed_by.in_([ids.encode(ids.Prefix.RULE, each) for each in rules])


def _of_labels(table: Any, found: Sequence[str]) -> Any:
    """Returns a condition: the event has one of these labels, each `name=value`."""
    named = [pair for text in found if (pair := labels.parsed(text)) is not None]
    at = [
        peewee.fn.JSONB_EXTRACT_PATH_TEXT(table.metadata, *path) == value
        for name, value in named
        for path in labels.paths(name)
    ]
    return reduce(or_, at)


def _received(value: object) -> Index:
    return Index(ReceivedEvent)


def _without_repeats(table: Any, value: object) -> Any:
    """Returns the condition of the index of the queue; the view has no repeats."""
    return EventQueueRow.repeated_at.is_null() if table is EventQueueRow else None


def _of_disposition(values: Sequence[str]) -> Index | None:
    """Returns the index of the dispositions. The queue has the pending events, and no index has these and others."""
    if set(values) == {PENDING}:
        return Index(EventQueueRow, PendingEventView, _without_repeats)
    return None if PENDING in values else Index(RoutedEvent, RoutedEventView)


def _first_id(table: Any, since: Any) -> Any:
    return table.id >= ids.first_at(since)


def _last_id(table: Any, until: Any) -> Any:
    return table.id < ids.first_at(until, 1)


FILTERS = Filters(
    Event,
    {
        "incident_id": Filter("incident_id", index=lambda _: Index(RoutedEvent, RoutedEventView)),
        "disposition": Filter("disposition", index=_of_disposition),
        "source_id": Filter("source_id", index=_received),
        "severity": Filter("severity", index=_received),
        "since": Filter(
            condition=lambda table, since: event_id_range.since(since, table),
            index=lambda _: Index(ReceivedEvent, condition=_first_id),
        ),
        "until": Filter(
            condition=lambda table, until: event_id_range.until(until, table),
            index=lambda _: Index(ReceivedEvent, condition=_last_id),
        ),
        **{name: Filter(name) for name in ("resource", "type", "dedup_key", "fingerprint", "action")},
        "tag": Filter(condition=lambda table, tags: table.tags.contains_any(*tags)),
        "flag": Filter(condition=lambda table, flags: table.flags.contains_any(*flags)),
        "resource_kind": Filter(condition=filters.of_kinds),
        "rule_id": Filter(condition=_of_rules),
        "label": Filter(condition=_of_labels),
        "q": Filter(condition=filters.has_text),
    },
    branches={"incident_id": "uuid", "source_id": "uuid", "severity": "severity", "disposition": "text"},
)

RECEIVED = Filters(Event, filters.period("received_at"))
"""The exact times of the period. A range of ids covers them only to the millisecond."""

FACETS = FacetedTable(
    "events",
    {
        "severity": Dimension("severity", "severity::text"),
        "source_id": Dimension("source_id", "source_id::text", is_record=True),
        "disposition": Dimension("disposition", "disposition"),
        "tag": each_of("tags"),
        "resource_kind": KIND_OF_RESOURCE,
        "type": Dimension("type", "type"),
        "action": Dimension("action", "action"),
        "flag": each_of("flags"),
        "rule_id": Dimension("json_extract_path_text(routing, 'ruleId') AS rule_id", "rule_id", is_record=True),
    },
    is_keyed_by_workspace=True,
)


def scan_plan(workspace_ids: Sequence[UUID], args: Args) -> IndexScan:
    """Returns the scan of the list."""
    args = filters.with_severities(args)
    match args["sort"]:
        case "disposition":
            return _by_disposition(workspace_ids, args)
        case "severity":
            branches = filters.ranked(workspace_ids, args, "severity", "severity", SEVERITIES)
            return _scan(Event, branches, {"severity"}, workspace_ids, args)
        case "source":
            branches = sources.by_name(workspace_ids, args.get("source_id"))
            return _scan(Event, branches, {"source_id"}, workspace_ids, args)
        case "received":
            return _by_receipt(workspace_ids, args)
        case _:
            return _scan(Event, filters.all_rows(workspace_ids), set(), workspace_ids, args)


def _by_disposition(workspace_ids: Sequence[UUID], args: Args) -> IndexScan:
    """Returns the scan in the order of dispositions: one branch for each disposition, and the pending events."""
    names = list(dict.fromkeys(args["disposition"])) if "disposition" in args else [str(each) for each in Disposition]
    routed = filters.each_value(workspace_ids, "disposition", "text", [(name, name) for name in names], "text")
    pending = Partitions({"workspace_id": "uuid"}, [(id, PENDING) for id in workspace_ids if PENDING in names], "text")
    scans = [
        _scan(table, branches, {"disposition"}, workspace_ids, args)
        for table, branches in ((RoutedEventView, routed), (PendingEventView, pending))
    ]
    return replace(scans[0], beside=scans[1:])


def _by_receipt(workspace_ids: Sequence[UUID], args: Args) -> IndexScan:
    """Returns the scan in the order of receipt: of the routing results where their filters are the most selective."""
    dispositions = args.get("disposition", ())
    if set(dispositions) == {PENDING}:
        return _scan(PendingEventView, filters.all_rows(workspace_ids), {"disposition"}, workspace_ids, args)
    branches, covered = FILTERS.best_branches(workspace_ids, args)
    table = RoutedEventView if covered & {"incident_id", "disposition"} else Event
    return _scan(table, branches, covered, workspace_ids, args)


def _scan(
    table: Any, branches: Partitions, covered: Collection[str], workspace_ids: Sequence[UUID], args: Args
) -> IndexScan:
    """Builds a scan. In an order by time, the scan covers only the period in which the other filters can match."""
    column = getattr(table, SORTS[args["sort"]][-1].name)
    order = [column] if column is table.id else [column, table.id]
    remaining = {name: value for name, value in args.items() if name not in covered}
    low: Any = None
    high: Any = None
    where: list[Any] = []
    if column is table.id:
        low, high = _id_range(workspace_ids, remaining)
        where = RECEIVED.conditions(args, table=table)
        covered = PERIOD.union(covered)
    elif column is table.occurred_at:
        low, high = event_id_range.occurred_range(_id_range(workspace_ids, remaining))
    conditions = FILTERS.conditions(args, without=covered, table=table)
    return IndexScan(table, order, branches, low, high, where, conditions, lookups=FILTERS.lookups(workspace_ids, args))


def _id_range(workspace_ids: Sequence[UUID], args: Args) -> event_id_range.IdRange:
    values = {name: args[name] for name in ("source_id", "disposition", "severity") if name in args}
    if PENDING in args.get("disposition", ()):
        del values["disposition"]
    return event_id_range.for_filters(workspace_ids, values, since=args.get("since"), until=args.get("until"))


EVENTS = LongList(FILTERS, SORTS, event_read.by_ids, scan_plan, FACETS)
