"""Preferences follow the person to every browser."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.preferences import PATH, save
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_a_choice_in_one_browser_reaches_another_one_at_once_and_a_new_one_at_its_start(
    visit: Open, service: Service, restored: None
) -> None:
    here, there = (signed_in(visit, service, "/account") for _ in range(2))
    expect(there.locator("html")).to_have_attribute("data-density", "comfortable")

    here.get_by_role("radiogroup", name="Row density").get_by_text("Compact").click()
    here.get_by_role("radiogroup", name="Theme").get_by_text("Dark").click()

    for page in (here, there, signed_in(visit, service, "/w/home/inbox")):
        expect(page.locator("html")).to_have_attribute("data-density", "compact")
        expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
    until(lambda: service.get(PATH)["theme"] == "dark", "the theme is saved", 20)
    assert service.get(PATH)["density"] == "compact"


def test_a_change_by_the_api_is_shown_without_a_reload(visit: Open, service: Service, restored: None) -> None:
    page = signed_in(visit, service, "/account")
    expect(page.get_by_role("radio", name="Local")).to_be_checked()

    save(service, times="utc")

    expect(page.get_by_role("radio", name="UTC")).to_be_checked()

    save(service, times="workspace", defaultSnoozeMinutes=45)

    expect(page.get_by_role("radio", name="Workspace")).to_be_checked()
    expect(page.get_by_role("combobox", name="Default snooze")).to_have_value("45 min")


def test_a_choice_is_kept_by_a_page_that_is_reloaded_before_it_is_saved(
    visit: Open, service: Service, restored: None
) -> None:
    page = visit(service=service)
    held: list[Any] = []
    page.route(f"**{PATH}", lambda route: held.append(route) if is_first_save(route, held) else route.continue_())
    page.goto(service.address + "/account")
    page.get_by_role("radiogroup", name="Row density").get_by_text("Compact").click()
    page.get_by_role("radiogroup", name="Theme").get_by_text("Dark").click()
    until(lambda: len(held) == 1, "the first change waits for its answer", 20)
    page.reload()

    until(lambda: service.get(PATH)["theme"] == "dark", "the second change is saved", 20)
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")


def is_first_save(route: Any, held: list[Any]) -> bool:
    return route.request.method == "PATCH" and not held
