"""Rules and silences that were left out because of their cost say so, in their list and in their editor."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.faults.service_processes import until
from tests.web.conftest import Open
from tests.web.layout import layout_faults
from tests.web.pages import PAINTED, load, signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

COSTLY = {"any": [{"field": "metadata.list", "op": "endsWith", "value": "x"}] * 50}
WARNING = "Left out for one event of the last 24 hours, because it costs too much."
ADVICE = "Compare fewer values with body, tags and metadata, or use simpler patterns."


def left_out(service: Service, workspace_id: str) -> dict[str, str]:
    """The paths of a rule and a silence that were left out for an event, below the workspace."""
    of_workspace = {"workspaceId": workspace_id, "match": COSTLY}
    rule = service.post("/v1/rules", {**of_workspace, "name": "Costly rule", "then": {"disposition": "drop"}})
    ends_at = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    silence = service.post("/v1/silences", {**of_workspace, "comment": "Costly silence", "endsAt": ends_at})
    source = service.post("/v1/sources", {"workspaceId": workspace_id, "name": "Sender"})
    key = service.post(f"/v1/sources/{source['id']}/keys", {"name": "Key"})["secret"]
    replace(service, key=key).send("Costly event", metadata={"list": [""] * 9_000})
    paths = {"rules": f"/v1/rules/{rule['id']}", "silences": f"/v1/silences/{silence['id']}"}
    until(lambda: all(service.get(path)["tooCostly"] for path in paths.values()), "both are left out")
    return {"rules": rule["id"], "silences": silence["id"]}


def warned(within: Any) -> None:
    """Check that this part of the page names what was left out, and what to change."""
    note = within.get_by_role("note")
    expect(note).to_contain_text(WARNING)
    expect(note).to_contain_text(ADVICE)


def test_a_rule_and_a_silence_say_that_they_cost_too_much(visit: Open, service: Service) -> None:
    with service.workspace("Costly") as workspace:
        found = left_out(service, workspace["id"])
        page = signed_in(visit, service, f"/w/{workspace['slug']}/rules")
        for screen, id in found.items():
            for path in (screen, f"{screen}/{id}"):
                load(page, f"{service.address}/w/{workspace['slug']}/{path}")
                warned(page.get_by_role("main"))
                for theme, width in (("light", 1440), ("dark", 1440), ("light", 390)):
                    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
                    page.set_viewport_size({"width": width, "height": 900})
                    page.evaluate(PAINTED)
                    assert layout_faults(page, overlaps=True) == []
