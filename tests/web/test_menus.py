"""Menus: their items, and the keys that move through them."""

from __future__ import annotations

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.dialogs import each_menu
from tests.web.pages import load, signed_in, violations
from tests.web.preferences import PATH
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("accessibility")]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_open_menus(
    theme: str, visit: Open, service: Service, axe: str, records: dict[str, str]
) -> None:
    page = visit(service=service, theme=theme)
    load(page, service.address)
    found = {name: violations(page, axe, within="[role=menu]") for name in each_menu(page, records)}

    assert {name: each for name, each in found.items() if each} == {}


def test_a_menu_opens_at_its_first_item_and_arrows_move_through_it(visit: Open, service: Service) -> None:
    page = signed_in(visit, service, "/w/home/inbox")
    button = page.get_by_role("button", name="Account of Olga Ivanova")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitemradio", name="Theme: Light")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("menuitemradio", name="Theme: Dark")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitemradio", name="Theme: Dark")).to_have_attribute("aria-checked", "true")
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
    until(lambda: service.get(PATH)["theme"] == "dark", "the theme is saved", 20)
    page.get_by_role("menuitemradio", name="Theme: System").click()
    until(lambda: service.get(PATH)["theme"] == "system", "the theme is as it was for the next test", 20)
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
