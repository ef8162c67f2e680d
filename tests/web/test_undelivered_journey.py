"""A notice that fails is shown as not delivered yet, wherever people look, and is tried at once on request."""

from __future__ import annotations

import re

import pytest

from tests.faults.service_processes import until
from tests.stand_ins.receivers import Receiver
from tests.web.conftest import PHONE, Open
from tests.web.pages import settled, signed_in, violations
from tests.web.service import Service
from tests.web.test_delivery_journeys import rule_to

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]


def test_a_failing_notice_is_seen_everywhere_and_is_tried_now(visit: Open, service: Service, axe: str) -> None:
    with Receiver() as receiver:
        destination = service.destination("Broken hook", receiver.url)
        rule = rule_to(service, destination["id"], "Nobody hears this")
        receiver.script(*[503] * 20)
        incident = service.incident("Nobody hears this", dedupKey="nobody hears this", severity="WARNING")
        path = f"/v1/incidents/{incident['id']}"
        until(lambda: service.get(path)["undelivered"], "the notice counts as not delivered", 180)

        page = signed_in(visit, service, "/w/home/inbox?q=hears")
        # Phones that earlier tests paired may be named beside the hook.
        row = page.locator("[data-incident]").filter(has=page.get_by_role("link", name="Nobody hears this"))
        expect(row.get_by_text("not delivered yet")).to_be_visible()
        expect(row.get_by_title(re.compile(r"Broken hook.*: \d+ failed attempts? since "))).to_be_visible()
        bar = page.get_by_role("status").filter(has_text=re.compile("Broken hook.* not accept notifications"))
        expect(bar).to_be_visible()
        settled(page)
        assert violations(page, axe) == []
        bar.get_by_role("link", name="Destinations").click()
        expect(
            page.get_by_role("row").filter(has_text="Broken hook").get_by_text(re.compile(r"Retrying: \d+ failed"))
        ).to_be_visible()

        phone = signed_in(visit, service, f"/w/home/incidents/{incident['id']}", size=PHONE)
        phone.locator("article header").get_by_role("link", name="Not delivered yet").click()
        retry = phone.get_by_role("button", name="Retry now: Broken hook")
        expect(retry).to_be_visible()
        settled(phone)
        assert violations(phone, axe) == []
        before = len(receiver.requests)
        retry.click()
        expect(phone.get_by_text("1 delivery to Broken hook is tried now.")).to_be_visible()
        until(lambda: len(receiver.requests) > before, "the receiver was called", 60)
    service.delete(f"/v1/rules/{rule['id']}")
    service.delete(f"/v1/destinations/{destination['id']}")
