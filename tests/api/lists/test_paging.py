"""The pages of a list by cursor have each row exactly once; every other use of paging is refused with a pointer.

Specification 2.6.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import peewee
import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inbox.api.http.paging import PageQuery, page_query, paged
from inbox.api.http.schemas.base import SeverityName
from inbox.database.base import db, new_id
from inbox.domain.values.paging import MAX_OFFSET
from inbox.domain.values.refusals import ValidationFailed
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace
from tests.browser import Browser
from tests.cast import NOW, Cast, make_workspace

Query = page_query("PagesOfThisTest", ("created", "name", "severity", "id", "workspace"), severity=SeverityName())
SORTS = {
    "created": Source.created_at,
    "name": Source.name,
    "severity": Source.default_severity,
    "id": Source.id,
    "workspace": peewee.fn.LOWER(Workspace.name),
}
SEVERITIES = ("DEBUG", "INFO", "SUCCESS", "WARNING", "ERROR", "CRITICAL")


@pytest.fixture
def sources(ground: peewee.Database) -> list[Source]:
    """Seventeen sources full of ties, in three workspaces."""
    homes = [make_workspace(name) for name in ("beta", "Alpha", "GAMMA")]
    return [
        Source.create(
            id=new_id(),
            workspace=homes[place % 3],
            name=("same", "übrig", "Zeta", "same")[place % 4],
            default_severity=SEVERITIES[place % 5],
            created_at=NOW + timedelta(microseconds=place // 4),
        )
        for place in range(17)
    ]


def page(app: Flask, **args: Any) -> dict[str, Any]:
    with app.test_request_context("/v1/sources"):
        query = Source.select(Source, Workspace).join(Workspace)
        sent = Query().load(args)
        if "severity" in sent:
            query = query.where(Source.default_severity == str(sent["severity"]))
        return paged(query, sent, sorts=SORTS, id=Source.id, dump=lambda row: row.id)


def scan(app: Flask, **args: Any) -> list[UUID]:
    met: list[UUID] = []
    cursor: dict[str, str] = {}
    while True:
        found = page(app, **args, **cursor)
        assert len(found["items"]) <= args["limit"] and found["total"] is None
        met += found["items"]
        if found["nextCursor"] is None:
            return met
        cursor = {"cursor": found["nextCursor"]}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sort=st.sampled_from(sorted(SORTS)),
    order=st.sampled_from(["asc", "desc"]),
    limit=st.integers(1, 20),
)
def test_a_scan_meets_each_row_once_and_in_order(
    app: Flask, sources: list[Source], sort: str, order: str, limit: int
) -> None:
    met = scan(app, sort=sort, order=order, limit=limit)
    numbered = page(app, sort=sort, order=order, limit=200, offset=0)

    assert sorted(met) == sorted(row.id for row in sources)
    assert met == numbered["items"]


def test_descending_is_ascending_backwards_ties_too(app: Flask, sources: list[Source]) -> None:
    for sort in SORTS:
        assert scan(app, sort=sort, order="asc", limit=5) == scan(app, sort=sort, order="desc", limit=5)[::-1]


def test_severities_are_sorted_by_rank_and_not_by_name(app: Flask, sources: list[Source]) -> None:
    by_id = {row.id: SEVERITIES.index(row.default_severity) for row in sources}
    ranks = [by_id[each] for each in scan(app, sort="severity", order="asc", limit=3)]

    assert ranks == sorted(ranks)


def test_rows_that_come_and_go_during_a_scan_move_no_others(app: Flask, sources: list[Source]) -> None:
    first = page(app, sort="created", order="asc", limit=5)
    Source.delete().where(Source.id == first["items"][-1]).execute()
    Source.create(id=new_id(), workspace=sources[0].workspace, name="early", created_at=NOW - timedelta(days=1))
    rest = page(app, sort="created", order="asc", limit=200, cursor=first["nextCursor"])

    assert not set(first["items"]) & set(rest["items"])
    assert len(rest["items"]) == 12 and rest["nextCursor"] is None


def test_numbered_pages_carry_the_exact_total(app: Flask, sources: list[Source]) -> None:
    found = page(app, sort="name", order="asc", limit=5, offset=15)

    assert (len(found["items"]), found["total"], found["nextCursor"]) == (2, 17, None)
    assert page(app, limit=5, offset=MAX_OFFSET) == {"items": [], "nextCursor": None, "partial": False, "total": 17}
    assert page(app, severity="CRITICAL", offset=0)["total"] == 0


def test_the_last_page_that_is_full_has_no_next(app: Flask, sources: list[Source]) -> None:
    assert page(app, limit=17)["nextCursor"] is None
    assert page(app, limit=16)["nextCursor"] is not None


@pytest.mark.parametrize(
    "otherwise",
    [{"sort": "name"}, {"order": "asc"}, {"severity": "INFO"}],
    ids=["another sort", "another order", "another filter"],
)
def test_a_cursor_is_good_only_where_it_was_made(app: Flask, sources: list[Source], otherwise: dict[str, str]) -> None:
    made = {"sort": "created", "order": "desc", "severity": "DEBUG"}
    cursor = page(app, **made, limit=1)["nextCursor"]

    assert page(app, **made, limit=3, cursor=cursor)["items"]
    with pytest.raises(ValidationFailed) as refused:
        page(app, **made | otherwise, limit=1, cursor=cursor)
    assert [fault.pointer for fault in refused.value.errors] == ["/query/cursor"]


def test_a_cursor_of_another_list_is_refused(browser: Callable[[str], Browser], cast: Cast) -> None:
    make_workspace("Second", olga=cast.users["olga"])
    olga = browser("olga")
    cursor = olga.get("/v1/workspaces?limit=1&sort=name").json["nextCursor"]
    answer = olga.get(f"/v1/sources?limit=1&sort=name&cursor={cursor}")

    assert answer.status_code == 422
    assert [each["pointer"] for each in answer.json["errors"]] == ["/query/cursor"]


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("limit=0", "/query/limit"),
        ("limit=201", "/query/limit"),
        ("limit=-1", "/query/limit"),
        ("limit=ten", "/query/limit"),
        ("limit=", "/query/limit"),
        ("limit=1.5", "/query/limit"),
        ("limit=99999999999999999999999", "/query/limit"),
        ("offset=-1", "/query/offset"),
        ("offset=10001", "/query/offset"),
        ("offset=9223372036854775808", "/query/offset"),
        ("order=up", "/query/order"),
        ("order=DESC", "/query/order"),
        ("sort=password_hash", "/query/sort"),
        ("sort=name;drop", "/query/sort"),
        ("cursor=", "/query/cursor"),
        ("cursor=abc", "/query/cursor"),
        ("cursor=%FF%FE", "/query/cursor"),
        ("cursor=" + "A" * 2049, "/query/cursor"),
        ("cursor=abc&offset=0", "/query/cursor"),
        ("page=2", "/query/page"),
        ("sort=a%00b", "/query/sort"),
    ],
)
def test_an_invalid_page_is_refused_with_its_pointer(
    query: str, pointer: str, browser: Callable[[str], Browser]
) -> None:
    answer = browser("vic").get(f"/v1/workspaces?{query}")

    assert (answer.status_code, answer.json["code"]) == (422, "validation_failed")
    assert [each["pointer"] for each in answer.json["errors"]] == [pointer]


@pytest.mark.parametrize("query", ["limit=1", "limit=200", "offset=0", "offset=10000", "order=asc", "sort=created", ""])
def test_the_bounds_themselves_are_accepted(query: str, browser: Callable[[str], Browser]) -> None:
    assert browser("vic").get(f"/v1/workspaces?{query}").status_code == 200


def test_an_offset_beyond_ten_thousand_is_refused_with_the_way_to_the_rows(browser: Callable[[str], Browser]) -> None:
    answer = browser("vic").get("/v1/incidents?offset=10001")

    assert (answer.status_code, answer.json["errors"]) == (
        422,
        [{"pointer": "/query/offset", "detail": "Must be from 0 to 10000. Use `cursor` for the rows beyond."}],
    )


def test_a_page_has_fifty_items_unless_said_otherwise(app: Flask, sources: list[Source]) -> None:
    assert PageQuery().load({})["limit"] == 50
    with db.atomic():
        for _ in range(60):
            Source.create(id=new_id(), workspace=sources[0].workspace, name="more", created_at=NOW)

    assert len(page(app)["items"]) == 50
