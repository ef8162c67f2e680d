"""axe finds nothing on any screen, in both themes, on a desktop, a laptop and a phone."""

from __future__ import annotations

import pytest

from tests.web.conftest import Open
from tests.web.pages import PAINTED, load, settled, show, violations_everywhere
from tests.web.screens import SCREENS
from tests.web.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("accessibility")]


def test_axe_finds_nothing(visit: Open, service: Service, axe: str, records: dict[str, str]) -> None:
    page = visit(service=service)
    load(page, service.address)
    settled(page)
    found = {}
    for name, path in SCREENS.items():
        if "#" in path:  # the app reads a fragment when it is loaded
            load(page, service.address + path)
            settled(page)
        else:
            show(page, path.format(**records))
        found[name] = violations_everywhere(page, axe)

    assert {name: each for name, each in found.items() if each} == {}


@pytest.mark.parametrize("width", [1440, 390])
def test_no_screen_is_wider_than_its_window(width: int, visit: Open, service: Service, records: dict[str, str]) -> None:
    page = visit({"width": width, "height": 900}, service=service)
    load(page, service.address)
    settled(page)
    wider = {}
    for name, path in SCREENS.items():
        if "#" not in path:
            show(page, path.format(**records))
            page.evaluate(PAINTED)
            wider[name] = page.evaluate("document.documentElement.scrollWidth - innerWidth")

    assert {name: by for name, by in wider.items() if by > 0} == {}
