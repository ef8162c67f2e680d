"""Conditions of the filters of incidents, on columns and on the search rows (specification 7.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from operator import and_, or_
from typing import Any
from uuid import UUID

import peewee

from inbox.database.patterns import like_pattern
from inbox.domain.values import severity
from inbox.domain.values.severity import Severity
from inbox.models.incidents import search_text
from inbox.models.incidents.search_text import IncidentSearch
from inbox.models.incidents.tables import Incident
from inbox.models.senders.sources import Source

INDEXED_VALUES = {"resource": "text", "assignee_id": "uuid", "source_id": "uuid"}
"""Filters by values of a column. Each has an index that is sorted by `last_seen_at`."""

COLUMN_OF = {"silence_id": Incident.silenced_by}
"""The columns of filters with another name."""

UNINDEXED_VALUES = ("type", "dedup_key", "rule_id", "routing_profile_id", "acknowledged_by")
"""Filters by values of a column without an index in a workspace."""

SEVERITY_FILTERS = frozenset({"severity", "min_severity"})


def of_columns(args: Mapping[str, Any]) -> list[Any]:
    """Returns conditions on columns of the incident."""
    return [*indexed(args), *_unindexed(args)]


def indexed(args: Mapping[str, Any]) -> list[Any]:
    """Returns conditions on columns of the incident that an index supports."""
    found = [_one_of(name, args[name]) for name in (*INDEXED_VALUES, "silence_id", "fingerprint") if name in args]
    if "flapping" in args:
        found.append(Incident.flapping if args["flapping"] else ~Incident.flapping)
    if "state" in args:
        found.append(Incident.state.in_(list(args["state"])))
    if not SEVERITY_FILTERS.isdisjoint(args):
        found.append(Incident.severity.in_([str(each) for each in severities(args)]))
    if "since" in args:
        found.append(Incident.last_seen_at >= args["since"])
    if "until" in args:
        found.append(Incident.first_seen_at < args["until"])
    text = args.get("q", "")
    if not search_text.has_trigram(text) and (number := search_text.number_in(text)) is not None:
        found.append(Incident.number == number)
    return found


def is_indexed(name: str, value: Any) -> bool:
    """Returns whether an index finds the incidents that this filter leaves. No index has incidents without an assignee."""
    return value is not False and not (name == "assignee_id" and None in value)


def of_any_source(workspace_ids: Sequence[UUID]) -> Any:
    """Returns a condition for the index of fingerprints, which begins with the source."""
    among = Source.select(Source.id).where(Source.workspace.in_(list(workspace_ids)))
    return peewee.Expression(Incident.source_id, peewee.OP.EQ, peewee.fn.ANY(peewee.fn.ARRAY(among)))


def severities(args: Mapping[str, Any]) -> list[Severity]:
    """Returns the severities that pass the filters; INFO and SUCCESS are equal (specification 4.2)."""
    least = severity.rank(args["min_severity"]) if "min_severity" in args else 0
    return [each for each in Severity if severity.rank(each) >= least and each in args.get("severity", Severity)]


def on_text(args: Mapping[str, Any]) -> list[Any]:
    """Returns conditions on the search text and the tags."""
    found = []
    if "tag" in args:
        [first, *others] = args["tag"]
        tags = IncidentSearch.tags
        found.append(tags.contains_any(first, *others) if others else tags.contains(first))
    return [*found, search_text.text_filter(args["q"])] if "q" in args and search_text.has_trigram(args["q"]) else found


def near_text(args: Mapping[str, Any]) -> list[Any]:
    """Returns conditions on the search text that find a few more incidents than a filter by the dedup key."""
    keys = args.get("dedup_key", ())
    if not keys or not all(search_text.has_trigram(key) for key in keys):
        return []
    return [reduce(or_, [IncidentSearch.text ** like_pattern(key) for key in keys])]


def text_filter(args: Mapping[str, Any]) -> Callable[[Any], Any] | None:
    """Returns a condition for the id of an incident: its search row fulfils the filters by text and tag."""
    conditions = on_text(args)
    return partial(search_text.row_matches, condition=reduce(and_, conditions)) if conditions else None


def _one_of(name: str, values: Sequence[Any]) -> Any:
    """Returns a condition: the column has one of these values. None among them matches rows without a value."""
    column = COLUMN_OF.get(name) or getattr(Incident, name)
    some = [each for each in values if each is not None]
    if len(some) == len(values):
        return column.in_(some)
    return column.is_null() | column.in_(some) if some else column.is_null()


def _unindexed(args: Mapping[str, Any]) -> list[Any]:
    """Returns conditions that no index supports."""
    found = [_one_of(name, args[name]) for name in UNINDEXED_VALUES if name in args]
    if "resource_kind" in args:
        found.append(of_kinds(Incident.resource, args["resource_kind"]))
    return [*found, *_short_text(args.get("q"))]


def of_kinds(resource: Any, kinds: Sequence[str]) -> Any:
    """Returns a condition: the resource has one of these kinds."""
    return reduce(or_, [peewee.fn.STARTS_WITH(resource, f"{kind}:") for kind in kinds])


def _short_text(text: str | None) -> list[Any]:
    """Returns the condition for a text without three letters or digits in a row that is not a number."""
    if text is None or search_text.has_trigram(text) or search_text.number_in(text) is not None:
        return []
    like = like_pattern(text)
    return [Incident.title**like | Incident.resource**like | Incident.dedup_key**like]
