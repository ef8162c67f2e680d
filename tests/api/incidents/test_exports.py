"""Incidents and events as CSV files, under the filters of their lists (specification 2.6)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.browser import Browser
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import routed

Browsers = Callable[[str], Browser]
MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def board(cast: Cast) -> None:
    """Two incidents of Acme, the later one with a formula as its title, and one of Eve's."""
    routed(cast.source, NOW, key="disk", severity="ERROR", resource="host:db1", tags=["prod", "db"])
    routed(cast.source, NOW + MINUTE, key="sum", severity="CRITICAL", title="=SUM(A1)")
    routed(cast.foreign_source, NOW, key="disk", severity="CRITICAL", title="Of Eve")


def rows(answer: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(answer.text, newline="")))


@pytest.mark.parametrize("what", ["incidents", "events"])
def test_a_file_has_the_rows_of_the_list_in_its_order(browser: Browsers, what: str) -> None:
    vic = browser("vic")

    answer = vic.get(f"/v1/{what}/export")
    listed = vic.get(f"/v1/{what}").json["items"]

    assert answer.content_type == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"].startswith(f'attachment; filename="{what}-')
    assert answer.headers["Cache-Control"] == "no-store"
    assert [each["id"] for each in rows(answer)] == [each["id"] for each in listed]
    assert rows(answer)[0]["title"] == "'=SUM(A1)"
    assert rows(answer)[1]["tags"] == "prod db"


@pytest.mark.parametrize("what", ["incidents", "events"])
def test_a_file_takes_filters_and_order_and_no_page(browser: Browsers, what: str) -> None:
    vic = browser("vic")

    critical = rows(vic.get(f"/v1/{what}/export?severity=CRITICAL"))
    ascending = rows(vic.get(f"/v1/{what}/export?order=asc"))

    assert [each["severity"] for each in critical] == ["CRITICAL"]
    assert [each["severity"] for each in ascending] == ["ERROR", "CRITICAL"]
    assert vic.get(f"/v1/{what}/export?limit=1").status_code == 422
    assert vic.get(f"/v1/{what}/export?severity=odd").status_code == 422


@pytest.mark.parametrize("what", ["incidents", "events"])
def test_a_file_has_the_own_workspaces_alone(browser: Browsers, what: str) -> None:
    assert [each["title"] for each in rows(browser("eve").get(f"/v1/{what}/export"))] == ["Of Eve"]


@pytest.mark.parametrize("what", ["incidents", "events"])
def test_a_head_request_writes_no_rows(browser: Browsers, what: str) -> None:
    answer = browser("vic").call("HEAD", f"/v1/{what}/export", None)

    assert (answer.status_code, answer.text) == (200, "")
