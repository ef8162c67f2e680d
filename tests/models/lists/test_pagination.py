"""Pages of long lists: the same rows in the same order however they are come by, and no page takes longer than it may."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import peewee
import pytest

from bench import lists
from inbox.domain import ids
from inbox.domain.event_transition import Disposition
from inbox.models.events import search as event_search
from inbox.models.incidents import search as incident_search
from inbox.models.lists import pages, pagination, time_budget
from inbox.models.lists.pages import count, offset_page
from inbox.models.sql.base import db, new_id
from inbox.models.tables.events import Event
from inbox.models.tables.incidents import Incident
from tests.cast import NOW, Cast, make_source
from tests.models.rows import event

MODULES: dict[str, Any] = {"incidents": incident_search, "events": event_search}

BOTH = ("severity=CRITICAL", "minSeverity=ERROR", "sourceId={source}", "q=full", "q=%25", "since={since}", "until={until}",
        "since={since}&until={until}", "sourceId={source}&minSeverity=ERROR", "sourceId={source}&q=full&since={since}",
        "severity=CRITICAL&until={until}")  # fmt: skip
INCIDENTS = ("state=open", "state=resolved", "state=open&state=snoozed", "tag=rare", "tag=prod&state=resolved", "flapping=true",
             "flapping=false&severity=ERROR", "state=open&tag=prod", "minSeverity=ERROR&q=full&tag=rare", "since={since}&tag=prod",
             "resource=host:db-1", "resource=host:db-1&sourceId={source}", "q=job-7",
             "assigneeId={person}", "assigneeId={person}&state=open&until={until}")  # fmt: skip
EVENTS = ("disposition=pending", "disposition=updated", "disposition=pending&sourceId={source}", "incidentId={incident}",
          "disposition=opened&severity=ERROR", "incidentId={incident}&disposition=updated")  # fmt: skip

pytestmark = pytest.mark.usefixtures("little")

DEAREST = {"walked step by step": -1, "gathered": 1e9, "sifted": 1e9}
NO_GATHERING: Any = peewee.SQL("(SELECT count(*) FROM pg_class a, pg_class b, pg_class c, pg_class d, pg_class e) > 0")
"""What the database holds to cost more than anything; as good as endless."""

FLAPPING = "flapping=true&sort=title&order=asc"
ENDLESS: Any = peewee.SQL("pg_sleep(60) IS NOT NULL")
A_WHILE: Any = peewee.SQL("pg_sleep(1.5) IS NOT NULL")
TOO_LONG: Any = peewee.SQL("repeat(title, 1000000000) = ''")


class Hurried:
    """A clock on which a second passes whenever it is looked at: no page has time for more than its first step."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def standing() -> float:
    """A clock on which no time passes."""
    return 0.0


def turned(
    name: str,
    workspace_ids: Sequence[UUID],
    query: str,
    limit: int = 5,
    clock: time_budget.Clock = standing,
    **other: Any,
) -> list[list[UUID]]:
    """The ids on each page, to the last one."""
    args, after, found = lists.arguments(name, query), None, []
    walk = replace(MODULES[name].scan_plan(workspace_ids, args), **other)
    while not found or after is not None:
        way = {"descending": args["order"] == "desc", "limit": limit}
        page = pagination.keyset_page(walk, after=after, clock=clock, **way)
        assert page.following is None or page.following != after
        found.append(list(page.ids))
        after = page.following
    return found


