"""Action links in messages: the confirmation page, the act, and the end of a link (specification 9.15)."""

from __future__ import annotations

import html
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from inbox.config.settings import current
from inbox.domain.incidents.incident import Act
from inbox.identity import action_links
from inbox.identity.action_links import Permission
from inbox.models.deliveries.destinations import Destination
from inbox.models.incidents.tables import Incident
from inbox.models.records.audit import AuditEntry
from inbox.models.workspaces.tables import Workspace
from tests.api.deliveries.test_notices import Browsers
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.flow.routing_fixtures import reasons
from tests.stand_ins.outgoing_posts import fresh, make_destination, make_incident


@dataclass
class Message:
    """A message about an incident in a chat, with its links."""

    incident: Incident
    chat: Destination

    def link(self, act: Act = Act.ACKNOWLEDGE, *, age: timedelta = timedelta()) -> str:
        permission = Permission(act, self.incident.id, self.chat.id)
        return "/act/" + action_links.issue(current().signing_key, permission, present() - age)

    def state(self) -> str:
        return str(fresh(self.incident).state)


@pytest.fixture
def message(cast: Cast) -> Message:
    return Message(
        make_incident(cast), make_destination(cast.workspace, "http://127.0.0.1:9", kind="slack", name="Ops")
    )


def text(answer: Any) -> str:
    return html.unescape(answer.get_data(as_text=True))


def tap(browser: Browser, link: str, **headers: str) -> Any:
    """What a browser sends for the button of the page."""
    sent = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html", **headers}
    return browser.call("POST", link, headers=sent)


@pytest.mark.parametrize(
    ("act", "state", "button"), [(Act.ACKNOWLEDGE, "acknowledged", "Acknowledge"), (Act.RESOLVE, "resolved", "Resolve")]
)
def test_the_page_asks_and_its_button_acts(
    anonymous: Browser, message: Message, act: Act, state: str, button: str
) -> None:
    page = anonymous.get(message.link(act), headers={"Accept": "text/html"})
    assert (page.status_code, page.mimetype) == (200, "text/html")
    assert "form-action 'self'" in page.headers["Content-Security-Policy"]
    assert f'<form method="post"><button type="submit">{button}</button></form>' in text(page)
    assert "Disk full" in text(page)
    assert message.state() == "open"

    done = tap(anonymous, message.link(act))

    assert (done.status_code, message.state()) == (200, state)
    assert f"The incident is {state}" in text(done)
    assert "<button" not in text(done)


def test_programs_that_look_at_a_link_change_nothing(anonymous: Browser, message: Message) -> None:
    for method in ("GET", "HEAD"):
        for _ in range(3):
            assert anonymous.call(method, message.link()).status_code == 200

    assert message.state() == "open"


def test_the_destination_is_the_actor(anonymous: Browser, browser: Browsers, message: Message) -> None:
    tap(anonymous, message.link())

    mia, path = browser("mia"), f"/v1/incidents/{typeid('inc', message.incident.id)}"
    (entry,) = mia.get(f"{path}/timeline").get_json()["items"]
    record = mia.get(path).get_json()
    actor = {"type": "destination", "id": typeid("dst", message.chat.id), "name": "Someone in Ops"}
    assert (entry["actor"], entry["text"]) == (actor, "Someone in Ops acknowledged it.")
    assert (record["state"], record["acknowledgedBy"]) == ("acknowledged", None)
    (audited,) = AuditEntry.select().where(AuditEntry.action == "destination.link_used")
    assert audited.target["name"] == "Ops"
    assert audited.details == {"act": "acknowledge", "incidentId": typeid("inc", message.incident.id)}


def test_a_second_tap_changes_nothing(anonymous: Browser, message: Message) -> None:
    for _ in range(2):
        assert tap(anonymous, message.link()).status_code == 200
    later = anonymous.get(message.link(), headers={"Accept": "text/html"})

    assert "The incident is acknowledged" in text(later)
    assert reasons(message.incident.id) == ["acknowledged"]
    assert AuditEntry.select().where(AuditEntry.action == "destination.link_used").count() == 1


def test_an_act_that_the_state_does_not_allow_is_refused(anonymous: Browser, message: Message) -> None:
    tap(anonymous, message.link(Act.RESOLVE))

    refused = tap(anonymous, message.link(), Accept="application/json")

    assert (refused.status_code, refused.get_json()["code"]) == (409, "invalid_transition")
    assert message.state() == "resolved"


def end_of_a_day(message: Message) -> str:
    return message.link(age=action_links.LIFETIME)


def altered(message: Message) -> str:
    return f"{message.link()}x"


def of_a_deleted_destination(message: Message) -> str:
    Destination.update(deleted_at=present()).where(Destination.id == message.chat.id).execute()
    return message.link()


def turned_off(message: Message) -> str:
    Destination.update(config={"actionLinks": False}).where(Destination.id == message.chat.id).execute()
    return message.link()


def of_a_kind_without_links(message: Message) -> str:
    Destination.update(kind="webhook").where(Destination.id == message.chat.id).execute()
    return message.link()


def of_a_deleted_incident(message: Message) -> str:
    message.incident.delete_instance()
    return message.link()


def of_a_closed_workspace(message: Message) -> str:
    Workspace.update(deleted_at=present()).where(Workspace.id == message.chat.workspace_id).execute()
    return message.link()


ENDED = [
    *(end_of_a_day, altered, of_a_deleted_destination, turned_off, of_a_kind_without_links, of_a_deleted_incident),
    of_a_closed_workspace,
]


@pytest.mark.parametrize("ended", ENDED)
def test_a_link_that_has_ended_is_refused_alike(anonymous: Browser, message: Message, ended: Any) -> None:
    link = ended(message)

    for method in ("GET", "POST"):
        refused = anonymous.call(method, link, headers={"Content-Type": "", "Accept": "application/json"})
        assert (refused.status_code, refused.get_json()["code"]) == (403, "token_invalid")
    page = anonymous.client.get(link, headers={"Accept": "text/html"})
    assert (page.status_code, page.mimetype) == (403, "text/html")
    assert "Disk full" not in text(page)
    found = Incident.get_or_none(Incident.id == message.incident.id)
    assert found is None or found.state == "open"


def test_a_link_never_reaches_the_incident_of_another_workspace(
    anonymous: Browser, message: Message, cast: Cast
) -> None:
    foreign = make_destination(cast.foreign, "http://127.0.0.1:9", kind="slack")

    refused = anonymous.get(Message(message.incident, foreign).link())

    assert refused.status_code == 403


def test_another_site_cannot_send_the_form(anonymous: Browser, message: Message) -> None:
    refused = tap(anonymous, message.link(), Origin="https://evil.example", Accept="application/json")

    assert (refused.status_code, message.state()) == (403, "open")
