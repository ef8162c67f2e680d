"""A chat with buttons at a service, and the requests that the service sends, for tests of the API."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from inbox.models.deliveries.destinations import Destination
from inbox.models.incidents.tables import Incident
from inbox.models.people.accounts import User
from inbox.models.people.chat_accounts import ChatAccount
from inbox.models.workspaces.tables import Workspace
from inbox.services.incidents.interactions import Hint
from inbox.services.people import chat_accounts
from inbox.services.people.chat_accounts import Account
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.stand_ins.chat_buttons import SERVICES, ButtonService, Sent, call, callback_of
from tests.stand_ins.outgoing_posts import fresh, make_incident


@dataclass
class Chat:
    """A destination with buttons of a service, and a message about an incident in it."""

    cast: Cast
    service: ButtonService
    destination: Destination
    incident: Incident
    clock: Callable[[], datetime] = present

    @property
    def path(self) -> str:
        return f"/v1/destinations/{typeid('dst', self.destination.id)}/interactions"

    @property
    def incident_id(self) -> str:
        return typeid("inc", self.incident.id)

    @property
    def state(self) -> str:
        return str(fresh(self.incident).state)

    def account(self, workspace: Workspace) -> Account:
        """Mia's account at the service."""
        return Account(workspace.id, self.service.kind, self.service.account, "mia", self.service.verifier)

    def link(self, user: User, workspace: Workspace | None = None) -> ChatAccount:
        """The member links the account that presses."""
        token = chat_accounts.offer_url(self.account(workspace or self.cast.workspace), present()).rpartition("/")[2]
        return chat_accounts.link(chat_accounts.find_offer(token, present()), user.id, present())

    def request(self, incident: str | None = None, **more: Any) -> Sent:
        """The request of the service for a pressed button."""
        callback, chosen = callback_of(self.destination), self.incident_id if incident is None else incident
        return self.service.pressed(chosen, callback=callback, at=self.clock(), **more)

    def press(self, incident: str | None = None, **more: Any) -> Hint | None:
        """Press the button, as the service calls."""
        return call(self.destination.id, self.request(incident, **more), self.clock()).hint


def chat_at(kind: str, cast: Cast) -> Chat:
    """A chat at the service with an open incident."""
    service = SERVICES[kind]
    return Chat(cast, service, service.destination(cast.workspace), make_incident(cast))


def post(browser: Browser, chat: Chat, sent: Sent | None = None, *, path: str = "") -> Any:
    """What the service is answered."""
    body, headers = sent or chat.request()
    return browser.client.post(path or chat.path, data=body, headers=headers)
