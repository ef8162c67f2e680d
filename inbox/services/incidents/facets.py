"""Facets of incidents and events with labels, under the filters of their lists (specification 4.11, 7.11)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from inbox.domain.values import ids, list_filters
from inbox.models.events import search as events
from inbox.models.incidents import search as incidents
from inbox.models.lists.facets import MAX_VALUES, Facet
from inbox.models.records import names

MAX_INCIDENTS, MAX_EVENTS = 10_000, 5_000
"""The most rows that one facet counts. Further rows make the answer partial."""

LABEL_OF_NOBODY = "Nobody"

Names = Callable[[Iterable[UUID]], Mapping[UUID, str]]

RECORDS: Mapping[str, tuple[str, Names]] = {
    "source_id": ("src", names.of_sources),
    "assignee_id": ("usr", names.of_users),
    "rule_id": ("rul", names.of_rules),
}
"""The dimensions whose values are records: the prefix of their ids, and their names."""


def of_incidents(
    workspace_ids: Sequence[UUID],
    filters: Mapping[str, Any],
    dimensions: Sequence[str] = tuple(incidents.FACETS.dimensions),
    prefix: str = "",
) -> dict[str, Any]:
    """Return the facets of these dimensions. Each value fits its filter, and its label begins with `prefix`."""
    found = incidents.INCIDENTS.facets(workspace_ids, filters, dimensions, most=MAX_INCIDENTS, prefix=prefix)
    return _answer(*found, prefix)


def of_events(
    workspace_ids: Sequence[UUID],
    filters: Mapping[str, Any],
    dimensions: Sequence[str] = tuple(events.FACETS.dimensions),
    prefix: str = "",
) -> dict[str, Any]:
    """Return the facets of events, as `of_incidents` does."""
    found = events.EVENTS.facets(workspace_ids, filters, dimensions, most=MAX_EVENTS, prefix=prefix)
    return _answer(*found, prefix)


def _answer(facets: Mapping[str, Facet], is_partial: bool, prefix: str) -> dict[str, Any]:
    return {"facets": {name: _labelled(name, facet, prefix) for name, facet in facets.items()}, "partial": is_partial}


def _labelled(name: str, facet: Facet, prefix: str = "") -> dict[str, Any]:
    """Return the facet with a label for each value. Records are limited to labels with the prefix in any case."""
    values = [(value, label, count) for (value, label), count in zip(_labels(name, facet), _counts(facet), strict=True)]
    if name in RECORDS:
        values = [each for each in values if each[1].casefold().startswith(prefix.casefold())]
    return {
        "values": [{"value": value, "label": label, "count": count} for value, label, count in values[:MAX_VALUES]],
        "more": facet.more or len(values) > MAX_VALUES,
    }


def _counts(facet: Facet) -> list[int]:
    return [count for _, count in facet.values]


def _labels(name: str, facet: Facet) -> list[tuple[str, str]]:
    """Return each value in the form of the filter, with its label. A purged record has its id as its label."""
    values = [value for value, _ in facet.values]
    if name not in RECORDS:
        return [(value, value) for value in values]
    prefix, names_of = RECORDS[name]
    records = {value: _uuid(prefix, value) for value in values if value}
    labels, found = names_of(records.values()), []
    for value in values:
        if value in records:
            encoded = ids.encode(prefix, records[value])
            found.append((encoded, labels.get(records[value], encoded)))
        else:
            found.append((list_filters.NOBODY, LABEL_OF_NOBODY))
    return found


def _uuid(prefix: str, value: str) -> UUID:
    """Return the id of a record. Columns hold a UUID, and the routing of an event holds the id as in the API."""
    return ids.decode(prefix, value) or UUID(value)