def sorted_whole(name: str, workspace_ids: Sequence[UUID], query: str) -> list[UUID]:
    args, module = lists.arguments(name, query), MODULES[name]
    id = Incident.id if name == "incidents" else Event.id
    rows, _ = offset_page(
        module.count_query(workspace_ids, args), columns=module.SORTS[args["sort"]], id=id,
        descending=args["order"] == "desc", offset=0, limit=200,
    )  # fmt: skip
    return [row.id for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("how", DEAREST)
@pytest.mark.parametrize(("name", "sort"), [(name, sort) for name, module in MODULES.items() for sort in module.SORTS])
def test_every_filter_in_every_order_shows_each_row_once_and_in_its_place(
    cast: Cast, names: dict[str, str], monkeypatch: pytest.MonkeyPatch, name: str, sort: str, how: str
) -> None:
    monkeypatch.setattr(pagination, "FETCH_ALL_MAX_COST", DEAREST[how])
    monkeypatch.setattr(time_budget, "PAGE_BUDGET", 0.0005 if how == "sifted" else 0)
    monkeypatch.setattr(pagination, "CLIENT_SKIP_LIMIT", 8)
    here = [cast.workspace.id, cast.foreign.id]

    for query in ("", *BOTH, *(INCIDENTS if name == "incidents" else EVENTS)):
        for order in ("asc", "desc"):
            asked = "&".join(filter(None, [query.format(**names), f"sort={sort}&order={order}"]))
            sought = MODULES[name].scan_plan(here, lists.arguments(name, asked)).all_filters
            other = {"all_filters": [*sought, NO_GATHERING]} if how == "sifted" else {}
            pages = turned(name, here, asked, clock=Hurried() if DEAREST[how] < 0 else standing, **other)

            assert [id for page in pages for id in page] == sorted_whole(name, here, asked), asked
            assert all(len(page) <= 5 for page in pages)
            walk, way = (
                MODULES[name].scan_plan(here, lists.arguments(name, asked)),
                {"descending": order == "desc", "limit": 5},
            )
            assert pagination.page_at_offset(walk, offset=0, **way) == sorted_whole(name, here, asked)[:5], asked
            assert pagination.page_at_offset(walk, offset=7, **way) == sorted_whole(name, here, asked)[7:12], asked


@pytest.mark.parametrize("name", MODULES)
def test_every_filter_counts_what_it_shows(cast: Cast, names: dict[str, str], name: str) -> None:
    here = [cast.workspace.id, cast.foreign.id]

    for query in ("", *BOTH, *(INCIDENTS if name == "incidents" else EVENTS)):
        asked = query.format(**names)
        rows = MODULES[name].search(here, lists.arguments(name, asked)).all_rows()
        assert count(rows) == len(sorted_whole(name, here, asked)), asked


def test_a_page_without_time_ends_with_its_first_step_and_the_next_goes_on(far_off: list[UUID]) -> None:
    pages = turned("incidents", far_off, FLAPPING, clock=Hurried())

    assert [len(page) for page in pages] == [0, 0, 0, 0, 5, 2, 0]


def test_a_page_with_time_goes_on_until_it_is_full(far_off: list[UUID]) -> None:
    pages = turned("incidents", far_off, FLAPPING)

    assert [len(page) for page in pages] == [5, 2]


def looking(rows: int) -> time_budget.Statement:
    return "SELECT 1", []


@pytest.mark.parametrize(
    ("took", "rows"),
    [(0, 24), (0.125, 24), (0.2, 24), (0.25, 18), (0.5, 6), (0.75, 2), (0.8125, 0), (1.0, 0), (2.0, 0)],
)
def test_a_step_is_as_long_as_by_the_one_before_it_will_be_through_in_time(
    monkeypatch: pytest.MonkeyPatch, cast: Cast, took: float, rows: int
) -> None:
    monkeypatch.setattr(time_budget, "PAGE_BUDGET", 1.0)
    monkeypatch.setattr(time_budget, "MIN_SCAN_ROWS", 2)
    now = iter([0.0, 0.0, took, took])
    pace = time_budget.TimeBudget(lambda: next(now))

    assert pace.rows() == 6
    assert pace.scan(looking, 2, 3, 3) == [(1,)]
    assert pace.rows() == rows


@pytest.mark.parametrize(("hits", "wanted", "is_enough"), [(0, 1, False), (2, 5, True), (2, 6, True), (2, 7, False)])
def test_what_is_found_on_the_way_may_suffice(
    monkeypatch: pytest.MonkeyPatch, cast: Cast, hits: int, wanted: int, is_enough: bool
) -> None:
    monkeypatch.setattr(time_budget, "PAGE_BUDGET", 1.0)
    now = iter([0.0, 0.0, 0.25, 0.25])
    pace = time_budget.TimeBudget(lambda: next(now))
    pace.scan(looking, 1, 6, 6)

    assert pace.is_on_track(hits, wanted) is is_enough


def test_nothing_is_gathered_where_enough_lie_on_the_way(
    cast: Cast, names: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = "severity=CRITICAL&sort=number"
    here = [cast.workspace.id, cast.foreign.id]
    whole = sorted_whole("incidents", here, asked)
    monkeypatch.setattr(pagination, "FETCH_ALL_MAX_COST", 1e9)

    pages = turned("incidents", here, asked, all_filters=[TOO_LONG])

    assert [id for page in pages for id in page] == whole


def test_few_that_lie_far_off_are_gathered(far_off: list[UUID], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pagination, "FETCH_ALL_MAX_COST", 1e9)
    monkeypatch.setattr(time_budget, "PAGE_BUDGET", 0)

    assert [len(page) for page in turned("incidents", far_off, FLAPPING)] == [5, 2]


@pytest.mark.parametrize(("less", "pages"), [(0, [5, 2]), (0.01, [0])])
def test_what_is_dear_or_many_is_not_gathered(
    far_off: list[UUID], monkeypatch: pytest.MonkeyPatch, less: float, pages: list[int]
) -> None:
    monkeypatch.setattr(time_budget, "PAGE_BUDGET", 0)
    walk = incident_search.scan_plan(far_off, lists.arguments("incidents", FLAPPING))
    first = pagination.keyset_page(walk, after=None, descending=False, limit=5)
    sql, values = pagination._fetch_all_statement(walk, first.following, False, 6)
    plan = time_budget.run(f"EXPLAIN (FORMAT JSON) {sql}", values)[0][0][0]["Plan"]
    monkeypatch.setattr(pagination, "FETCH_ALL_MAX_COST", plan["Total Cost"] + max(pagination._rows(plan)) - less)

    assert [len(page) for page in turned("incidents", far_off, FLAPPING)][: len(pages)] == pages


def test_gathering_that_takes_too_long_is_broken_off_and_the_way_goes_on(
    far_off: list[UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = sorted_whole("incidents", far_off, FLAPPING)
    monkeypatch.setattr(pagination, "FETCH_ALL_MAX_COST", 1e9)
    monkeypatch.setattr(pagination, "FETCH_ALL_TIMEOUT", 0.05)

    pages = turned("incidents", far_off, FLAPPING, all_filters=[Incident.flapping, ENDLESS])

    assert [id for page in pages for id in page] == whole


def test_a_step_that_takes_too_long_is_broken_off_and_the_page_ends(
    cast: Cast, names: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pagination, "FETCH_ALL_MAX_COST", -1)
    monkeypatch.setattr(time_budget, "STATEMENT_DEADLINE", 0.05)
    walk = incident_search.scan_plan([cast.workspace.id], lists.arguments("incidents", "sort=number"))
    asked = peewee.Case(None, [(Incident.number == 60, True), (Incident.number > 50, False)], ENDLESS)
    before = db.execute_sql("SHOW statement_timeout").fetchone()

    page = pagination.keyset_page(
        replace(walk, residual_filters=[asked]), after=None, descending=True, limit=5, clock=standing
    )

    assert [Incident.get_by_id(id).number for id in page.ids] == [60]
    assert page.following is not None
    assert db.execute_sql("SHOW statement_timeout").fetchone() == before


@pytest.mark.parametrize(("place", "took"), [(8, ENDLESS), (2, A_WHILE)])
def test_a_first_step_that_takes_too_long_is_broken_off_and_looks_at_as_many_as_a_page_has(
    cast: Cast, names: dict[str, str], monkeypatch: pytest.MonkeyPatch, place: int, took: Any
) -> None:
    monkeypatch.setattr(pagination, "FETCH_ALL_MAX_COST", -1)
    for limit, value in {"FIRST_SCAN_ROWS": 20, "STATEMENT_DEADLINE": 1, "PAGE_BUDGET": 0}.items():
        monkeypatch.setattr(time_budget, limit, value)
    walk = incident_search.scan_plan([cast.workspace.id], lists.arguments("incidents", "sort=number"))
    whole = sorted_whole("incidents", [cast.workspace.id], "sort=number")
    asked = peewee.Case(Incident.id, [(whole[place], took), *((id, True) for id in whole[:3])], False)

    page = pagination.keyset_page(replace(walk, residual_filters=[asked]), after=None, descending=True, limit=5)

    assert page.ids == whole[:3]
    assert page.following is not None
    assert page.following.id == whole[5]


def test_no_other_fault_of_the_database_ends_a_page(
    cast: Cast, names: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pagination, "FETCH_ALL_MAX_COST", -1)
    walk = incident_search.scan_plan([cast.workspace.id], lists.arguments("incidents", "sort=number"))
    asked = [peewee.Case(None, [(Incident.number > 50, False)], TOO_LONG)]

    with pytest.raises(peewee.OperationalError, match="too large"):
        pagination.keyset_page(
            replace(walk, residual_filters=asked), after=None, descending=True, limit=5, clock=standing
        )


@pytest.mark.parametrize(("on_the_way", "dearest"), [(60, -1), (0.05, -1), (60, 1e9)])
def test_a_numbered_page_is_walked_to_or_gathered(
    far_off: list[UUID], monkeypatch: pytest.MonkeyPatch, on_the_way: float, dearest: float
) -> None:
    whole = sorted_whole("incidents", far_off, FLAPPING)
    monkeypatch.setattr(pagination, "FETCH_ALL_MAX_COST", dearest)
    monkeypatch.setattr(pagination, "OFFSET_SCAN_TIMEOUT", on_the_way)
    walk = incident_search.scan_plan(far_off, lists.arguments("incidents", FLAPPING))
    walk = (
        replace(walk, residual_filters=[*walk.residual_filters, ENDLESS])
        if on_the_way < 1 or dearest > 1
        else replace(walk, all_filters=[ENDLESS])
    )

    assert pagination.page_at_offset(walk, offset=3, descending=False, limit=3) == whole[3:6]


@pytest.mark.parametrize("hits", [None, ENDLESS])
def test_a_numbered_page_that_is_not_found_in_time_is_none(
    far_off: list[UUID], monkeypatch: pytest.MonkeyPatch, hits: Any
) -> None:
    monkeypatch.setattr(pagination, "OFFSET_SCAN_TIMEOUT", 0.05)
    monkeypatch.setattr(pagination, "OFFSET_TIMEOUT", 0.05)
    walk = incident_search.scan_plan(far_off, lists.arguments("incidents", FLAPPING))
    walk = replace(walk, residual_filters=[] if hits else [ENDLESS], where=[ENDLESS], unindexed_filter=hits)

    assert pagination.page_at_offset(walk, offset=3, descending=False, limit=3) is None


@pytest.mark.parametrize("name", MODULES)
def test_where_nothing_may_be_seen_every_page_is_empty(cast: Cast, name: str) -> None:
    walk, way = MODULES[name].scan_plan([], lists.arguments(name, "")), {"descending": True, "limit": 5}

    assert pagination.keyset_page(walk, after=None, **way) == pagination.IdPage([], None)
    assert pagination.page_at_offset(walk, offset=0, **way) == []


def test_what_takes_too_long_to_count_is_not_counted(
    cast: Cast, names: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert count(Incident.select()) == 60
    monkeypatch.setattr(pages, "COUNT_TIMEOUT", 0.05)
    assert count(Incident.select().where(ENDLESS)) is None


@pytest.mark.parametrize("sort", ["received", "occurred", "severity", "disposition"])
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_events_are_walked_where_the_other_filters_leave_any(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, sort: str, order: str
) -> None:
    quiet = make_source(cast.workspace, "Quiet")[0]
    for place in range(40):
        at = NOW + timedelta(days=place * 10)
        about: dict[str, Any] = {"id": new_id(at), "received_at": at, "occurred_at": at, "severity": "ERROR"}
        event(quiet if 18 <= place < 22 else cast.source, 0, new_id(), disposition="logged", **about)
    monkeypatch.setattr(pagination, "FETCH_ALL_MAX_COST", -1)

    asked = f"sourceId={ids.encode('src', quiet.id)}&minSeverity=ERROR&sort={sort}&order={order}"
    pages = turned("events", [cast.workspace.id], asked, limit=4, clock=Hurried())

    assert [len(page) for page in pages if page] == [4]
    assert len(pages) <= 1 + {"severity": 2, "disposition": len(Disposition)}.get(sort, 1)
