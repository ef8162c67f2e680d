"""axe finds nothing on any screen, in both themes, on a desktop, a laptop and a phone, and the layout fits."""

from __future__ import annotations

import pytest

from tests.web.conftest import Open
from tests.web.pages import load, settled, show, violations_everywhere
from tests.web.screens import SCREENS
from tests.web.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("accessibility")]


def test_axe_finds_nothing_and_the_layout_has_no_fault(
    visit: Open, service: Service, axe: str, records: dict[str, str]
) -> None:
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
