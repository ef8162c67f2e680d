"""Counts of incidents: they follow every filter of the list, and examine a bounded number of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest

from bench import lists
from inbox.domain.incidents.state_machine import UNRESOLVED, State
from inbox.models.incidents import counts
from inbox.models.incidents.tables import Incident
from tests.cast import Cast
from tests.models.lists.listed import expected
from tests.models.lists.test_pagination import all_queries

EACH_STATE = "&".join(f"state={state}" for state in State)


def counted(here: Sequence[UUID], query: str, person: UUID, most: int) -> Counter[tuple[Any, ...]] | None:
    groups = counts.groups(here, lists.arguments("incidents", query), person, most=most)
    return None if groups is None else Counter({tuple(each[:3]): each.total for each in groups})


def listed(here: Sequence[UUID], query: str) -> Counter[tuple[Any, ...]]:
    rows = Incident.select().where(Incident.id << expected("incidents", here, query))
    return Counter((row.workspace_id, row.state, row.severity) for row in rows)


def requested(query: str, names: dict[str, str]) -> str:
    return "&".join(filter(None, ["" if "state=" in query else EACH_STATE, query.format(**names)]))


@pytest.mark.parametrize("most", [60, 20])
def test_incident_counts_under_every_filter_equal_the_list(cast: Cast, names: dict[str, str], most: int) -> None:
    here, found = [cast.workspace.id, cast.foreign.id], 0

    for query in all_queries("incidents"):
        total = counted(here, requested(query, names), cast.users["mia"].id, most)
        if total is not None:
            assert total == listed(here, requested(query, names)), query
        found += total is not None

    assert found == len(all_queries("incidents")) if most == 60 else 0 < found < len(all_queries("incidents"))


def test_a_filter_that_leaves_few_rows_is_counted_where_the_states_leave_many(
    cast: Cast, names: dict[str, str]
) -> None:
    here, mia = [cast.workspace.id, cast.foreign.id], cast.users["mia"].id

    assert counted(here, f"{EACH_STATE}&tag=rare", mia, 5) == listed(here, "tag=rare")
    assert counted(here, f"{EACH_STATE}&severity=ERROR", mia, 5) is None


def test_counts_of_unresolved_incidents_equal_the_counts_of_their_states(cast: Cast, names: dict[str, str]) -> None:
    here, mia = [cast.workspace.id, cast.foreign.id], cast.users["mia"].id
    states = "&".join(f"state={state}" for state in State if state in UNRESOLVED)

    under_filters = counts.groups(here, lists.arguments("incidents", states), mia, most=60)

    assert sorted(under_filters or []) == sorted(counts.unresolved_groups(here, mia))
    assert any(each.mine for each in under_filters or [])
