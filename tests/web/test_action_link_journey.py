"""A link in a message acts in a browser without scripts and without a sign-in."""

from __future__ import annotations

import pytest

from tests.faults.service_processes import until
from tests.stand_ins.receivers import Answer, Receiver
from tests.web.conftest import PHONE, Open
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_a_link_in_a_message_acknowledges_without_a_script(visit: Open, service: Service) -> None:
    with Receiver(Answer(200, b'{"id": "m1", "event": "message"}')) as ntfy:
        workspace = service.home()
        config = {"server": ntfy.url, "topic": "ops-links", "actionLinks": True}
        fields = {"workspaceId": workspace["id"], "name": "Phone with links", "kind": "ntfy", "config": config}
        destination = service.post("/v1/destinations", fields)
        then = {"disposition": "incident", "destinationIds": [destination["id"]]}
        rule = {"workspaceId": workspace["id"], "name": "For links", "matchText": 'title = "Tapped at night"'}
        made = service.post("/v1/rules", {**rule, "then": then})
        incident = service.incident("Tapped at night", dedupKey="tapped at night")
        [message, *_] = ntfy.wait_for(1, 60)
        [link] = [each["url"] for each in message.json["actions"] if each["label"] == "Acknowledge"]

        page = visit(size=PHONE, java_script_enabled=False)
        page.goto(link)
        expect(page.get_by_role("heading", name="Acknowledge this incident?")).to_be_visible()
        expect(page.get_by_text("Tapped at night")).to_be_visible()
        assert service.get(f"/v1/incidents/{incident['id']}")["state"] == "open"
        page.get_by_role("button", name="Acknowledge").click()

        expect(page.get_by_role("heading", name="The incident is acknowledged")).to_be_visible()
        assert service.get(f"/v1/incidents/{incident['id']}")["state"] == "acknowledged"
        until(lambda: any("ACKNOWLEDGED" in each.json["title"] for each in ntfy.requests), "the message is changed", 60)
        service.delete(f"/v1/rules/{made['id']}")
        service.post(f"/v1/incidents/{incident['id']}/resolve")
        service.delete(f"/v1/destinations/{destination['id']}")
