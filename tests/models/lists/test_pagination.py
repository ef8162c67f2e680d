"""Pages of long lists: each row once and in its place, and no page examines more rows than it may."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import peewee
import pytest

from bench import lists
from inbox.database.base import new_id
from inbox.domain.incidents.event_transition import Disposition
from inbox.domain.values import ids
from inbox.domain.values.paging import Position
from inbox.models.incidents.tables import Incident
from inbox.models.lists import pagination
from inbox.models.lists.pagination import PAGE, Bounds
from tests.cast import NOW, Cast, make_source, make_workspace
from tests.models.lists.listed import LISTS, MODULES, expected, expected_of, in_order
from tests.models.rows import event

BOTH = ("severity=CRITICAL", "minSeverity=ERROR", "sourceId={source}", "q=full", "q=%25", "since={since}", "until={until}",
        "since={since}&until={until}", "sourceId={source}&minSeverity=ERROR", "sourceId={source}&q=full&since={since}",
        "severity=CRITICAL&until={until}", "severity=CRITICAL&severity=ERROR&severity=CRITICAL", "fingerprint=f1:7&fingerprint=f1:8",
        "sourceId={source}&sourceId={other}")  # fmt: skip
INCIDENTS = ("state=open", "state=resolved", "state=open&state=snoozed", "tag=rare", "tag=prod&state=resolved", "flapping=true",
             "flapping=false&severity=ERROR", "state=open&tag=prod", "minSeverity=ERROR&q=full&tag=rare", "since={since}&tag=prod",
             "resource=host:db-1", "resource=host:db-1&sourceId={source}", "q=job-7", "q=%237", "q=12",
             "assigneeId={person}", "assigneeId={person}&state=open&until={until}", "assigneeId=none&assigneeId={person}")  # fmt: skip
EVENTS = ("disposition=pending", "disposition=updated", "disposition=pending&sourceId={source}", "incidentId={incident}",
          "disposition=opened&severity=ERROR", "incidentId={incident}&disposition=updated",
          "disposition=pending&disposition=updated", "disposition=opened&disposition=updated")  # fmt: skip

ROW_BY_ROW = ("resourceKind=host&resourceKind=job", "type=disk.usage", "dedupKey=job-7", "dedupKey=j1&dedupKey=job-8", "last=9d",
              "ruleId={rule}", "resource=host:db-1&resource=host:db-2", "fingerprint=f1:7&severity=INFO")  # fmt: skip
INCIDENTS_ROW_BY_ROW = ("assigneeId=none", "acknowledgedBy={person}", "routingProfileId={profile}", "silenceId={silence}",
                        "tag=rare&tag=test&state=resolved")  # fmt: skip
EVENTS_ROW_BY_ROW = ("tag=prod&tag=rare", "action=resolve", "flag=clock_skew", "resource=host:db-1")
"""Filters that are conditions of each row alike in every order."""

SCANNED = Bounds(first_rows=6, scan_rows=6, lookup_rows=-1, text_rows=-1)
LOOKED_UP = Bounds(first_rows=6, scan_rows=6, lookup_rows=60, text_rows=60)
WAYS = {"scanned": SCANNED, "looked up": LOOKED_UP, "as served": PAGE}

FLAPPING = "flapping=true&sort=title&order=asc"


def all_pages(
    name: str, workspace_ids: Sequence[UUID], query: str, bounds: Bounds, limit: int = 5, **changes: Any
) -> list[list[UUID]]:
    """The ids on each page, to the last one."""
    args, found = lists.arguments(name, query), list[list[UUID]]()
    scan = replace(MODULES[name].scan_plan(workspace_ids, args), **changes)
    after: Position | None = None
    while not found or after is not None:
        page, following = pagination.keyset_page(
            scan, after=after, descending=args["order"] == "desc", limit=limit, bounds=bounds
        )
        assert following is None or following != after
        assert len(page) <= limit
        found.append(page)
        after = following
    return found


def queries(name: str) -> tuple[str, ...]:
    return ("", *BOTH, *(INCIDENTS if name == "incidents" else EVENTS))


def all_queries(name: str) -> tuple[str, ...]:
    return (*queries(name), *ROW_BY_ROW, *(INCIDENTS_ROW_BY_ROW if name == "incidents" else EVENTS_ROW_BY_ROW))


@pytest.fixture
def far_off(cast: Cast, names: dict[str, str]) -> list[UUID]:
    """The workspaces whose seven flapping incidents, of sixty, come last by title."""
    Incident.update(title="Zzz").where(Incident.flapping).execute()
    return [cast.workspace.id, cast.foreign.id]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "sort"), [(name, sort) for name, module in MODULES.items() for sort in module.SORTS])
def test_every_filter_in_every_order_shows_each_row_once_and_in_its_place(
    cast: Cast, names: dict[str, str], name: str, sort: str, way: str
) -> None:
    here = [cast.workspace.id, cast.foreign.id]

    for order in ("asc", "desc"):
        rows = in_order(name, here, f"sort={sort}&order={order}")
        for query in queries(name):
            if sort == "resolved" and "state=" in query and "state=resolved" not in query:
                continue  # refused
            requested = "&".join(filter(None, [query.format(**names), f"sort={sort}&order={order}"]))

            pages = all_pages(name, here, requested, WAYS[way])

            assert [id for page in pages for id in page] == expected_of(name, rows, requested), requested


@pytest.mark.parametrize("name", MODULES)
def test_a_numbered_page_is_a_part_of_the_list_and_carries_its_number(
    cast: Cast, names: dict[str, str], name: str
) -> None:
    here = [cast.workspace.id, cast.foreign.id]

    for query in all_queries(name):
        requested = query.format(**names)
        whole, searched = expected(name, here, requested), LISTS[name].search(here, lists.arguments(name, requested))
        for offset in (0, 3, 100):
            rows, total = searched.page_at_offset(offset=offset, descending=True, limit=5)

            assert ([row.id for row in rows], total) == (whole[offset : offset + 5], len(whole)), requested


@pytest.mark.parametrize("name", MODULES)
def test_the_rows_of_another_workspace_are_on_no_page(cast: Cast, names: dict[str, str], name: str) -> None:
    here = [cast.workspace.id]

    for query in all_queries(name):
        requested = query.format(**names)
        for bounds in WAYS.values():
            pages = all_pages(name, here, requested, bounds)

            assert [id for page in pages for id in page] == expected(name, here, requested), requested


@pytest.mark.parametrize("name", MODULES)
def test_pages_without_a_workspace_are_empty(cast: Cast, name: str) -> None:
    searched = LISTS[name].search([], lists.arguments(name, "severity=ERROR"))

    assert (searched.page(after=None, descending=True, limit=5).rows, all_pages(name, [], "", PAGE)) == ([], [[]])
    assert searched.page_at_offset(offset=0, descending=True, limit=5) == ([], 0)


def test_a_page_without_a_match_is_empty_and_the_next_page_continues(far_off: list[UUID]) -> None:
    pages = all_pages("incidents", far_off, FLAPPING, SCANNED)

    assert [id for page in pages for id in page] == expected("incidents", far_off, FLAPPING)
    assert [len(page) for page in pages][:2] == [0, 0]


def test_few_matches_that_come_last_are_looked_up(far_off: list[UUID]) -> None:
    pages = all_pages("incidents", far_off, FLAPPING, LOOKED_UP)

    assert [len(page) for page in pages] == [5, 2]


@pytest.mark.parametrize(("rows", "pages"), [(7, [5, 2]), (6, [0])])
def test_a_filter_that_leaves_more_rows_than_a_page_sorts_is_not_looked_up(
    far_off: list[UUID], rows: int, pages: list[int]
) -> None:
    found = all_pages("incidents", far_off, FLAPPING, replace(LOOKED_UP, lookup_rows=rows))

    assert [len(page) for page in found][: len(pages)] == pages


@pytest.mark.parametrize(("rows", "pages"), [(3, [3]), (2, [0])])
def test_a_text_that_leaves_more_rows_than_a_page_sorts_is_not_looked_up(
    cast: Cast, names: dict[str, str], rows: int, pages: list[int]
) -> None:
    Incident.update(last_seen_at=NOW - timedelta(days=1)).where(
        Incident.dedup_key << ["job-1", "job-21", "job-41"]
    ).execute()
    here = [cast.workspace.id, cast.foreign.id]

    found = all_pages("incidents", here, "tag=rare", replace(LOOKED_UP, text_rows=rows))

    assert [len(page) for page in found][: len(pages)] == pages


@pytest.mark.parametrize(("place", "is_examined"), [(11, True), (12, False)])
def test_a_page_examines_no_more_rows_than_it_may(
    cast: Cast, names: dict[str, str], place: int, is_examined: bool
) -> None:
    """Two scans of at most six rows: the filter fails at the twelfth row, and is never tried at the thirteenth."""
    here = [cast.workspace.id]
    row = expected("incidents", here, "sort=title")[place]
    fails = peewee.Case(Incident.id, [(row, peewee.SQL("1 / (number - number) = 1"))], False)
    scan = MODULES["incidents"].scan_plan(here, lists.arguments("incidents", "sort=title"))

    def page() -> tuple[list[UUID], Position | None]:
        tried = replace(scan, filters=[fails])
        return pagination.keyset_page(tried, after=None, descending=True, limit=5, bounds=SCANNED)

    if is_examined:
        with pytest.raises(peewee.DatabaseError, match="division by zero"):
            page()
    else:
        assert page()[0] == [] and page()[1] is not None


@pytest.mark.parametrize(("scan_rows", "is_whole"), [(23, False), (24, True), (25, True)])
def test_a_numbered_page_examines_a_list_with_few_rows_to_its_end(cast: Cast, scan_rows: int, is_whole: bool) -> None:
    """Six rows are examined first, and 24 remain, all of them in one of ten workspaces."""
    here = [cast.workspace.id, *(make_workspace(f"Empty {place}").id for place in range(9))]
    for place in range(30):
        event(cast.source, place, new_id(), disposition="logged")
    scan = MODULES["events"].scan_plan(here, lists.arguments("events", "q=unicorn"))
    bounds = replace(SCANNED, scan_rows=scan_rows, is_numbered=True)

    found, following = pagination.keyset_page(scan, after=None, descending=True, limit=5, bounds=bounds)

    assert (found, following is None) == ([], is_whole)


@pytest.mark.parametrize("sort", ["received", "occurred", "severity", "disposition"])
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_events_are_scanned_where_the_other_filters_leave_any(cast: Cast, sort: str, order: str) -> None:
    quiet = make_source(cast.workspace, "Quiet")[0]
    for place in range(40):
        at = NOW + timedelta(days=place * 10)
        about: dict[str, Any] = {"id": new_id(at), "received_at": at, "occurred_at": at, "severity": "ERROR"}
        event(quiet if 18 <= place < 22 else cast.source, 0, new_id(), disposition="logged", **about)

    requested = f"sourceId={ids.encode('src', quiet.id)}&minSeverity=ERROR&sort={sort}&order={order}"
    pages = all_pages("events", [cast.workspace.id], requested, SCANNED, limit=4)

    assert [len(page) for page in pages if page] == [4]
    assert len(pages) <= 1 + {"severity": 2, "disposition": len(Disposition)}.get(sort, 1)
