"""The editor of a record that a file keeps says so, also when the file is applied while the editor is open. So does a list of views."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faults.service_processes import PROJECT
from tests.up import Up
from tests.web.conftest import Open
from tests.web.layout import layout_faults
from tests.web.pages import PAINTED, signed_in, violations
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

FILE = """version: 1
rules:
  databases:
    name: Databases
    matchText: resource startsWith "host:db"
    then: {disposition: incident}
views:
  of-databases:
    name: Of databases
    filters: {tag: [databases]}
"""


def test_an_editor_says_that_a_file_keeps_the_record(visit: Open, up: Up, service: Service, tmp_path: Path) -> None:
    with service.workspace("Kept by files") as workspace:
        then = {"disposition": "incident"}
        rule = {"workspaceId": workspace["id"], "name": "Databases", "matchText": "severity >= ERROR", "then": then}
        id = service.post("/v1/rules", rule)["id"]
        page = signed_in(visit, service, f"/w/{workspace['slug']}/rules/{id}")
        expect(page.get_by_label("Name")).to_have_value("Databases")
        expect(page.get_by_text("Kept by a file.")).to_have_count(0)

        _apply(up, tmp_path, workspace["slug"])

        expect(page.get_by_role("note")).to_contain_text("Change it in acme.yaml, where it is databases.")
        _looks_right(page)


def test_the_list_of_views_says_which_ones_a_file_keeps(
    visit: Open, up: Up, service: Service, axe: str, tmp_path: Path
) -> None:
    with service.workspace("Kept views") as workspace:
        view = {"workspaceId": workspace["id"], "list": "incidents", "filters": {"minSeverity": "ERROR"}}
        service.post("/v1/views", view | {"name": "By hand", "shared": True})
        page = signed_in(visit, service, f"/w/{workspace['slug']}/inbox")
        page.get_by_role("button", name="Views", exact=True).click()
        page.get_by_role("menuitem", name="Manage views").click()
        rows = page.get_by_role("dialog", name="Views").get_by_role("listitem")
        expect(rows).to_have_count(1)

        _apply(up, tmp_path, workspace["slug"])

        expect(rows).to_have_count(2)
        row = rows.filter(has=page.get_by_role("textbox", name="Name of Of databases"))
        expect(row.get_by_text("Shared by a file")).to_be_visible()
        expect(row.get_by_role("note")).to_have_text(
            "Kept by a file. Change it in acme.yaml, where it is of-databases."
        )
        expect(page.get_by_role("note")).to_have_count(1)
        _looks_right(page)
        assert violations(page, axe) == []


def _looks_right(page: Any) -> None:
    """Check the layout in both themes, and on a phone."""
    for theme, width in (("light", 1440), ("dark", 1440), ("light", 390)):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(PAINTED)
        assert layout_faults(page, overlaps=True) == []


def _apply(up: Up, place: Path, workspace: str) -> None:
    """Apply a file with one rule, as the operator of the instance does."""
    file = place / "acme.yaml"
    file.write_text(FILE)
    command = [sys.executable, "-m", "cli", "config", "apply", str(file), "--workspace", workspace]
    environment = {"INBOX_DATA_DIR": str(up.data), "PYTHONPATH": str(PROJECT), "PATH": ""}
    subprocess.run(command, env=environment, cwd=PROJECT, check=True, capture_output=True, timeout=60)
