"""What happened, which alerts of an incident fire, and what earlier events said."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import requests

from tests.faults.service_processes import until
from tests.web.conftest import PHONE, Open
from tests.web.pages import settled, signed_in, violations
from tests.web.service import Service

expect = pytest.importorskip("playwright.sync_api", reason="playwright is not installed").expect
expect.set_options(timeout=60_000)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("dashboard")]

RUNBOOK = "https://wiki.example.org/runbooks/disk-full"


def alertmanager(service: Service, description: str, **labels: str) -> None:
    """One alert, as Alertmanager sends it. It began nine days ago."""
    alert = {
        "status": "firing",
        "labels": {"alertname": "DiskFull", "severity": "critical", **labels},
        "annotations": {
            "summary": f"Disk of {labels['instance']} fills",
            "description": description,
            "runbook_url": RUNBOOK,
        },
        "startsAt": (datetime.now(UTC) - timedelta(days=9)).isoformat(),
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "https://prometheus.example.org/graph",
        "fingerprint": labels["instance"],
    }
    body = {"version": "4", "groupKey": labels["instance"], "status": "firing", "receiver": "inbox", "alerts": [alert]}
    headers = {"Authorization": f"Bearer {service.key}"}
    url = f"{service.address}/v1/hooks/alertmanager"
    requests.post(url, json=body, headers=headers, timeout=60).raise_for_status()


def found(service: Service, title: str) -> dict[str, Any]:
    """The incident with this title, once it is there."""
    until(lambda: service.get(f"/v1/incidents?q={title}")["items"], f"{title} is an incident", 60)
    return dict(service.get(f"/v1/incidents?q={title}")["items"][0])


def test_a_phone_shows_what_happened_and_the_runbook_without_a_tap(visit: Open, service: Service, axe: str) -> None:
    alertmanager(service, "Only 12.4 % is left on /var/lib/postgresql.", instance="db-phone", mountpoint="/var/lib")
    incident = found(service, "db-phone fills")
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}", size=PHONE)

    happened = page.get_by_role("region", name="What happened")
    expect(happened.get_by_text("12.4 %")).to_be_in_viewport()
    runbook = happened.get_by_role("link", name="Runbook")
    expect(runbook).to_be_in_viewport()
    assert (runbook.get_attribute("href"), runbook.get_attribute("rel")) == (RUNBOOK, "noreferrer noopener")
    expect(happened.get_by_role("definition").filter(has_text="/var/lib").first).to_be_visible()
    expect(happened.get_by_text(re.compile("began 9 d ago"))).to_be_visible()
    expect(page.get_by_role("table", name="Alerts")).to_have_count(0)
    settled(page)
    assert violations(page, axe) == []


def test_earlier_texts_say_what_changed_and_lead_to_the_event(visit: Open, service: Service) -> None:
    for left in ("30 %", "12 %"):
        service.send(
            "Disk fills slowly", dedupKey="slow", body=f"Only {left} is left", metadata={"labels": {"left": left}}
        )
    incident = found(service, "Disk fills slowly")
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}")
    happened = page.get_by_role("region", name="What happened")
    expect(happened.get_by_text("Only 12 % is left")).to_be_visible()
    expect(happened.get_by_text("30")).to_have_count(0)

    happened.get_by_role("button", name="Earlier texts").click()
    earlier = happened.get_by_role("list", name="Earlier texts").get_by_role("listitem")
    expect(earlier).to_have_count(1)
    expect(earlier.locator("del")).to_have_text("30 ")
    expect(earlier.locator("ins")).to_have_text("12 ")
    expect(earlier).to_contain_text("left 30 % → 12 %")
    earlier.get_by_role("button", name="Disk fills slowly").click()
    drawer = page.get_by_role("dialog", name="Event")
    expect(drawer.get_by_text("Only 30 % is left")).to_be_visible()
    expect(drawer.get_by_label("Stored event")).to_have_count(0)
    drawer.get_by_role("button", name="Show raw JSON").click()
    expect(drawer.get_by_label("Stored event", exact=True)).to_contain_text('"left": "30 %"')
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)

    page.get_by_role("tab", name="Events").click()
    page.get_by_role("row").filter(has_text="Disk fills slowly").last.click()
    expect(page.get_by_role("dialog", name="Event").get_by_text("Only 30 % is left")).to_be_visible()


def test_the_text_of_the_alarm_stays_when_a_recovery_has_none(visit: Open, service: Service) -> None:
    service.send("Job without an end", dedupKey="no end", body="Exit code 3 in step copy")
    incident = found(service, "Job without an end")
    service.send("Job without an end", dedupKey="no end", action="resolve")
    until(lambda: service.get(f"/v1/incidents/{incident['id']}")["state"] == "resolved", "it is resolved", 60)
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}")
    happened = page.get_by_role("region", name="What happened")
    expect(happened.get_by_text("Exit code 3 in step copy")).to_be_visible()
    expect(happened.get_by_text(re.compile("Later events have no text"))).to_be_visible()


def test_the_rule_gives_an_incident_its_runbook(visit: Open, service: Service) -> None:
    workspace = service.home()
    match = {"all": [{"field": "type", "op": "eq", "value": "with.runbook"}]}
    then = {"disposition": "incident", "runbookUrl": "https://wiki.example.org/of-the-rule"}
    rule = service.post("/v1/rules", {"workspaceId": workspace["id"], "name": "Runbook", "match": match, "then": then})
    incident = service.incident("Known problem", type="with.runbook", dedupKey="known problem")
    page = signed_in(visit, service, f"/w/home/incidents/{incident['id']}")
    runbook = page.get_by_role("region", name="What happened").get_by_role("link", name="Runbook")
    expect(runbook).to_have_attribute("href", "https://wiki.example.org/of-the-rule")
    service.delete(f"/v1/rules/{rule['id']}")


def test_an_incident_lists_its_alerts_and_says_how_many_still_fire(visit: Open, service: Service, axe: str) -> None:
    workspace = service.home()
    match = {"all": [{"field": "type", "op": "eq", "value": "replica.lag"}]}
    then = {"disposition": "incident", "groupBy": ["type"]}
    rule = service.post("/v1/rules", {"workspaceId": workspace["id"], "name": "Lag", "match": match, "then": then})
    titles = [f"Replica {number} lags" for number in range(1, 8)]
    for title in titles:
        service.send(title, type="replica.lag", dedupKey=title)
    until(lambda: found(service, "Replica")["alertCount"] == len(titles), "the alerts are in one incident", 60)
    service.send("Replica 7 caught up", type="replica.lag", dedupKey=titles[6], action="resolve")
    until(lambda: found(service, "Replica")["firingCount"] == 6, "one of them ended", 60)

    page = signed_in(visit, service, "/w/home/inbox?q=Replica")
    row = page.get_by_role("listitem").filter(has_text="Replica")
    expect(row.get_by_text("6 of 7 firing")).to_be_visible()
    row.get_by_role("link", name=re.compile("Replica")).click()
    expect(page.locator("article header").get_by_text("6 of 7 still firing")).to_be_visible()
    rows = page.get_by_role("table", name="Alerts").locator("tbody").get_by_role("row")
    expect(rows).to_have_count(5)
    page.get_by_role("region", name="Alerts").get_by_role("button", name="Show more").click()
    expect(rows).to_have_text(
        [re.compile(f"{title}.*Firing") for title in titles[5::-1]] + [re.compile("Replica 7.*Ended")]
    )
    entries = page.get_by_role("list", name="Timeline")
    expect(entries.get_by_text(re.compile("ended an alert: 6 of 7 still firing"))).to_be_visible()
    assert violations(page, axe) == []

    service.send("Replica 1 caught up", type="replica.lag", dedupKey=titles[0], action="resolve")
    expect(page.locator("article header").get_by_text("5 of 7 still firing")).to_be_visible()
    expect(rows.nth(5)).to_have_text(re.compile("Replica 1.*Ended"))
    service.delete(f"/v1/rules/{rule['id']}")
