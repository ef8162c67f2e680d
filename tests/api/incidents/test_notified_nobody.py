"""Incidents that notified nobody, and workspaces whose incidents can notify nobody (specification 7.1, 12.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inbox.config.settings import Settings
from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.mail_outbox import Mail
from inbox.models.deliveries.tables import Delivery
from inbox.models.incidents.tables import Incident
from inbox.models.routing.rules import Rule
from inbox.models.senders.sources import Source
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.flow.plans import follow, step
from tests.flow.routing_fixtures import accept, incident, listen
from tests.flow.rulemaking import profile, rule
from tests.silences import make_silence

Browsers = Callable[[str], Browser]
LIST = "/v1/incidents"


def opened(cast: Cast, severity: str = "ERROR") -> Incident:
    event = accept(cast.source, present(), severity=severity)
    route(present)
    return incident(event)


def notified_nobody(browser: Browser, one: Incident) -> bool:
    shown: dict[str, Any] = browser.get(f"{LIST}/{typeid('inc', one.id)}").get_json()
    (listed,) = browser.get(LIST).get_json()["items"]
    assert listed == shown
    return bool(shown["notifiedNobody"])


def test_an_incident_without_a_destination_notified_nobody(browser: Browsers, cast: Cast) -> None:
    assert notified_nobody(browser("vic"), opened(cast))


def test_a_destination_with_a_higher_minimum_severity_was_not_notified(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace, min_severity="CRITICAL")

    assert notified_nobody(browser("vic"), opened(cast, "ERROR"))


@pytest.mark.parametrize(
    ("status", "nobody"),
    [
        *((each, False) for each in ("pending", "sending", "retrying", "held", "gathered", "sent")),
        *((each, True) for each in ("failed", "skipped", "expired")),
    ],
)
def test_a_delivery_that_was_sent_or_may_be_sent_counts(
    browser: Browsers, cast: Cast, status: str, *, nobody: bool
) -> None:
    listen(cast.workspace)
    one = opened(cast)
    Delivery.update(status=status).where(Delivery.incident_id == one.id).execute()

    assert notified_nobody(browser("vic"), one) is nobody


def test_a_notice_sent_before_the_reopening_does_not_count_as_notified(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace)
    one = opened(cast)
    later = present()
    Delivery.update(status="sent").where(Delivery.incident_id == one.id).execute()
    Incident.update(opened_at=later, notified_at=later).where(Incident.id == one.id).execute()

    assert notified_nobody(browser("vic"), one)


def test_a_mail_to_the_owners_counts(browser: Browsers, cast: Cast, in_settings: Callable[..., Settings]) -> None:
    in_settings(smtp_url="smtp://127.0.0.1:9", mail_from="Inbox <inbox@example.org>")
    one = opened(cast)
    assert notified_nobody(browser("vic"), one)
    run_due(present)

    assert Mail.select().where(Mail.template == "nobody_told").exists()
    assert not notified_nobody(browser("vic"), one)


def test_alerts_that_are_withheld_on_purpose_are_no_alerts_to_nobody(browser: Browsers, cast: Cast) -> None:
    make_silence(cast.workspace)

    assert not notified_nobody(browser("vic"), opened(cast))


def test_a_delay_of_the_profile_waits(browser: Browsers, cast: Cast) -> None:
    follow(cast.workspace, step(30, listen(cast.workspace, routed=False)))

    assert not notified_nobody(browser("vic"), opened(cast))


@pytest.mark.parametrize(("state", "nobody"), [("acknowledged", True), ("snoozed", False), ("resolved", False)])
def test_only_open_and_acknowledged_incidents_count(browser: Browsers, cast: Cast, state: str, *, nobody: bool) -> None:
    one = opened(cast)
    Incident.update(state=state).where(Incident.id == one.id).execute()

    assert notified_nobody(browser("vic"), one) is nobody


def notifies_nobody(browser: Browser, cast: Cast) -> bool:
    shown: dict[str, Any] = browser.get(f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}").get_json()
    (listed,) = browser.get("/v1/workspaces").get_json()["items"]
    (first,) = browser.get("/v1/start").get_json()["workspaces"]
    assert shown["notifiesNobody"] is listed["notifiesNobody"] is first["notifiesNobody"]
    return bool(shown["notifiesNobody"])


def test_a_workspace_without_a_route_notifies_nobody(browser: Browsers, cast: Cast) -> None:
    vic = browser("vic")
    assert notifies_nobody(vic, cast)

    pager = listen(cast.workspace, routed=False)
    assert notifies_nobody(vic, cast)

    listen(cast.workspace, "Default")
    assert not notifies_nobody(vic, cast)
    Destination.update(enabled=False).where(Destination.name == "Default").execute()
    assert notifies_nobody(vic, cast)

    databases = rule(cast.workspace, destination_ids=(pager.id,))
    assert not notifies_nobody(vic, cast)
    Rule.update(enabled=False).where(Rule.id == databases.id).execute()
    assert notifies_nobody(vic, cast)


@pytest.mark.parametrize("by", ["rule", "source", "default route"])
def test_a_profile_counts_as_notifying_when_a_rule_or_route_uses_it(browser: Browsers, cast: Cast, by: str) -> None:
    pager = listen(cast.workspace, routed=False)
    if by == "default route":
        follow(cast.workspace, step(5, pager))
        assert not notifies_nobody(browser("vic"), cast)
        return
    night = profile(cast.workspace, pager)
    assert notifies_nobody(browser("vic"), cast)

    if by == "rule":
        rule(cast.workspace, routing_profile_id=night.id)
    else:
        Source.update(routing_profile_id=night.id).where(Source.id == cast.source.id).execute()
    assert not notifies_nobody(browser("vic"), cast)


def test_destinations_of_another_workspace_do_not_count(browser: Browsers, cast: Cast) -> None:
    listen(cast.foreign)

    assert notifies_nobody(browser("vic"), cast)
