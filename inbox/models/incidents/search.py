"""The list of incidents: its filters, its sorts, each along an index, and its facets.

Specification 7.2, 7.11.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce
from operator import and_, or_
from typing import Any
from uuid import UUID

import peewee

from inbox.database.patterns import like_pattern
from inbox.domain.incidents.state_machine import State
from inbox.models.incidents import alert_search, search_text
from inbox.models.incidents import read as incident_read
from inbox.models.incidents.search_text import IncidentSearch
from inbox.models.incidents.tables import Incident
from inbox.models.lists import filters
from inbox.models.lists.facets import KIND_OF_RESOURCE, Dimension, FacetedTable, each_of
from inbox.models.lists.filters import PERIOD, SEVERITIES, Args, Filter, Filters, Index, indexed
from inbox.models.lists.index_scan import IndexScan, Lookup, Partitions
from inbox.models.lists.long_list import LongList
from inbox.models.senders import sources
from inbox.models.senders.sources import Source

STATE_ORDER = [str(state) for state in reversed(State)]
"""The order of a list that is sorted by state: resolved is the lowest, open the highest."""

SORTS = {
    "lastSeen": (Incident.last_seen_at,),
    "firstSeen": (Incident.first_seen_at,),
    "opened": (Incident.opened_at,),
    "resolved": (Incident.resolved_at,),
    "events": (Incident.event_count,),
    "severity": (Incident.severity, Incident.last_seen_at),
    "state": (
        peewee.Case(Incident.state, [(state, rank) for rank, state in enumerate(STATE_ORDER)], 0),
        Incident.last_seen_at,
    ),
    "source": (incident_read.SOURCE_NAME, Incident.last_seen_at),
    "title": (Incident.title,),
    "number": (Incident.number,),
}
"""The sort columns of each sort, without the tie-breaker. The first of two is a value that many incidents share.

