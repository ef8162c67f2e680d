"""axe finds nothing on any screen, in both themes, on a desktop, a laptop and a phone."""

from __future__ import annotations

import pytest

from tests.web.conftest import Open
from tests.web.pages import settled, violations_everywhere
from tests.web.screens import SCREENS
from tests.web.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("accessibility")]

NAMES = sorted(SCREENS)


@pytest.mark.parametrize("half", [0, 1], ids=["first half", "second half"])
def test_axe_finds_nothing(visit: Open, service: Service, axe: str, records: dict[str, str], half: int) -> None:
    page = visit(service=service, reduced_motion="reduce")
    found = {}
    for name in NAMES[half::2]:
        page.goto("about:blank")  # else a change of the fragment alone would leave the screen before open
        page.goto(service.address + SCREENS[name].format(**records))
        settled(page)
        found[name] = violations_everywhere(page, axe)

    assert {name: each for name, each in found.items() if each} == {}
