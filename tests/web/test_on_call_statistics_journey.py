"""Statistics of people on call in a real browser: the table, a chosen period, a schedule, and the file."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.web.conftest import PHONE, Open
from tests.web.pages import signed_in
from tests.web.service import Service
from tests.web.test_calendar_feed_journey import rota

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_the_figures_of_a_period_are_shown_and_saved_as_a_file(visit: Open, service: Service, tmp_path: Path) -> None:
    rota(service, "Rota with figures")
    page = signed_in(visit, service, "/w/home/on-call")
    page.get_by_role("tab", name="Statistics").click()
    table = page.get_by_role("table", name="Statistics of people on call")
    own = table.get_by_role("row").filter(has_text="Olga Ivanova (you)")
    expect(own).to_be_visible()
    filters = page.get_by_role("search", name="Statistics of people on call")
    filters.get_by_role("combobox", name="Schedule").click()
    page.get_by_role("option", name="Rota with figures").click()
    expect(own.get_by_role("cell").nth(4)).to_have_text("1")
    with page.expect_download() as saving:
        filters.get_by_role("button", name="Export CSV").click()
    saving.value.save_as(tmp_path / "figures.csv")

    [row] = csv.DictReader(io.StringIO((tmp_path / "figures.csv").read_text()))
    assert (row["name"], row["shifts"], row["pages"]) == ("Olga Ivanova", "1", "0")
    assert "period" not in page.url and "schedule=sch_" in page.url


def test_a_period_that_ends_before_it_begins_is_refused_and_a_phone_shows_all_figures(
    visit: Open, service: Service
) -> None:
    rota(service, "Rota on a phone")
    page = signed_in(visit, service, "/w/home/on-call?tab=statistics", size=PHONE)
    table = page.get_by_role("table", name="Statistics of people on call")
    expect(table.get_by_text("h on weekends").first).to_be_visible()
    expect(table.get_by_text("0 pages").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    filters = page.get_by_role("search", name="Statistics of people on call")
    filters.get_by_role("combobox", name="Period").tap()
    page.get_by_role("option", name="Other days").tap()
    filters.get_by_label("First day").fill("2026-01-02")
    filters.get_by_label("Last day").fill("2026-01-01")

    expect(page.get_by_role("alert")).to_have_text("The last day is before the first.")
    expect(filters.get_by_role("button", name="Export CSV")).to_be_disabled()
    filters.get_by_label("Last day").fill("2026-01-03")
    expect(page.get_by_role("heading", name="Nobody was on call in this period")).to_be_visible()


def test_an_address_that_names_no_record_shows_that_there_is_no_such_page(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/on-call/statistics")
    missing = page.get_by_role("heading", name="Page not found")
    expect(missing).to_be_visible()
    page.goto(f"{service.address}/w/home/incidents/counts")
    expect(missing).to_be_visible()
    page.get_by_role("navigation").get_by_role("link", name="On call").click()

    expect(page.get_by_role("heading", name="On call", level=1)).to_be_visible()
