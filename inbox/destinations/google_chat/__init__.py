"""Google Chat: posts a card to a space by a webhook. Messages of an incident share a thread."""

from __future__ import annotations

import re
from typing import Any

from inbox.destinations import mentions, setting_fields
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import Abilities, KindDescription, Limits
from inbox.destinations.http import Client
from inbox.destinations.layout import ZERO_WIDTH_SPACE, digest_lines, escape_html, html_link, linked_line
from inbox.destinations.service import Answer, ServiceKind, call
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.explaining.notice_content import NoticeContent

WRONG = re.compile(r"\b(key|token)\b", re.IGNORECASE)
"""Words of an error about the address. They do not match `threadKey`, which is about the thread."""

LONGEST_LINES = 8_000
REPLY = "&messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD"


class GoogleChat(ServiceKind):
    """Settings: `{url}` of a webhook."""

    description = KindDescription(
        kind="google_chat",
        position=70,
        label="Google Chat",
        summary="A card in a space. Messages about an incident share a thread.",
        target="urlHint",
        can=Abilities(action_links=True, digests=True, templates=True),
        limits=Limits(text_length=LONGEST_LINES, pace_seconds=1.0),
        fields=(
            setting_fields.webhook_address(
                "In the space: Apps and integrations, Webhooks.",
                "https://chat.googleapis.com/v1/spaces/XXXX/messages?key=XXXX&token=XXXX",
                pattern=r"https?://[^?#]+/v1/spaces/[^?#]+/messages\?[^#]*key=[^#]+",
            ),
            setting_fields.action_links(),
            *mentions.fields(
                "all, or the number of a user, for messages that ring phones.", "all", r"@?all|[0-9]{5,30}"
            ),
        ),
    )

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Posts the card. The thread option is sent only with a thread, because it is an error without one."""
        content, url = message.content, config.secrets["url"]
        mentioned = mentions.of_notice(content, config.public)
        body = {**({"text": f"<users/{mentioned}>"} if mentioned else {}), **layout(content)}
        if content.incident_id:
            url, body = url + REPLY, {**body, "thread": {"threadKey": content.incident_id}}
        return receipt_of(call(client, "POST", url, body))


def layout(content: NoticeContent) -> dict[str, Any]:
    """Returns a card. Its texts use a small subset of HTML."""
    facts = [{"decoratedText": {"topLabel": fact.label, "text": escape_html(fact.value)}} for fact in content.facts]
    buttons = [
        {"text": text, "onClick": {"openLink": {"url": url}}}
        for text, url in (("Open", content.url), *content.action_links, *content.links)
    ]
    widgets = [
        {"textParagraph": {"text": f'<font color="{content.colour}"><b>{escape_html(content.title)}</b></font>'}},
        {"textParagraph": {"text": escape_html(content.sentence)}},
        *({"textParagraph": {"text": text}} for text in [escape_html(content.excerpt).replace("\n", "<br>")] if text),
        *({"textParagraph": {"text": lines}} for lines in [_lines(content)] if lines),
        *facts,
        {"buttonList": {"buttons": buttons}},
    ]
    card = {
        "header": {"title": f"{content.symbol} {content.status}", "subtitle": content.workspace},
        "sections": [{"widgets": widgets}],
    }
    return {
        "fallbackText": "\n".join(filter(None, (content.headline, content.excerpt))).replace(
            "<", f"<{ZERO_WIDTH_SPACE}"
        ),
        "cardsV2": [{"cardId": "notice", "card": card}],
    }


def _lines(content: NoticeContent) -> str:
    return digest_lines(
        content, LONGEST_LINES, lambda line: linked_line(line, escape_html, html_link), gap="<br>"
    ).removeprefix("<br>")


def receipt_of(answer: Answer) -> Receipt:
    """Returns the receipt of an answer."""
    error = answer.fields.get("error")
    words = str(error.get("message", "")) if isinstance(error, dict) else ""
    if answer.receipt.status_code == 400 and WRONG.search(words):
        return answer.failed(FailureReason.DESTINATION_REFUSED)
    return answer.receipt


KIND = GoogleChat()
