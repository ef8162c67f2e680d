"""Facets of events: they follow every filter of the list, and count a bounded number of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

import pytest

from bench import lists
from inbox.api.http.schemas.base import camel
from inbox.domain.values import ids
from inbox.models.events.search import EVENTS, FACETS
from inbox.models.events.tables import Event
from inbox.models.lists.facets import Facet
from tests.cast import Cast
from tests.models.lists.listed import expected
from tests.models.lists.test_pagination import all_queries

ALL_ROWS = 500

VALUES: dict[str, Callable[[Any], list[str]]] = {
    "severity": lambda row: [str(row.severity)],
    "source_id": lambda row: [str(row.source_id)],
    "disposition": lambda row: [row.disposition],
    "tag": lambda row: row.tags,
    "resource_kind": lambda row: [row.resource.partition(":")[0]] if ":" in (row.resource or "") else [],
    "type": lambda row: [row.type] if row.type else [],
    "action": lambda row: [row.action],
    "flag": lambda row: row.flags,
    "rule_id": lambda row: [row.routing["ruleId"]] if (row.routing or {}).get("ruleId") else [],
}


def found(here: Sequence[UUID], query: str, most: int = ALL_ROWS) -> tuple[dict[str, Facet], bool]:
    return EVENTS.facets(here, lists.arguments("events", query), list(FACETS.dimensions), most=most)


def by_row(here: Sequence[UUID], query: str, name: str) -> Counter[str]:
    """The values of a dimension in the list without the filter by that dimension."""
    others = urlencode([(key, value) for key, value in parse_qsl(query) if key != camel(name)])
    rows = Event.select().where(Event.id << expected("events", here, others))
    return Counter(value for row in rows for value in VALUES[name](row))


@pytest.mark.parametrize("of_both", [True, False], ids=["both workspaces", "one workspace"])
def test_event_facets_under_every_filter_equal_the_list(cast: Cast, names: dict[str, str], of_both: bool) -> None:
    here = [cast.workspace.id, cast.foreign.id][: 1 + of_both]

    for query in all_queries("events"):
        requested = query.format(**names)
        by_name, is_partial = found(here, requested)

        assert not is_partial, requested
        assert list(by_name) == list(FACETS.dimensions)
        for name, facet in by_name.items():
            case = (requested, name)
            assert (Counter(dict(facet.values)), facet.more) == (by_row(here, requested, name), False), case


def test_a_facet_of_events_counts_the_newest(cast: Cast, names: dict[str, str]) -> None:
    here = [cast.workspace.id, cast.foreign.id]
    newest = Event.select().where(Event.id << expected("events", here, "")[:7])

    by_name, is_partial = found(here, "", 7)

    assert is_partial
    assert dict(by_name["disposition"].values) == Counter(row.disposition for row in newest)


def test_an_id_of_another_workspace_is_not_counted(cast: Cast, names: dict[str, str]) -> None:
    foreign = [row.id for row in Event.select().where(Event.workspace_id == cast.foreign.id)]

    by_name = FACETS.counted([cast.workspace.id], foreign, ["severity"])

    assert foreign
    assert by_name == {"severity": Facet([], False)}


def test_the_rule_facet_uses_the_rules_of_the_routing(cast: Cast, names: dict[str, str]) -> None:
    values = found([cast.workspace.id, cast.foreign.id], "")[0]["rule_id"].values

    assert all(ids.decode("rul", value) is not None for value, _ in values)
