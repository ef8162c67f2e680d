"""Pushover: sends a notification. A critical one repeats until it is confirmed or the incident ends."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from inbox.destinations import setting_fields
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import (
    FIXED_ADDRESS,
    Abilities,
    FieldDescription,
    FieldType,
    Icon,
    KindDescription,
    Limits,
    Personal,
)
from inbox.destinations.http import Client
from inbox.destinations.layout import (
    cut,
    cut_escaped,
    digest_lines,
    escape_html,
    fitting_links,
    html_link,
    plain_line,
    plain_link,
)
from inbox.destinations.service import Answer, ServiceKind, call, pause
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.explaining.notice_content import NoticeContent
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values.severity import Severity

API = "https://api.pushover.net/1"
LONGEST_MESSAGE, LONGEST_LINES, LONGEST_TITLE, LONGEST_URL = 1_024, 700, 250, 512
SHORTEST_TEXT = 300
"""The minimum length of a message text. Links that would leave less are left out."""

NOT_FOUND, BUSY = 404, 429
EMERGENCY, RETRY_SECONDS, EXPIRE_SECONDS = 2, 60, 3_600
_PRIORITIES = {Severity.ERROR: 1, Severity.WARNING: 0, Severity.DEBUG: -2}
QUIET_PRIORITY = -1
ENDS_REPETITION = frozenset({Reason.RESOLVED, Reason.ACKNOWLEDGED, Reason.SNOOZED})
_KEY = r"[A-Za-z0-9]{30}"


class Pushover(ServiceKind):
    """Settings: `{user, token, device, emergency, actionLinks}`."""

    description = KindDescription(
        kind="pushover",
        position=110,
        label="Pushover",
        summary="A notification in the Pushover app. A critical one can repeat until it is confirmed.",
        target="userHint",
        icon=Icon.PHONE,
        can=Abilities(action_links=True, digests=True, templates=True),
        limits=Limits(text_length=LONGEST_MESSAGE, pace_seconds=1.0),
        personal=Personal("user", "Pushover", without=("device",)),
        fields=(
            setting_fields.secret(
                "user",
                "User or group key",
                "On the Pushover dashboard.",
                "uXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
                sent_to=FIXED_ADDRESS,
                pattern=_KEY,
            ),
            setting_fields.token(
                "Application token",
                "Create an application on the Pushover dashboard.",
                "aXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
                pattern=_KEY,
                sent_to=FIXED_ADDRESS,
            ),
            FieldDescription(
                name="device",
                label="Device",
                type=FieldType.TEXT,
                help="The name of one device. Leave empty for all devices.",
                example="phone",
                required=False,
                pattern=r"[A-Za-z0-9_-]{1,25}",
            ),
            FieldDescription(
                name="emergency",
                label="Repeat critical notices",
                type=FieldType.FLAG,
                help="Every minute for an hour, until someone confirms it in the app or the incident ends.",
                default=True,
            ),
            setting_fields.action_links(),
        ),
    )

    def keeps_state(self, config: Mapping[str, Any]) -> bool:
        """Returns whether emergencies are on, because an emergency repeats until its incident ends."""
        return bool(config.get("emergency"))

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Sends the notification. At the end of an incident it cancels the repetition first."""
        content = message.content
        if content.reason in ENDS_REPETITION and content.incident_id and config.public["emergency"]:
            tag = quote(content.incident_id, safe="")
            ended = receipt_of(
                call(client, "POST", f"{API}/receipts/cancel_by_tag/{tag}.json", {"token": config.secrets["token"]})
            )
            is_without_effect = ended.is_accepted or ended.is_refusal or ended.status_code == NOT_FOUND
            if not is_without_effect:
                return ended
        body = {"token": config.secrets["token"], "user": config.secrets["user"], **layout(content, config)}
        return receipt_of(call(client, "POST", f"{API}/messages.json", body))


def layout(content: NoticeContent, config: Config) -> dict[str, Any]:
    """Returns the notification in plain text, or in HTML if it has action links."""
    body: dict[str, Any] = {
        "title": cut(f"{content.symbol} {content.headline}", LONGEST_TITLE),
        **_message(content),
        "timestamp": int(content.at.timestamp()),
        **({"url": content.url, "url_title": "Open"} if len(content.url) <= LONGEST_URL else {}),
        **({"device": config.public["device"]} if "device" in config.public else {}),
    }
    if content.is_quiet:
        return {**body, "priority": QUIET_PRIORITY}
    if content.severity is not Severity.CRITICAL:
        return {**body, "priority": _PRIORITIES.get(content.severity, 0)}
    if not (config.public["emergency"] and content.incident_id):  # nothing would end its repetition
        return {**body, "priority": 1}
    repetition = {"retry": RETRY_SECONDS, "expire": EXPIRE_SECONDS, "tags": content.incident_id}
    return {**body, "priority": EMERGENCY, **repetition}


def _message(content: NoticeContent) -> dict[str, Any]:
    text = f"{content.text}{digest_lines(content, LONGEST_LINES, plain_line)}\n{content.facts_line}"
    acts = _links(content)
    draw = html_link if acts else plain_link
    links = acts + fitting_links(content, LONGEST_MESSAGE - SHORTEST_TEXT - len(acts), draw)
    if not acts:
        return {"message": cut(text, LONGEST_MESSAGE - len(links)) + links}
    return {"html": 1, "message": cut_escaped(text, LONGEST_MESSAGE - len(links), escape_html) + links}


def _links(content: NoticeContent) -> str:
    """Returns the line of action links. The last ones are left out if they are too long."""
    links = [html_link(*link) for link in content.action_links]
    while links:
        line = "\n" + " · ".join(links)
        if len(line) <= LONGEST_MESSAGE - SHORTEST_TEXT:
            return line
        links.pop()
    return ""


def receipt_of(answer: Answer) -> Receipt:
    """Returns the receipt of an answer.

    429 means that the monthly quota is used up: a header has the time of its reset.
    """
    status = answer.receipt.status_code
    if status == BUSY:
        reset = answer.headers.get("x-limit-app-reset", "")
        seconds = int(reset) - datetime.now(UTC).timestamp() if re.fullmatch(r"[0-9]{1,12}", reset) else None
        return answer.failed(FailureReason.SERVICE_BUSY, retry_after=pause(seconds))
    if status == 400 and "invalid" in (answer.fields.get("user"), answer.fields.get("token")):
        return answer.failed(FailureReason.DESTINATION_REFUSED)
    if status == 200 and answer.fields.get("status") != 1:
        return answer.failed(FailureReason.MESSAGE_REFUSED)
    return answer.receipt


KIND = Pushover()
