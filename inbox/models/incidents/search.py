"""Lists of incidents with every filter and every sort, each along an index.

Specification 7.2.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial, reduce
from operator import and_
from typing import Any
from uuid import UUID

import peewee

from inbox.domain.incidents.state_machine import State
from inbox.domain.values.severity import Severity
from inbox.models.incidents import filters
from inbox.models.incidents import read as incident_read
from inbox.models.incidents.filters import INDEXED_VALUES, SEVERITY_FILTERS
from inbox.models.incidents.search_text import IncidentSearch
from inbox.models.incidents.tables import Incident
from inbox.models.lists.index_scan import IndexScan, Lookup, Partitions
from inbox.models.lists.pagination import NUMBERED_PAGE, PagedList, keyset_page
from inbox.models.senders import sources

STATE_ORDER = [str(state) for state in reversed(State)]
"""The order of a list that is sorted by state: resolved is the lowest, open the highest."""

COLUMNS = {
    "lastSeen": Incident.last_seen_at,
    "firstSeen": Incident.first_seen_at,
    "opened": Incident.opened_at,
    "resolved": Incident.resolved_at,
    "events": Incident.event_count,
    "title": Incident.title,
    "number": Incident.number,
}
"""The sorts by a column of the incident."""

GROUPED_SORTS = {
    "severity": Incident.severity,
    "state": peewee.Case(Incident.state, [(state, rank) for rank, state in enumerate(STATE_ORDER)], 0),
    "source": incident_read.SOURCE_NAME,
}
"""The sorts by a value that many incidents share; incidents with the same value are sorted by `last_seen_at`."""

SORTS = {
    **{name: (column,) for name, column in COLUMNS.items()},
    **{name: (column, Incident.last_seen_at) for name, column in GROUPED_SORTS.items()},
}
"""The sort columns of each sort, without the tie-breaker."""

LOOKUP_FILTERS = (
    *(
        "fingerprint",
        "silence_id",
        *INDEXED_VALUES,
        "q",
        "flapping",
        "state",
        "severity",
        "min_severity",
        "since",
        "until",
    ),
)
"""Filters with an index, the most selective first. `q` is one where it is a number."""

TIMES = frozenset({"since", "until"})

OPPOSITE_TIME_FILTER = {"firstSeen": "since", **dict.fromkeys(("lastSeen", *GROUPED_SORTS), "until")}
"""The sorts that scan in an order of time, each with the filter for the other time."""

LONG_LIVED = "interval '1 day'"
"""The lifetime from which the index of long-lived incidents holds an incident; the same text as in the partial index."""


def search(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> PagedList:
    """Returns the incidents of these workspaces that pass the filters in `args`, sorted by `args["sort"]`."""
    return PagedList(scan_plan(workspace_ids, args), partial(incident_read.by_ids, workspace_ids))


def ids(workspace_ids: Sequence[UUID], args: Mapping[str, Any], *, most: int) -> list[UUID] | None:
    """Returns the first `most` incidents that pass the filters, last seen first; None if it would examine too many rows."""
    found, is_partial = newest(workspace_ids, args, most=most)
    return None if is_partial and len(found) < most else found


def newest(workspace_ids: Sequence[UUID], args: Mapping[str, Any], *, most: int) -> tuple[list[UUID], bool]:
    """Returns the first `most` incidents that pass the filters, the last seen first, and whether more may follow.

    Fewer are returned if more rows would be examined than for a numbered page.
    """
    scan = scan_plan(workspace_ids, {**args, "sort": "lastSeen"})
    found, following = keyset_page(scan, after=None, descending=True, limit=most, bounds=NUMBERED_PAGE)
    return found, following is not None


def matches(args: Mapping[str, Any]) -> Any:
    """Returns a condition: the incident passes the filters in `args`."""
    text = filters.text_filter(args)
    return reduce(and_, [peewee.SQL("TRUE"), *filters.of_columns(args), *([] if text is None else [text(Incident.id)])])


def scan_plan(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> IndexScan:
    """Returns the scan of the list: the sort index, the filters that it does not cover, and the lookups."""
    if args["sort"] == "resolved":
        args = {**args, "state": [State.RESOLVED]}
    branches, covered = _branches(workspace_ids, args)
    opposite_filter = OPPOSITE_TIME_FILTER.get(args["sort"])
    in_order = covered | (TIMES if opposite_filter else frozenset())
    found = IndexScan(
        Incident,
        [COLUMNS.get(args["sort"], Incident.last_seen_at), Incident.id],
        branches,
        where=_of_partial_index(args["sort"], covered),
        filters=filters.of_columns({name: value for name, value in args.items() if name not in in_order}),
        text_filter=filters.text_filter(args),
        lookups=column_lookups(workspace_ids, args),
        text_lookups=text_lookups(workspace_ids, args),
    )
    if opposite_filter is None:
        return found
    outside = _opposite_order(args, args[opposite_filter]) if opposite_filter in args else []
    return replace(found, low=args.get("since"), high=args.get("until"), outside=outside)


def column_lookups(
    workspace_ids: Sequence[UUID], args: Mapping[str, Any], names: Sequence[str] = LOOKUP_FILTERS
) -> list[Lookup]:
    """Returns the filters by a column with an index, the most selective first."""
    in_workspaces = Incident.workspace_id.in_(list(workspace_ids))
    usable = [name for name in dict.fromkeys(names) if name in args and filters.is_indexed(name, args[name])]
    found = [filters.indexed({name: args[name]}) for name in usable]
    if "fingerprint" in usable:
        found[usable.index("fingerprint")].append(filters.of_any_source(workspace_ids))
    return [
        Lookup(Incident.select(peewee.SQL("1")).where(in_workspaces, *where), Incident, where, filters.of_columns(args))
        for where in found
        if where
    ]


def text_lookups(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> list[Lookup]:
    """Returns the filters by text or tag. Their index counts all matching rows, so they are used last."""
    in_workspaces = IncidentSearch.workspace_id.in_(list(workspace_ids))
    found = [
        IncidentSearch.select(IncidentSearch.incident_id).where(in_workspaces, each)
        for each in (*filters.on_text(args), *filters.near_text(args))
    ]
    return [Lookup(rows, Incident, None, filters.of_columns(args)) for rows in found]


def _opposite_order(args: Mapping[str, Any], moment: datetime) -> list[Lookup]:
    """Returns the incidents first seen before a moment and last seen after it. Long-lived incidents have a separate index.

    An incident last seen before the moment was also first seen before it. An incident first seen since then was also
    last seen since then. For a filter on one time and a scan along the other, only these few incidents are missing. A
    single scan might first read all incidents on the other side of the moment.
    """
    opposite_filter = [Incident.first_seen_at < moment, Incident.last_seen_at >= moment]
    before = peewee.SQL(f"(%s::timestamptz - {LONG_LIVED})", (moment,))
    long_lived = Incident.last_seen_at - Incident.first_seen_at > peewee.SQL(LONG_LIVED)
    return [
        Lookup(None, Incident, [*opposite_filter, *more], filters.of_columns(args))
        for more in ([Incident.first_seen_at >= before], [long_lived, Incident.first_seen_at < before])
    ]


def _of_partial_index(sort: str, covered: Collection[str]) -> list[Any]:
    """Returns the condition of the index, if it is partial."""
    if sort == "resolved":
        return [Incident.state == State.RESOLVED]
    return [Incident.flapping] if covered == {"flapping"} else []


def _branches(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> tuple[Partitions, frozenset[str]]:
    """Returns the branches of the scan, and the filters that they cover.

    Of several filters, the most selective one is chosen.
    """
    workspace_type, sort = {"workspace_id": "uuid"}, args["sort"]
    states, severities = list(dict.fromkeys(args.get("state", ()))), filters.severities(args)
    all_rows = Partitions(workspace_type, [(id,) for id in workspace_ids])
    if sort == "severity":
        ranks = [(str(each), position) for position, each in enumerate(Severity) if each in severities]
        return _each(workspace_ids, "severity", "severity", ranks, "integer"), SEVERITY_FILTERS
    if sort == "state":
        ranks = [(state, place) for place, state in enumerate(STATE_ORDER) if not states or state in states]
        return _each(workspace_ids, "state", "text", ranks, "integer"), frozenset({"state"})
    if sort == "source":
        rows = sources.names(workspace_ids, args.get("source_id"))
        return Partitions({**workspace_type, "source_id": "uuid"}, rows, "text"), frozenset({"source_id"})
    if sort == "lastSeen":
        return _branches_by_time(workspace_ids, args)
    return all_rows, frozenset({"state"} if sort == "resolved" else ())


def _branches_by_time(workspace_ids: Sequence[UUID], args: Mapping[str, Any]) -> tuple[Partitions, frozenset[str]]:
    """Returns the branches of a scan in the order of the last event, and the filters that they cover."""
    states, severities = list(dict.fromkeys(args.get("state", ()))), filters.severities(args)
    all_rows = Partitions({"workspace_id": "uuid"}, [(id,) for id in workspace_ids])
    for name, sql_type in INDEXED_VALUES.items():
        if name in args and filters.is_indexed(name, args[name]):
            values = [(value,) for value in dict.fromkeys(args[name])]
            return _each(workspace_ids, name, sql_type, values), frozenset({name})
    if args.get("flapping"):
        return all_rows, frozenset({"flapping"})
    filters_severity = not SEVERITY_FILTERS.isdisjoint(args)
    if states and not (filters_severity and State.RESOLVED in states):
        return _each(workspace_ids, "state", "text", [(state,) for state in states]), frozenset({"state"})
    if filters_severity:
        return _each(workspace_ids, "severity", "severity", [(str(each),) for each in severities]), SEVERITY_FILTERS
    return all_rows, frozenset()


def _each(
    workspace_ids: Sequence[UUID],
    column: str,
    sql_type: str,
    values: Sequence[tuple[Any, ...]],
    rank: str | None = None,
) -> Partitions:
    rows = [(id, *value) for id in workspace_ids for value in values]
    return Partitions({"workspace_id": "uuid", column: sql_type}, rows, rank)
