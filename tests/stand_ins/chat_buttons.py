"""The services with buttons: a destination of each, and the requests that the service sends for a pressed button."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.config import settings
from inbox.destinations import INTERACTIVE, Config
from inbox.destinations.callbacks import Callback
from inbox.destinations.interactions import Ignored, InteractionRequest, Press
from inbox.destinations.mattermost import interactions as mattermost_interactions
from inbox.destinations.telegram import interactions as telegram_interactions
from inbox.domain.explaining import notice_content
from inbox.flow.delivery import callbacks
from inbox.models.deliveries.destinations import Destination
from inbox.models.workspaces.tables import Workspace
from inbox.services.incidents import interactions
from inbox.services.incidents.interactions import Reply
from tests.cast import NOW
from tests.destinations.kinds.cases import CASES
from tests.destinations.kinds.notice_bodies import INCIDENT, LINKS, body
from tests.destinations.kinds.stand_in import Case
from tests.stand_ins import discord_requests, mattermost_requests, slack_requests, telegram_requests
from tests.stand_ins.outgoing_posts import store_destination

Sent = tuple[bytes, dict[str, str]]

CALLBACK = Callback("https://inbox.example.org/v1/destinations/dst_1/interactions", "secret of the callback")
"""The callback of a destination that is not stored."""

USERS = {
    "slack": ("U0002", "U0003"),
    "discord": ("80351110224678912", "80351110224678913"),
    "telegram": (telegram_requests.PERSON, telegram_requests.PERSON + 1),
    "mattermost": (mattermost_requests.PERSON, "vic0000000000000000000000a"),
}
"""The ids of Mia and of another person at each service."""


@dataclass(frozen=True)
class ButtonService:
    """A service with buttons, for one destination. `account` is what identifies Mia at it."""

    case: Case
    account: str
    label: str
    press: Callable[..., Sent]
    has_time: bool = False

    @property
    def kind(self) -> str:
        """The kind of the destination."""
        return self.case.kind

    @property
    def verifier(self) -> str:
        """The digest of the key that verifies its requests; empty where the account names the server."""
        found = self.read(self.pressed(INCIDENT))
        assert isinstance(found, Press)
        return found.verifier

    def pressed(self, incident: str, *, callback: Callback = CALLBACK, at: datetime = NOW, **more: Any) -> Sent:
        """The request for a pressed button. `more` are `act`, `id`, and the number of the `user`."""
        user = USERS[self.kind][more.pop("user", 0)]
        return self.press(incident, callback, at, self.case.config, user=user, **more)

    def read(self, sent: Sent, *, at: datetime = NOW, config: Config | None = None) -> Press | Ignored:
        """What the kind reads in a request."""
        return INTERACTIVE[self.kind].press(request_of(sent, at), config or self.case.config)

    def destination(self, workspace: Workspace, *, has_buttons: bool = True) -> Destination:
        """A stored destination."""
        without = replace(self.case, settings=CASES[self.case.name].settings)
        config = (self.case if has_buttons else without).config
        return store_destination(workspace, self.kind, config, name="Ops")


def request_of(sent: Sent, at: datetime = NOW, callback: Callback = CALLBACK) -> InteractionRequest:
    """A request as the view passes it on."""
    return InteractionRequest(lowered(sent[1]), sent[0], at, callback)


def lowered(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers with names in lower case."""
    return {name.lower(): value for name, value in headers.items()}


def call(destination_id: UUID, sent: Sent, now: datetime) -> Reply:
    """What follows a request to the destination."""
    return interactions.press(destination_id, lowered(sent[1]), sent[0], now, settings.current())


def callback_of(destination: Destination) -> Callback:
    """The callback of a stored destination."""
    return callbacks.of_destination(destination.id, settings.current())


def _slack(incident: str, callback: Callback, at: datetime, config: Config, *, id: str = "1", **more: Any) -> Sent:
    return slack_requests.signed(slack_requests.payload(incident, trigger_id=id, **more), at)


def _discord(incident: str, callback: Callback, at: datetime, config: Config, *, user: str, **more: Any) -> Sent:
    member = {"user": {"id": user, "username": "mia"}, "roles": []}
    return discord_requests.signed(discord_requests.payload(incident, member=member, **more), at)


def _telegram(incident: str, callback: Callback, at: datetime, config: Config, **more: Any) -> Sent:
    secret = telegram_interactions.webhook(callback, config)["secret_token"]
    return telegram_requests.signed(telegram_requests.payload(incident, **more), secret)


def _mattermost(
    incident: str, callback: Callback, at: datetime, config: Config, *, act: str = "acknowledge", **more: Any
) -> Sent:
    content = replace(notice_content.of_body(body()), action_links=LINKS, incident_id=incident)
    made = mattermost_interactions.actions(content, config, callback, at)
    (token,) = [each["integration"]["context"]["token"] for each in made if each["id"] == act]
    return mattermost_requests.sent(mattermost_requests.payload(token, **more))


def _with(name: str, **settings: Any) -> Case:
    return replace(CASES[name], settings={**CASES[name].settings, **settings})


_ALL = (
    ButtonService(
        _with("slack_bot", signingSecret=slack_requests.SIGNING_SECRET), "T0001/U0002", "Slack", _slack, has_time=True
    ),
    ButtonService(
        _with("discord", publicKey=discord_requests.PUBLIC_KEY), "80351110224678912", "Discord", _discord, has_time=True
    ),
    ButtonService(_with("telegram", buttons=True), str(telegram_requests.PERSON), "Telegram", _telegram),
    ButtonService(
        _with("mattermost_bot", buttons=True),
        f"chat.example.org/{mattermost_requests.PERSON}",
        "Mattermost",
        _mattermost,
    ),
)
SERVICES = {each.kind: each for each in _ALL}
