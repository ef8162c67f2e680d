"""Rules, profiles and destinations that are deleted while incidents use them: the remaining ones are notified."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inbox.flow.timers.run import run_due
from inbox.models.deliveries.tables import Notice
from tests.browser import Browser
from tests.cast import NOW, Cast, typeid
from tests.flow.plans import MINUTE, pass_to
from tests.flow.routing_fixtures import decisions, incident, listen, notices, reasons, routed
from tests.flow.rulemaking import profile, rule

Browsers = Callable[[str], Browser]


def delete(browser: Browser, room: str, prefix: str, row: Any) -> None:
    assert browser.delete(f"/v1/{room}/{typeid(prefix, row.id)}").status_code == 204


def test_an_incident_whose_only_destination_is_deleted_uses_the_default_route(cast: Cast, browser: Browsers) -> None:
    listen(cast.workspace, "Everybody")
    pager = listen(cast.workspace, "Pager", routed=False)
    rule(cast.workspace, destination_ids=(pager.id,))
    opening = routed(cast.source)

    delete(browser("adam"), "destinations", "dst", pager)
    pass_to(120)

    assert reasons(opening.incident_id) == ["opened", "renotify"]
    assert [decisions(notice) for notice in notices(opening.incident_id)] == [
        {"Pager": "notify"},
        {"Everybody": "notify"},
    ]


def test_an_incident_keeps_the_remaining_destinations_of_its_rule(cast: Cast, browser: Browsers) -> None:
    listen(cast.workspace, "Everybody")
    pager, chat = (listen(cast.workspace, name, routed=False) for name in ("Pager", "Chat"))
    rule(cast.workspace, destination_ids=(pager.id, chat.id))
    opening = routed(cast.source)

    delete(browser("adam"), "destinations", "dst", pager)
    pass_to(120)

    assert decisions(notices(opening.incident_id)[-1]) == {"Chat": "notify"}


def test_an_incident_reopened_after_its_destinations_are_deleted_takes_the_default_route(
    cast: Cast, browser: Browsers
) -> None:
    listen(cast.workspace, "Everybody")
    pager = listen(cast.workspace, "Pager", routed=False)
    rule(cast.workspace, destination_ids=(pager.id,))
    opening = routed(cast.source)
    adam, path = browser("adam"), f"/v1/incidents/{typeid('inc', opening.incident_id)}"
    assert adam.post(f"{path}/resolve", {}).status_code == 200

    delete(adam, "destinations", "dst", pager)
    assert adam.post(f"{path}/reopen", {}).status_code == 200

    assert decisions(notices(opening.incident_id)[-1]) == {"Everybody": "notify"}


def test_a_destination_that_a_rule_names_first_after_it_was_made_is_notified(cast: Cast, browser: Browsers) -> None:
    listen(cast.workspace, "Everybody")
    routed(cast.source, key="before")
    pager = listen(cast.workspace, "Pager", routed=False)
    adam = browser("adam")
    then = {"disposition": "incident", "destinationIds": [typeid("dst", pager.id)]}
    new = {"workspaceId": typeid("wsp", cast.workspace.id), "name": "All", "matchText": "any event", "then": then}
    assert adam.post("/v1/rules", new).status_code == 201

    opening = routed(cast.source, key="after")

    assert decisions(notices(opening.incident_id)[0]) == {"Pager": "notify"}


def test_an_incident_of_a_deleted_rule_keeps_its_profile(cast: Cast, browser: Browsers) -> None:
    listen(cast.workspace, "Everybody")
    pager = listen(cast.workspace, "Pager", routed=False)
    made = rule(cast.workspace, routing_profile_id=profile(cast.workspace, pager).id)
    opening = routed(cast.source)

    delete(browser("adam"), "rules", "rul", made)
    pass_to(120)

    assert decisions(notices(opening.incident_id)[-1]) == {"Pager": "notify"}
    assert incident(opening.id).rule_id == made.id


def test_the_clocks_of_a_closed_workspace_notify_nobody(cast: Cast, browser: Browsers) -> None:
    listen(cast.workspace)
    opening = routed(cast.source)
    type(cast.workspace).update(deleted_at=NOW).where(type(cast.workspace).id == cast.workspace.id).execute()

    run_due(lambda: NOW + 600 * MINUTE)

    assert Notice.select().where(Notice.incident_id == opening.incident_id).count() == 1
