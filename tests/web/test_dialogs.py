"""axe finds nothing in open dialogs and drawers, in both themes, on a desktop and a phone."""

from __future__ import annotations

import pytest

from tests.web.conftest import Open
from tests.web.dialogs import DIALOG, dialog_records, each_dialog
from tests.web.pages import load, violations_everywhere
from tests.web.records import NIGHTLY
from tests.web.service import Service

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("accessibility")]

SIZES = (1440, 390)


def test_axe_finds_nothing_in_open_dialogs(visit: Open, service: Service, axe: str, records: dict[str, str]) -> None:
    page = visit(service=service)
    load(page, service.address)
    with dialog_records(service, NIGHTLY, records):
        found = {
            name: violations_everywhere(page, axe, SIZES, DIALOG)  # the screens behind have their own test
            for name in each_dialog(page, NIGHTLY, records, workspace="Home")
        }

    assert {name: each for name, each in found.items() if each} == {}
