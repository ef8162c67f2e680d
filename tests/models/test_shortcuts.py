"""Shortcuts to rows that lie far off: what incidents say themselves sifts them, or all is gathered, once."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import peewee
import pytest

from bench import lists
from inbox.models.incidents import search as incident_search
from inbox.models.lists import pagination, time_budget
from inbox.models.lists.index_scan import IndexScan, Prefilter
from inbox.models.tables.incidents import Incident
from tests.cast import Cast
from tests.models.lists.test_pagination import A_WHILE, ENDLESS, FLAPPING, sorted_whole, turned

pytestmark = pytest.mark.usefixtures("little")

MUCH = peewee.SQL("(SELECT count(*) FROM pg_class a, pg_class b, pg_class c) > 0")
"""What the database holds to cost very much."""

TAGGED = f"tag=prod&{FLAPPING}"


def walk_of(workspace_ids: list[UUID], query: str) -> IndexScan:
    return incident_search.scan_plan(workspace_ids, lists.arguments("incidents", query))


@pytest.fixture
def sifting(far_off: list[UUID], monkeypatch: pytest.MonkeyPatch) -> list[UUID]:
    """As `far_off`, and whatever costs little may be done."""
    monkeypatch.setattr(pagination, "FETCH_ALL_MAX_COST", 1e9)
    return far_off


def test_what_few_incidents_say_themselves_sifts_them(sifting: list[UUID]) -> None:
    """One page instead of four empty ones; to gather is dearer."""
    whole = sorted_whole("incidents", sifting, TAGGED)

    pages = turned("incidents", sifting, TAGGED, all_filters=[Incident.flapping, MUCH, ENDLESS])

    assert pages == [whole[:5], whole[5:]]
    assert len(whole) == 7


def test_the_words_of_what_is_not_looked_at_are_not_asked(sifting: list[UUID]) -> None:
    whole = sorted_whole("incidents", sifting, TAGGED)
    walk = walk_of(sifting, TAGGED)
    assert walk.prefilter is not None
    last = peewee.SQL("y.id = %s", (whole[-1],))
    far = lambda id: peewee.Case(None, [(last, ENDLESS)], True)

    page = pagination.keyset_page(
        replace(walk, prefilter=Prefilter(walk.prefilter.near, far)),
        after=None,
        descending=False,
        limit=5,
        clock=lambda: 0.0,
    )

    assert page.ids == whole[:5]


@pytest.mark.parametrize(
    ("query", "sifts"),
    [
        ("tag=prod&state=open&sort=title", True),
        ("q=full&assigneeId={person}&sort=number", True),
        ("tag=prod&since={since}&sort=title", True),
        ("tag=prod&sort=title", False),
        ("state=open&sort=title", False),
        ("tag=prod&state=open", False),
        ("tag=prod&state=open&sort=state", False),
    ],
)
def test_only_who_asks_both_of_incidents_and_of_their_words_sifts(
    cast: Cast, names: dict[str, str], query: str, sifts: bool
) -> None:
    assert (walk_of([cast.workspace.id], query.format(**names)).prefilter is not None) is sifts


@pytest.mark.parametrize(("part", "gathers"), [(0.499, True), (0.501, False)])
def test_who_sifts_gathers_only_for_half_of_what_is_dear(
    far_off: list[UUID], monkeypatch: pytest.MonkeyPatch, part: float, gathers: bool
) -> None:
    first = pagination.keyset_page(walk_of(far_off, TAGGED), after=None, descending=False, limit=5).following
    assert first is not None
    walk = replace(walk_of(far_off, TAGGED), all_filters=[Incident.flapping], is_prefiltered=True)
    monkeypatch.setattr(pagination, "FETCH_ALL_MAX_COST", pagination._cost_within(walk, first, False, 5) / part)

    assert (pagination._shortcut(walk, first, False, 5) is not None) is gathers


def test_what_took_too_long_to_gather_is_not_gathered_for_the_next_page(
    far_off: list[UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = sorted_whole("incidents", far_off, FLAPPING)
    monkeypatch.setattr(pagination, "FETCH_ALL_MAX_COST", 1e9)
    monkeypatch.setattr(pagination, "FETCH_ALL_TIMEOUT", 0.05)
    monkeypatch.setattr(time_budget, "PAGE_BUDGET", 0)
    walk = replace(walk_of(far_off, FLAPPING), all_filters=[Incident.flapping, A_WHILE])
    first = pagination.keyset_page(walk, after=None, descending=False, limit=5)
    assert first.following is not None
    assert first.following.walks
    monkeypatch.setattr(pagination, "FETCH_ALL_TIMEOUT", 60)
    monkeypatch.setattr(time_budget, "PAGE_BUDGET", 240)

    second = pagination.keyset_page(
        replace(walk, all_filters=[ENDLESS]), after=first.following, descending=False, limit=5, clock=lambda: 0.0
    )

    assert [*first.ids, *second.ids] == whole[:5]
    assert second.following is not None
    assert second.following.walks


def test_what_is_gathered_in_time_is_gathered_again(far_off: list[UUID], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pagination, "FETCH_ALL_MAX_COST", 1e9)
    monkeypatch.setattr(time_budget, "PAGE_BUDGET", 0)

    first = pagination.keyset_page(walk_of(far_off, FLAPPING), after=None, descending=False, limit=5)

    assert first.following is not None
    assert not first.following.walks


def test_text_that_no_index_finds_costs_as_much_as_all_that_it_is_sought_in(
    far_off: list[UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However little the database expects to find: a clause that nothing meets makes the rest no cheaper."""
    walk, searched = (walk_of(far_off, query) for query in (FLAPPING, f"q=%25&{FLAPPING}"))
    first = pagination.keyset_page(walk, after=None, descending=False, limit=5).following
    assert first is not None

    assert pagination._cost_within(searched, first, False, 5) >= pagination._cost_within(walk, first, False, 5) > 0
