"""Facets of incidents: they follow every filter of the list, and count a bounded number of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

import pytest

from bench import lists
from inbox.api.http.schemas.base import camel
from inbox.models.incidents.search import FACETS, INCIDENTS
from inbox.models.incidents.tables import Incident
from inbox.models.lists.facets import MAX_VALUES, Facet
from tests.cast import Cast
from tests.models.lists.listed import expected
from tests.models.lists.test_pagination import all_queries

ALL_ROWS = 60

VALUES: dict[str, Callable[[Any], list[str]]] = {
    "state": lambda row: [row.state],
    "severity": lambda row: [str(row.severity)],
    "source_id": lambda row: [str(row.source_id)],
    "tag": lambda row: row.tags,
    "resource_kind": lambda row: [row.resource.partition(":")[0]] if ":" in (row.resource or "") else [],
    "type": lambda row: [row.type] if row.type else [],
    "assignee_id": lambda row: [str(row.assignee_id or "")],
    "rule_id": lambda row: [str(row.rule_id)] if row.rule_id else [],
}


def found(here: Sequence[UUID], query: str, most: int = ALL_ROWS) -> tuple[dict[str, Facet], bool]:
    return INCIDENTS.facets(here, lists.arguments("incidents", query), list(FACETS.dimensions), most=most)


def by_row(here: Sequence[UUID], query: str, name: str) -> Counter[str]:
    """The values of a dimension in the list without the filter by that dimension."""
    others = urlencode([(key, value) for key, value in parse_qsl(query) if key != camel(name)])
    rows = Incident.select().where(Incident.id << expected("incidents", here, others))
    return Counter(value for row in rows for value in VALUES[name](row))


@pytest.mark.parametrize("of_both", [True, False], ids=["both workspaces", "one workspace"])
def test_incident_facets_under_every_filter_equal_the_list(cast: Cast, names: dict[str, str], of_both: bool) -> None:
    here = [cast.workspace.id, cast.foreign.id][: 1 + of_both]

    for query in all_queries("incidents"):
        requested = query.format(**names)
        by_name, is_partial = found(here, requested)

        assert not is_partial, requested
        assert list(by_name) == list(FACETS.dimensions)
        for name, facet in by_name.items():
            assert (Counter(dict(facet.values)), facet.more) == (by_row(here, requested, name), False), (
                requested,
                name,
            )
            counts = [count for _, count in facet.values]
            assert counts == sorted(counts, reverse=True), (requested, name)


@pytest.mark.parametrize(("most", "counted", "is_partial"), [(59, 59, True), (60, 60, False), (61, 60, False)])
def test_a_facet_counts_the_incidents_that_were_seen_last(
    cast: Cast, names: dict[str, str], most: int, counted: int, is_partial: bool
) -> None:
    here = [cast.workspace.id, cast.foreign.id]

    by_name, partial = found(here, "", most)

    last = Incident.select().where(Incident.id << expected("incidents", here, "")[:most])
    assert partial is is_partial
    assert dict(by_name["state"].values) == Counter(row.state for row in last)
    assert sum(count for _, count in by_name["assignee_id"].values) == counted


@pytest.mark.parametrize(("tags", "more"), [(MAX_VALUES - 1, False), (MAX_VALUES, False), (MAX_VALUES + 1, True)])
def test_a_facet_has_at_most_20_values_and_says_whether_there_are_more(
    cast: Cast, names: dict[str, str], tags: int, more: bool
) -> None:
    one = Incident.select().first()
    Incident.update(tags=[f"tag-{number}" for number in range(tags)]).where(Incident.id == one.id).execute()

    facet = FACETS.counted([], [one.id], ["tag"])["tag"]

    assert (len(facet.values), facet.more) == (min(tags, MAX_VALUES), more)


def test_facets_without_a_workspace_are_empty(cast: Cast, names: dict[str, str]) -> None:
    assert found([], "severity=ERROR") == (dict.fromkeys(FACETS.dimensions, Facet([], False)), False)
