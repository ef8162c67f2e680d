"""ntfy: sends one notification per incident. Servers from version 2.16 replace the earlier one."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, time, timedelta
from typing import Any

from inbox.destinations import setting_fields
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import (
    Abilities,
    FieldDescription,
    FieldType,
    Icon,
    KindDescription,
    Limits,
    Personal,
)
from inbox.destinations.http import Client
from inbox.destinations.layout import cut, digest_lines, fitting_links, plain_line, plain_link, utf8_length
from inbox.destinations.service import Answer, ServiceKind, call
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.explaining.notice_content import NoticeContent
from inbox.domain.values.refusals import Fault
from inbox.domain.values.severity import Severity

PUBLIC_SERVER = "https://ntfy.sh"
LONGEST_MESSAGE, LONGEST_LINES, LONGEST_LINKS, LONGEST_TITLE = 4_000, 2_500, 1_000, 256
"""Limit in bytes. A longer message silently becomes an attached file."""

BUSY = frozenset({42901, 42905, 42909})
DAY_IS_FULL = 42908
"""Code for a used-up daily quota. The next day begins at midnight UTC."""

UNDELIVERABLE = 50701
"""Code for a topic of an application without subscribers."""

WRONG = frozenset({40009, 40010, 40101, 40301})
_PRIORITIES = {Severity.CRITICAL: 5, Severity.ERROR: 4, Severity.WARNING: 3, Severity.DEBUG: 1}
QUIET_PRIORITY = 2


class Ntfy(ServiceKind):
    """Settings: `{server, topic}`, and `{token}` or `{user, password}`."""

    description = KindDescription(
        kind="ntfy",
        position=90,
        label="ntfy",
        summary="A notification in the ntfy app. Later notices about an incident replace it.",
        target="topic",
        icon=Icon.PHONE,
        can=Abilities(replaces=True, action_links=True, digests=True, templates=True),
        limits=Limits(text_length=LONGEST_MESSAGE, pace_seconds=1.0),
        personal=Personal("topic", "ntfy"),
        fields=(
            setting_fields.server(
                "Server", "The address of the server, without the topic.", PUBLIC_SERVER, default=PUBLIC_SERVER
            ),
            setting_fields.text(
                "topic",
                "Topic",
                "On a public server, anyone who knows the name can read the topic. Choose one that is hard to guess.",
                "ops-3f9a2c",
                pattern=r"[-_A-Za-z0-9]{1,64}",
            ),
            setting_fields.token(
                "Access token",
                "From an account that can write to the topic. A public server needs none.",
                "tk_XXXX",
                pattern=r"[A-Za-z0-9_]{4,128}",
                required=False,
            ),
            FieldDescription(
                name="user",
                label="User name",
                type=FieldType.TEXT,
                help="Instead of a token.",
                required=False,
                pattern=r"[^:]+",
                example="olga",
            ),
            FieldDescription(
                name="password",
                label="Password",
                type=FieldType.SECRET,
                help="Required with a user name.",
                required=False,
                secret=True,
                is_password=True,
                sent_to=(setting_fields.SERVER,),
            ),
            setting_fields.action_links(default=False),
        ),
    )

    def faults(self, config: Config) -> list[Fault]:
        has_user = "user" in config.public
        if has_user != ("password" in config.secrets):
            return [Fault("/config/password", "is needed with a user name, and only then")]
        if has_user and "token" in config.secrets:
            return [Fault("/config/token", "give either a token, or a user name and password")]
        return []

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Publishes at the root of the server, because JSON sent to a topic is shown as text."""
        body = {"topic": config.public["topic"], **layout(message.content)}
        url = f"{str(config.public['server']).rstrip('/')}/"
        return receipt_of(call(client, "POST", url, body, _authorization(config)))


def layout(content: NoticeContent) -> dict[str, Any]:
    """Returns the notification. `sequence_id` makes it replace the earlier one of the incident."""
    priority = QUIET_PRIORITY if content.is_quiet else _PRIORITIES.get(content.severity, 3)
    lines = digest_lines(content, LONGEST_LINES, plain_line, length=utf8_length)
    links = fitting_links(content, LONGEST_LINKS, plain_link, length=utf8_length)
    text = cut(f"{content.text}{lines}\n{content.facts_line}", LONGEST_MESSAGE - utf8_length(links), utf8_length)
    body: dict[str, Any] = {
        "title": cut(f"{content.symbol} {content.headline}", LONGEST_TITLE, utf8_length),
        "message": text + links,
        "priority": priority,
        "click": content.url,
        "actions": [
            {"action": "view", "label": "Open", "url": content.url},
            *({"action": "http", "label": link.label, "url": link.url, "clear": True} for link in content.action_links),
        ],
    }
    return {**body, "sequence_id": content.incident_id} if content.incident_id else body


def receipt_of(answer: Answer) -> Receipt:
    """Returns the receipt of an answer. A code consists of the status and two digits."""
    code = answer.code()
    if code == DAY_IS_FULL:
        return answer.failed(FailureReason.SERVICE_BUSY, retry_after=_until_tomorrow(datetime.now(UTC)))
    if code in BUSY:
        return answer.failed(FailureReason.SERVICE_BUSY)
    if code == UNDELIVERABLE:
        return answer.failed(FailureReason.MESSAGE_REFUSED)
    return answer.failed(FailureReason.DESTINATION_REFUSED) if code in WRONG else answer.receipt


def _until_tomorrow(now: datetime) -> timedelta:
    return datetime.combine(now.date() + timedelta(days=1), time(), UTC) - now


def _authorization(config: Config) -> dict[str, str]:
    if "token" in config.secrets:
        return {"Authorization": f"Bearer {config.secrets['token']}"}
    if "user" not in config.public:
        return {}
    pair = f"{config.public['user']}:{config.secrets['password']}".encode()
    return {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}


KIND = Ntfy()