`resolved` lists resolved incidents alone, since no others have a time of resolution.
"""

OPPOSITE_TIME_FILTER = {"firstSeen": "since", **dict.fromkeys(("lastSeen", "severity", "state", "source"), "until")}
"""The sorts that scan in an order of time, each with the filter for the other time."""

LONG_LIVED = "interval '1 day'"
"""The lifetime from which the index of long-lived incidents holds an incident; the same text as in the partial index."""

NOBODY = ""
"""The value of the facet of incidents without an assignee."""


def _of_any_source(workspace_ids: Sequence[UUID]) -> Any:
    """Returns a condition for the index of fingerprints, which begins with the source."""
    among = Source.select(Source.id).where(Source.workspace.in_(list(workspace_ids)))
    return peewee.Expression(Incident.source_id, peewee.OP.EQ, peewee.fn.ANY(peewee.fn.ARRAY(among)))


def _number_in(text: str) -> int | None:
    """Returns the number in a text without three letters or digits in a row. Other texts are in the search rows."""
    return None if search_text.has_trigram(text) else search_text.number_in(text)


def _has_short_text(table: Any, text: str) -> Any:
    """Returns the condition for a text without three letters or digits in a row, which the search rows cannot find."""
    if search_text.has_trigram(text):
        return None
    number = _number_in(text)
    return filters.has_text(table, text) if number is None else table.number == number


FILTERS = Filters(
    Incident,
    {
        "fingerprint": Filter("fingerprint", index=lambda _: Index(more=_of_any_source)),
        "silence_id": Filter("silenced_by", index=indexed),
        "resource": Filter("resource", index=indexed),
        # No index has the incidents without an assignee.
        "assignee_id": Filter("assignee_id", index=lambda people: None if None in people else Index()),
        "source_id": Filter("source_id", index=indexed),
        "q": Filter(condition=_has_short_text, index=lambda text: None if _number_in(text) is None else Index()),
        "flapping": Filter(
            condition=lambda table, flapping: table.flapping if flapping else ~table.flapping,
            index=lambda flapping: Index() if flapping else None,
        ),
        "state": Filter("state", index=indexed),
        "severity": Filter("severity", index=indexed),
        "since": Filter(condition=lambda table, since: table.last_seen_at >= since, index=indexed),
        "until": Filter(condition=lambda table, until: table.first_seen_at < until, index=indexed),
        **{name: Filter(name) for name in ("type", "dedup_key", "rule_id", "routing_profile_id", "acknowledged_by")},
        "resource_kind": Filter(condition=filters.of_kinds),
    },
    branches={
        "resource": "text",
        "assignee_id": "uuid",
        "source_id": "uuid",
        "flapping": "",
        "state": "text",
        "severity": "severity",
    },
)
"""The filters by a column. The filters by text and tag are conditions on the search rows."""

FACETS = FacetedTable(
    "incidents",
    {
        "state": Dimension("state", "state"),
        "severity": Dimension("severity", "severity::text"),
        "source_id": Dimension("source_id", "source_id::text", is_record=True),
        "tag": each_of("tags"),
        "resource_kind": KIND_OF_RESOURCE,
        "type": Dimension("type", "type"),
        "assignee_id": Dimension("assignee_id", f"coalesce(assignee_id::text, '{NOBODY}')", is_record=True),
        "rule_id": Dimension("rule_id", "rule_id::text", is_record=True),
    },
)


def ids(workspace_ids: Sequence[UUID], args: Args, *, most: int) -> list[UUID] | None:
    """Returns the first `most` incidents that pass the filters, last seen first; None if it would examine too many rows."""
    found, is_partial = INCIDENTS.newest(workspace_ids, args, most=most)
    return None if is_partial and len(found) < most else found


def matches(workspace_ids: Sequence[UUID], args: Args) -> Any:
    """Returns a condition: the incident passes the filters in `args`."""
    text = _text_filter(workspace_ids, args)
    of_columns = FILTERS.conditions(filters.with_severities(args))
    return reduce(and_, [peewee.SQL("TRUE"), *of_columns, *([] if text is None else [text(Incident.id)])])


def column_lookups(workspace_ids: Sequence[UUID], args: Args, *, first: str = "") -> list[Lookup]:
    """Returns the filters by a column with an index, the most selective first, or the filter `first` before them."""
    return FILTERS.lookups(workspace_ids, filters.with_severities(args), first=first)


def text_lookups(workspace_ids: Sequence[UUID], args: Args) -> list[Lookup]:
    """Returns the filters by text or tag. Their index counts all matching rows, so they are used last."""
    in_workspaces = IncidentSearch.workspace_id.in_(list(workspace_ids))
    found = [
        IncidentSearch.select(IncidentSearch.incident_id).where(in_workspaces, each)
        for each in (*_on_tags(args), *_near_text(args))
    ]
    if _is_searched(args):
        rows = IncidentSearch.select(IncidentSearch.incident_id).where(
            in_workspaces, search_text.text_filter(args["q"])
        )
        found.append(rows.union_all(alert_search.incidents_with(workspace_ids, args["q"])))
    of_columns = FILTERS.conditions(filters.with_severities(args))
    return [Lookup(rows, Incident, None, of_columns) for rows in found]


def scan_plan(workspace_ids: Sequence[UUID], args: Args) -> IndexScan:
    """Returns the scan of the list: the index of the sort, the filters that it does not cover, and the lookups."""
    args = filters.with_severities(args if args["sort"] != "resolved" else {**args, "state": [State.RESOLVED]})
    branches, covered = _branches(workspace_ids, args)
    opposite_filter = OPPOSITE_TIME_FILTER.get(args["sort"])
    is_partial = covered == {"flapping"} or args["sort"] == "resolved"
    found = IndexScan(
        Incident,
        [SORTS[args["sort"]][-1], Incident.id],
        branches,
        where=FILTERS.conditions(args, only=covered) if is_partial else (),
        filters=FILTERS.conditions(args, without=covered | (PERIOD if opposite_filter else frozenset())),
        text_filter=_text_filter(workspace_ids, args),
        lookups=column_lookups(workspace_ids, args),
        text_lookups=text_lookups(workspace_ids, args),
    )
    if opposite_filter is None:
        return found
    outside = _opposite_order(args, args[opposite_filter]) if opposite_filter in args else []
    return replace(found, low=args.get("since"), high=args.get("until"), outside=outside)


def _branches(workspace_ids: Sequence[UUID], args: Args) -> tuple[Partitions, frozenset[str]]:
    """Returns the branches of the scan, and the filters that they cover."""
    match args["sort"]:
        case "severity":
            branches = filters.ranked(workspace_ids, args, "severity", "severity", SEVERITIES)
            return branches, frozenset({"severity"})
        case "state":
            return filters.ranked(workspace_ids, args, "state", "text", STATE_ORDER), frozenset({"state"})
        case "source":
            return sources.by_name(workspace_ids, args.get("source_id")), frozenset({"source_id"})
        case "lastSeen":
            # Most incidents are resolved, so a filter by severity leaves fewer of them.
            is_common = "severity" in args and State.RESOLVED in args.get("state", ())
            usable = {name: value for name, value in args.items() if name != "state"} if is_common else args
            return FILTERS.best_branches(workspace_ids, usable)
        case sort:
            return filters.all_rows(workspace_ids), frozenset({"state"} if sort == "resolved" else ())


def _opposite_order(args: Args, moment: Any) -> list[Lookup]:
    """Returns the incidents first seen before a moment and last seen after it. Long-lived incidents have a separate index.

    An incident last seen before the moment was also first seen before it. An incident first seen since then was also
    last seen since then. For a filter on one time and a scan along the other, only these few incidents are missing. A
    single scan might first read all incidents on the other side of the moment.
    """
    opposite_filter = [Incident.first_seen_at < moment, Incident.last_seen_at >= moment]
    before = peewee.SQL(f"(%s::timestamptz - {LONG_LIVED})", (moment,))
    long_lived = Incident.last_seen_at - Incident.first_seen_at > peewee.SQL(LONG_LIVED)
    return [
        Lookup(None, Incident, [*opposite_filter, *more], FILTERS.conditions(args))
        for more in ([Incident.first_seen_at >= before], [long_lived, Incident.first_seen_at < before])
    ]


def _text_filter(workspace_ids: Sequence[UUID], args: Args) -> Callable[[Any], Any] | None:
    """Returns a condition for the id of an incident: its search row fulfils the filters by text and tag."""
    conditions = _on_tags(args)
    if _is_searched(args):
        conditions.append(search_text.with_alerts(workspace_ids, args["q"]))
    return partial(search_text.row_matches, condition=reduce(and_, conditions)) if conditions else None


def _on_tags(args: Args) -> list[Any]:
    """Returns the condition on the tags, if the filters have one."""
    if "tag" not in args:
        return []
    [first, *others] = args["tag"]
    tags = IncidentSearch.tags
    return [tags.contains_any(first, *others) if others else tags.contains(first)]


def _is_searched(args: Args) -> bool:
    """Returns whether the search rows find the text of the filters."""
    return "q" in args and search_text.has_trigram(args["q"])


def _near_text(args: Args) -> list[Any]:
    """Returns conditions on the search text that find a few more incidents than a filter by the dedup key."""
    keys = args.get("dedup_key", ())
    if not keys or not all(search_text.has_trigram(key) for key in keys):
        return []
    return [reduce(or_, [IncidentSearch.text ** like_pattern(key) for key in keys])]


INCIDENTS = LongList(FILTERS, SORTS, incident_read.by_ids, scan_plan, FACETS)
