"""Microsoft Teams: posts an adaptive card to a channel or chat by the address of a workflow."""

from __future__ import annotations

import re
from typing import Any

from inbox.destinations import mentions, setting_fields
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import (
    ADDRESS_ITSELF,
    Abilities,
    FieldDescription,
    FieldType,
    KindDescription,
    Limits,
)
from inbox.destinations.http import Client
from inbox.destinations.layout import digest_lines, linked_line, markdown_link
from inbox.destinations.service import Answer, ServiceKind, call
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.explaining.notice_content import NoticeContent
from inbox.domain.values.severity import Severity

LARGEST = 20 * 1024
"""The maximum size of a request in bytes. Teams refuses larger ones, although the documented limit is 28 KB."""

LONGEST_LINES = 8_000
RETIRED = re.compile(r"https?://[^/]*\.webhook\.office\.com", re.IGNORECASE)
SCHEMA = "http://adaptivecards.io/schemas/adaptive-card.json"
_COLOURS = {Severity.CRITICAL: "Attention", Severity.ERROR: "Attention", Severity.WARNING: "Warning"}


def _url_fault(url: str) -> str | None:
    if RETIRED.match(url):
        return (
            "is of a connector, which Microsoft has retired; make a workflow that posts when a webhook request arrives"
        )
    return None


class Teams(ServiceKind):
    """Settings: `{url}` of a workflow."""

    description = KindDescription(
        kind="teams",
        position=60,
        label="Microsoft Teams",
        summary="A card in a channel or chat, posted by a workflow.",
        target="urlHint",
        can=Abilities(action_links=True, digests=True, templates=True),
        limits=Limits(text_length=LONGEST_LINES, pace_seconds=2.0),
        fields=(
            FieldDescription(
                name="url",
                label="Workflow address",
                type=FieldType.URL,
                help='From a workflow created with the template "Post to a channel when a webhook request is received".',
                example="https://prod-00.westeurope.logic.azure.com/workflows/XXXX/triggers/manual/paths/invoke?sig=XXXX",
                secret=True,
                sent_to=ADDRESS_ITSELF,
                check=_url_fault,
            ),
            setting_fields.action_links(),
            *mentions.fields(
                "The sign-in name or the object id of a person in the channel, who is notified.",
                "olga@example.org",
                r"[A-Za-z0-9.!#$%'*+/=?^_{|}~-]{1,64}@[A-Za-z0-9.-]{1,180}|[0-9a-fA-F-]{36}",
            ),
        ),
    )

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Sends the card. 202 says that the workflow has started; no answer says whether it posts."""
        return receipt_of(call(client, "POST", config.secrets["url"], _mentioning(message.content, config)))


def _mentioning(content: NoticeContent, config: Config) -> dict[str, Any]:
    """Returns the envelope with the card, whose first text mentions the person of the settings."""
    body, person = layout(content), mentions.of_notice(content, config.public)
    if person:
        card, text = body["attachments"][0]["content"], f"<at>{person}</at>"
        entity = {"type": "mention", "text": text, "mentioned": {"id": person, "name": person}}
        card["msteams"] = {**card["msteams"], "entities": [entity]}
        card["body"].insert(0, {"type": "TextBlock", "text": text, "wrap": True})
    return body


def layout(content: NoticeContent) -> dict[str, Any]:
    """Returns the envelope with the card."""
    colour = "Good" if content.is_resolved else _COLOURS.get(content.severity, "Default")
    card = {
        "$schema": SCHEMA,
        "type": "AdaptiveCard",
        "version": "1.4",
        "fallbackText": content.headline,
        "msteams": {"width": "Full"},
        "body": [
            {
                "type": "TextBlock",
                "text": escape(f"{content.symbol} {content.headline}"),
                "size": "Large",
                "weight": "Bolder",
                "color": colour,
                "wrap": True,
            },
            *(
                {"type": "TextBlock", "text": escape(text), "wrap": True}
                for text in (content.sentence, content.excerpt)
                if text
            ),
            *({"type": "TextBlock", "text": lines, "wrap": True} for lines in [_lines(content)] if lines),
            {
                "type": "FactSet",
                "facts": [{"title": fact.label, "value": escape(fact.value)} for fact in content.facts],
            },
        ],
        "actions": [
            {"type": "Action.OpenUrl", "title": title, "url": url}
            for title, url in (("Open", content.url), *content.action_links, *content.links)
        ],
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [attachment]}


def _lines(content: NoticeContent) -> str:
    return digest_lines(
        content, LONGEST_LINES, lambda line: linked_line(line, escape, markdown_link), gap="\n- "
    ).lstrip("\n")


def escape(text: str) -> str:
    """Escapes the text for the Markdown of a card, which has no backslash: characters are separated from words.

    A line ends with an empty line.
    """
    return re.sub(r"([*_\[\]`#])", "\\1\u200b", text).replace("\n", "\n\n")


def receipt_of(answer: Answer) -> Receipt:
    """Returns the receipt of an answer."""
    if answer.receipt.status_code == 400 and "WorkflowTriggerIsNotEnabled" in answer.text:
        return answer.failed(FailureReason.DESTINATION_REFUSED)
    return answer.receipt


KIND = Teams()
