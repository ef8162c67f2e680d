"""A payload without an event is shown at its source, as text and without secrets."""

from __future__ import annotations

import pytest
import requests

from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_a_refused_payload_is_shown_at_its_source(visit: Open, service: Service) -> None:
    workspace = service.home()["id"]
    source = service.post("/v1/sources", {"workspaceId": workspace, "name": "Refused"})["id"]
    key = service.post(f"/v1/sources/{source}/keys", {"name": "Key"})["secret"]
    body = {"note": "<img src=x onerror=alert(1)>", "password": "hunter2hunter2"}
    sent = requests.post(
        f"{service.address}/v1/hooks/grafana", json=body, headers={"Authorization": f"Bearer {key}"}, timeout=60
    )
    page = signed_in(visit, service, f"/w/home/sources/{source}")

    notice = page.get_by_role("alert").filter(has_text="could not be read completely")
    expect(notice).to_contain_text("The body is no payload of Grafana")
    notice.get_by_role("button", name="Show the payload").click()

    expect(page.get_by_label("Payload", exact=True)).to_contain_text("<img src=x onerror=alert(1)>")
    expect(page.get_by_label("Payload", exact=True)).to_contain_text("[REDACTED]")
    assert sent.status_code == 422
    assert "hunter2hunter2" not in page.content() and key not in page.content()
