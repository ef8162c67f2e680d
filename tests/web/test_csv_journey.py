"""Lists as CSV files, as they are shown."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("accessibility")]


def titles(page: Any, button: Any) -> list[str]:
    """The titles of the file that the button saves."""
    with page.expect_download() as started:
        button.click()
    assert started.value.suggested_filename.startswith("home-")
    text = Path(started.value.path()).read_text(encoding="utf-8")
    return [row["title"] for row in csv.DictReader(text.splitlines())]


def test_the_inbox_and_the_events_are_saved_under_their_filters(visit: Open, service: Service) -> None:
    service.incident("=SUM(A1) of a sheet", dedupKey="csv-1", tags=["csv"])
    service.incident("Not of the file", dedupKey="csv-2")
    page = signed_in(visit, service, "/w/home/inbox?q=tag:csv")
    expect(page.get_by_role("link", name="=SUM(A1) of a sheet")).to_be_visible()
    page.get_by_role("button", name="Views", exact=True).click()
    assert titles(page, page.get_by_role("menuitem", name="Export CSV")) == ["'=SUM(A1) of a sheet"]

    page.goto(f"{service.address}/w/home/events?q=sheet")
    expect(page.get_by_text("=SUM(A1) of a sheet").first).to_be_visible()
    assert titles(page, page.get_by_role("button", name="Export CSV")) == ["'=SUM(A1) of a sheet"]
