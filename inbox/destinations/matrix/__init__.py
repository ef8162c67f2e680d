"""Matrix: posts a message to an unencrypted room, and updates it for its incident."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import quote

from inbox.destinations import mentions, setting_fields
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import Abilities, KindDescription, Limits
from inbox.destinations.http import Client
from inbox.destinations.layout import (
    digest_lines,
    escape_html,
    fitting_links,
    html_link,
    linked_line,
    plain_line,
    plain_link,
)
from inbox.destinations.service import Answer, EditingKind, call, pause
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.explaining.notice_content import NoticeContent

LONGEST_TEXT, LONGEST_LINES, LONGEST_LINKS = 13_000, 8_000, 1_000
"""Limits of a text and of the lines of a digest. An event has at most 64 KB, and an edit has each text twice."""

HTML = "org.matrix.custom.html"
WRONG = frozenset({"M_UNKNOWN_TOKEN", "M_MISSING_TOKEN", "M_USER_DEACTIVATED", "M_FORBIDDEN"})


class Matrix(EditingKind):
    """Settings:

    `{server, token, roomId}`. The transaction id is the delivery id, so the server drops a repeated call.
    """

    description = KindDescription(
        kind="matrix",
        position=80,
        label="Matrix",
        summary="A message in a room without encryption. It is kept up to date for its incident.",
        target="roomId",
        can=Abilities(edits=True, threads=True, action_links=True, digests=True, templates=True),
        limits=Limits(text_length=LONGEST_TEXT, pace_seconds=1.0),
        fields=(
            setting_fields.server(
                "Homeserver", "The address of the homeserver of the account.", "https://matrix.example.org"
            ),
            setting_fields.token(
                "Access token",
                "From an account used only by this service. Signing it out everywhere ends the token.",
                "syt_XXXX",
                pattern=r"[A-Za-z0-9._~+/=-]{8,512}",
            ),
            setting_fields.text(
                "roomId",
                "Room id",
                "In the room settings: Advanced. The account must have joined the room.",
                "!abcdefg:example.org",
                pattern=r"![^\s:]{1,200}(:[A-Za-z0-9.:\[\]-]{1,255})?",
            ),
            setting_fields.action_links(),
            *mentions.fields(
                "room, or the id of a user, for messages that ring phones.",
                "@olga:example.org",
                r"@?room|@[a-z0-9._=/+-]{1,100}:[A-Za-z0-9.:\[\]-]{1,150}",
            ),
        ),
    )

    def place(self, config: Config) -> str | None:
        return f"{config.public['server']}/{config.public['roomId']}"

    def post(self, message: Message, config: Config, client: Client) -> Receipt:
        content = message.content
        kind = "m.notice" if content.is_quiet else "m.text"
        body = {"msgtype": kind, **layout(content), "m.mentions": _mention(content, config)}
        answer = self._send(message, config, client, body)
        receipt, id = receipt_of(answer), answer.word("event_id")
        return answer.with_reference(eventId=id) if receipt.is_accepted and id else receipt

    def edit(self, message: Message, config: Config, client: Client) -> Receipt | None:
        new = {"msgtype": "m.text", **layout(message.content)}
        body = {
            **new,
            "body": f"* {new['body']}",
            "m.new_content": new,
            "m.relates_to": {"rel_type": "m.replace", "event_id": message.reference["eventId"]},
        }
        return receipt_of(self._send(message, config, client, body, "edit"))

    def reply(self, message: Message, config: Config, client: Client) -> Receipt:
        content, root = message.content, message.reference["eventId"]
        text = f"{content.headline}\n{content.text}"
        thread = {
            "rel_type": "m.thread",
            "event_id": root,
            "is_falling_back": True,
            "m.in_reply_to": {"event_id": root},
        }
        body = {"msgtype": "m.text", "body": text, "m.mentions": _mention(content, config), "m.relates_to": thread}
        return receipt_of(self._send(message, config, client, body))

    def _send(
        self, message: Message, config: Config, client: Client, body: dict[str, Any], part: str = "message"
    ) -> Answer:
        server = str(config.public["server"]).rstrip("/")
        room = quote(str(config.public["roomId"]), safe="")
        url = f"{server}/_matrix/client/v3/rooms/{room}/send/m.room.message/{message.delivery_id}-{part}"
        return call(client, "PUT", url, body, {"Authorization": f"Bearer {config.secrets['token']}"})


def _mention(content: NoticeContent, config: Config) -> dict[str, Any]:
    """Returns the mention of a new message: of the room or of a user. Clients notify by it, whatever the text says."""
    mentioned = mentions.of_notice(content, config.public)
    if not mentioned:
        return {}
    return {"room": True} if mentioned == "room" else {"user_ids": [f"@{mentioned}"]}


def layout(content: NoticeContent) -> dict[str, Any]:
    """Returns the text, plain and in HTML."""
    head = f"{content.symbol} {content.headline}"
    links = " · ".join(html_link(*link) for link in (("Open", content.url), *content.action_links))
    listed = digest_lines(content, LONGEST_LINES, lambda line: linked_line(line, escape_html, html_link), gap="<br>")
    sentence = escape_html(content.text).replace("\n", "<br>") + listed
    lines = [f"<b>{escape_html(head)}</b>", sentence, escape_html(content.facts_line), links]
    formatted = "<br>".join(lines)
    plain = content.plain_text + fitting_links(content, LONGEST_LINKS, plain_link)
    plain += digest_lines(content, LONGEST_LINES, plain_line)
    return {
        "body": "\n".join((plain, *(f"{link.label}: {link.url}" for link in content.action_links))),
        "format": HTML,
        "formatted_body": formatted + fitting_links(content, LONGEST_LINKS, html_link, gap=" · "),
        "m.mentions": {},
    }


def receipt_of(answer: Answer) -> Receipt:
    """Returns the receipt of an answer. Older servers send the pause in milliseconds in the body."""
    code = answer.word("errcode")
    if code == "M_LIMIT_EXCEEDED":
        named = pause(answer.fields.get("retry_after_ms"), timedelta(milliseconds=1))
        return answer.failed(FailureReason.SERVICE_BUSY, retry_after=answer.receipt.retry_after or named)
    return answer.failed(FailureReason.DESTINATION_REFUSED) if code in WRONG else answer.receipt


KIND = Matrix()
