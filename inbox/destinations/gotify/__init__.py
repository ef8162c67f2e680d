"""Gotify: sends a message of an application."""

from __future__ import annotations

from typing import Any

from inbox.destinations import setting_fields
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import Abilities, Icon, KindDescription, Limits
from inbox.destinations.http import Client
from inbox.destinations.layout import digest_lines, escape_markdown, fitting_links, linked_line, markdown_link
from inbox.destinations.service import ServiceKind, call
from inbox.domain.deliveries.delivery import Receipt
from inbox.domain.explaining.notice_content import NoticeContent
from inbox.domain.values.severity import Severity

_PRIORITIES = {Severity.CRITICAL: 10, Severity.ERROR: 8, Severity.WARNING: 5, Severity.DEBUG: 1}
LONGEST_MESSAGE, LONGEST_LINES = 8_000, 6_000
QUIET_PRIORITY, USUAL_PRIORITY = 1, 3


class Gotify(ServiceKind):
    """Settings: `{server, token, actionLinks}`."""

    description = KindDescription(
        kind="gotify",
        position=100,
        label="Gotify",
        summary="A message to an application on a Gotify server.",
        target="server",
        icon=Icon.PHONE,
        can=Abilities(action_links=True, digests=True, templates=True),
        limits=Limits(text_length=LONGEST_MESSAGE),
        fields=(
            setting_fields.server(
                "Server", "The address of the server, with its base path.", "https://gotify.example.org"
            ),
            setting_fields.token(
                "Application token",
                "The token of an application, not a client.",
                "AXXXXXXXXXXXXXX",
                pattern=r"[A-Za-z0-9._-]{8,128}",
            ),
            setting_fields.action_links(),
        ),
    )

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Posts the message."""
        url = f"{str(config.public['server']).rstrip('/')}/message"
        headers = {"X-Gotify-Key": config.secrets["token"]}
        return call(client, "POST", url, layout(message.content), headers).receipt


def layout(content: NoticeContent) -> dict[str, Any]:
    """Returns the message in Markdown, with its links on the last line. A tap opens the incident."""
    usual = _PRIORITIES.get(content.severity, USUAL_PRIORITY)
    listed = digest_lines(
        content, LONGEST_LINES, lambda line: linked_line(line, escape_markdown, markdown_link), gap="\n- "
    )
    sentence = escape_markdown(content.sentence) + (f"\n{listed}" if listed else "")
    excerpt = escape_markdown(content.excerpt).replace("\n", "  \n")
    lines = [
        sentence,
        *([excerpt] if excerpt else []),
        *(f"{f.label}: {escape_markdown(f.value)}" for f in content.facts),
    ]
    links = " · ".join(markdown_link(*link) for link in (("Open", content.url), *content.action_links))
    message = "\n\n".join([*lines, links])
    message += fitting_links(content, LONGEST_MESSAGE - len(message), markdown_link, gap=" · ")
    return {
        "title": f"{content.symbol} {content.headline}",
        "message": message,
        "priority": QUIET_PRIORITY if content.is_quiet else usual,
        "extras": {
            "client::display": {"contentType": "text/markdown"},
            "client::notification": {"click": {"url": content.url}},
        },
    }


KIND = Gotify()
