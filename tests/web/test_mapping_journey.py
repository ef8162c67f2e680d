"""The mapping of a source in the dashboard: last payload, picked paths, live preview, and a sender's result."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests

from tests.web.conftest import Open
from tests.web.pages import signed_in
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

BODY = {"site": "berlin", "alerts": [{"name": "DiskFull", "host": "db2", "level": "bad", "state": "firing"}]}


def send(service: Service, key: str, body: Any) -> requests.Response:
    headers = {"Authorization": f"Bearer {key}"}
    return requests.post(f"{service.address}/v1/hooks/custom", json=body, headers=headers, timeout=60)


def test_a_mapping_is_made_of_the_last_payload_and_reads_the_next_one(visit: Open, service: Service) -> None:
    workspace = service.home()["id"]
    source = service.post("/v1/sources", {"workspaceId": workspace, "name": "Mapped"})["id"]
    key = service.post(f"/v1/sources/{source}/keys", {"name": "Key"})["secret"]
    assert send(service, key, BODY).status_code == 422
    page = signed_in(visit, service, f"/w/home/sources/{source}?tab=mapping")
    page.get_by_role("button", name="Use the last payload of this source").click()
    page.get_by_role("combobox", name="Items").fill("alerts[*]")
    paths = page.get_by_role("region", name="Paths")
    page.get_by_role("textbox", name="Title", exact=True).click()
    paths.get_by_role("button", name="name DiskFull", exact=True).click()
    page.get_by_role("textbox", name="Dedup key", exact=True).fill("{host}:{name}")
    page.get_by_role("textbox", name="Severity", exact=True).click()
    paths.get_by_role("button", name="level bad", exact=True).click()

    preview = page.get_by_role("region", name="Preview")
    expect(preview).to_contain_text("DiskFull")
    expect(preview).to_contain_text("db2:DiskFull")
    expect(preview).to_contain_text("`bad` is not in the table")
    page.get_by_role("button", name="Add a severity value").click()
    page.get_by_role("textbox", name="Severity value 1").fill("bad")
    expect(preview).not_to_contain_text("is not in the table")
    expect(preview).to_contain_text("Critical")

    page.get_by_role("textbox", name="Title", exact=True).fill("{name")
    expect(page.get_by_text("Has a single brace")).to_be_visible()
    page.get_by_role("textbox", name="Title", exact=True).fill("{name} on {host}")
    page.get_by_role("button", name="Save the mapping").click()
    expect(page.get_by_role("button", name="Remove the mapping")).to_be_visible()

    assert service.get(f"/v1/sources/{source}")["mapping"] == {
        "items": "alerts[*]",
        "title": {"template": "{name} on {host}"},
        "dedupKey": {"template": "{host}:{name}"},
        "severity": {"template": "{level}", "table": {"bad": "CRITICAL"}},
    }
    sent = send(service, key, BODY)
    assert (sent.status_code, sent.json()["faults"]) == (202, [])


def test_a_pasted_text_that_is_no_payload_is_marked(visit: Open, service: Service) -> None:
    workspace = service.home()["id"]
    source = service.post("/v1/sources", {"workspaceId": workspace, "name": "Pasted"})["id"]
    page = signed_in(visit, service, f"/w/home/sources/{source}?tab=mapping")
    payload = page.get_by_role("textbox", name="Payload")
    payload.fill("{not json")
    expect(page.get_by_text("This is not a JSON object or array.")).to_be_visible()

    payload.fill(json.dumps({"<b>bold</b>": "<img src=x onerror=alert(1)>"}))

    expect(page.get_by_role("region", name="Paths")).to_contain_text("<img src=x onerror=alert(1)>")
