"""Discord: posts an embed to a channel by a webhook, and edits it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar
from urllib.parse import urlsplit, urlunsplit

from inbox.destinations import mentions, setting_fields
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import Abilities, FieldDescription, FieldType, KindDescription, Limits
from inbox.destinations.discord import interactions as discord_interactions
from inbox.destinations.http import Client
from inbox.destinations.interactions import Ignored, InteractionRefused, InteractionRequest, Named, Press, verified_by
from inbox.destinations.layout import (
    cut_escaped,
    digest_lines,
    escape_markdown,
    fitting_links,
    linked_line,
    markdown_link,
)
from inbox.destinations.service import Answer, EditingKind, call, pause
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.explaining.notice_content import NoticeContent
from inbox.domain.values.times import rfc3339

LONGEST_TITLE, LONGEST_DESCRIPTION, LONGEST_VALUE, LONGEST_CONTENT = 256, 4_096, 1_024, 2_000
LONGEST_EMBED, LONGEST_LINKS = 6_000, 1_500
"""Limits of all texts of an embed together, and of its links to the runbook and to the sender."""

USER_AGENT = {"User-Agent": "DiscordBot (https://incident-inbox.invalid, 1)"}
"""Discord refuses clients whose name has another form."""

GONE = frozenset({10008, 30046, 50083})
"""Codes for a message that was deleted, edited too often, or is in an archived thread. It is posted again."""

BUSY = frozenset({20016, 20028, 40333})
"""Codes of slow mode, of a rate limit, and of the network in front of Discord."""

WRONG = frozenset({10003, 10015, 50001, 50013, 50027, 160005, 220001, 220003})
"""Codes for a webhook or channel that was deleted or closed."""

HOSTS = ("discord.com", "discordapp.com")
"""The hosts of Discord. A webhook may use another host, such as a proxy or a server with the same API."""

FOOTER = "Incident Inbox"
NO_MENTIONS: dict[str, list[str]] = {"parse": []}


class Discord(EditingKind):
    """Settings: `{url}` of a webhook, and `{threadId}` of a thread in its channel."""

    repeats_refused: ClassVar[bool] = False

    description = KindDescription(
        kind="discord",
        position=30,
        label="Discord",
        summary="A message in a channel. It is kept up to date for its incident.",
        target="urlHint",
        can=Abilities(edits=True, action_links=True, digests=True, templates=True),
        limits=Limits(text_length=LONGEST_DESCRIPTION, pace_seconds=2.0),
        fields=(
            setting_fields.webhook_address(
                "In Discord: channel settings, Integrations, Webhooks.",
                "https://discord.com/api/webhooks/0000/XXXX",
                pattern=r"https?://[^?#]+/webhooks/[0-9]+/[A-Za-z0-9_-]+",
            ),
            FieldDescription(
                name="threadId",
                label="Thread id",
                type=FieldType.TEXT,
                help="Only to post to a thread. Required for a forum channel.",
                example="1180000000000000000",
                required=False,
                pattern=r"[0-9]{15,22}",
            ),
            FieldDescription(
                name="publicKey",
                label="Public key",
                type=FieldType.TEXT,
                help="From the application that owns the webhook. Makes the buttons act in Discord, for members who linked"
                " their account.",
                example="0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                required=False,
                pattern=r"[0-9a-f]{64}",
            ),
            setting_fields.action_links(),
            *mentions.fields(
                "here, everyone, or role: or user: with an id, for messages that ring phones.",
                "role:1180000000000000000",
                r"@?(here|everyone)|(role|user):[0-9]{15,22}",
            ),
        ),
    )

    def press(self, request: InteractionRequest, config: Config) -> Press | Ignored:
        if "publicKey" not in config.public:
            raise InteractionRefused
        key = config.public["publicKey"]
        discord_interactions.verify(request, key)
        return verified_by(key, discord_interactions.read(request))

    def named(self, body: bytes) -> Named:
        return discord_interactions.named(body)

    def answer_to(self, press: Press, text: str, url: str) -> Mapping[str, Any]:
        return discord_interactions.answer(text, url)

    def hint(self, press: Press, text: str, url: str, client: Client) -> None:
        """Does nothing, because the answer already contains the hint."""

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Sends the message. Only a host of Discord can report a limit that covers this whole instance."""
        receipt = super().send(message, config, client)
        return receipt if _is_of_discord(config) else replace(receipt, is_server_limit=False)

    def place(self, config: Config) -> str | None:
        return config.public.get("threadId", "channel")

    def post(self, message: Message, config: Config, client: Client) -> Receipt:
        mention = _mention(message.content, config)
        answer = self._call(client, "POST", config, "", {**mention, **_laid_out(message.content, config)})
        receipt, id = receipt_of(answer), answer.word("id")
        return replace(receipt, reference={"id": id}) if receipt.is_accepted and id else receipt

    def edit(self, message: Message, config: Config, client: Client) -> Receipt | None:
        place = f"/messages/{message.reference['id']}"
        answer = self._call(client, "PATCH", config, place, _laid_out(message.content, config))
        return None if answer.code() in GONE else receipt_of(answer)

    def reply(self, message: Message, config: Config, client: Client) -> Receipt:
        content, mention = message.content, _mention(message.content, config)
        first = mention.pop("content", "")
        head, link = f"{first}**{content.status}** {escape_markdown(content.title)}\n", f"\n<{content.url}>"
        sentence = cut_escaped(content.text, LONGEST_CONTENT - len(head) - len(link), escape_markdown)
        return receipt_of(self._call(client, "POST", config, "", {"content": head + sentence + link, **mention}))

    def _call(self, client: Client, method: str, config: Config, path: str, body: dict[str, Any]) -> Answer:
        parts = urlsplit(config.secrets["url"])
        query = "&".join(
            [
                *(["wait=true"] if method == "POST" else []),
                *(["with_components=true"] if "components" in body else []),
                *(f"thread_id={id}" for id in [config.public.get("threadId")] if id),
            ]
        )
        url = urlunsplit((parts.scheme, parts.netloc, parts.path + path, query, ""))
        return call(client, method, url, {"allowed_mentions": NO_MENTIONS, **body}, USER_AGENT)


def _mention(content: NoticeContent, config: Config) -> dict[str, Any]:
    """Returns the text and the permission of the mention of a new message; empty without one."""
    mentioned = mentions.of_notice(content, config.public)
    if not mentioned:
        return {}
    kind, _, id = mentioned.partition(":")
    if not id:
        return {"content": f"@{kind} ", "allowed_mentions": {"parse": ["everyone"]}}
    text = f"<@&{id}> " if kind == "role" else f"<@{id}> "
    return {"content": text, "allowed_mentions": {"parse": [], f"{kind}s": [id]}}


def _is_of_discord(config: Config) -> bool:
    host = urlsplit(config.secrets["url"]).hostname or ""
    return any(host == each or host.endswith(f".{each}") for each in HOSTS)


def _laid_out(content: NoticeContent, config: Config) -> dict[str, Any]:
    """Returns the message body, with buttons if the application can call back, else with links."""
    if "publicKey" not in config.public:
        return {"embeds": [embed(content)]}
    shown = embed(replace(content, action_links=()))
    return {"embeds": [shown], "components": discord_interactions.buttons(content)}


def embed(content: NoticeContent) -> dict[str, Any]:
    """Returns the embed of a notice, at most 6,000 characters in all."""
    title = cut_escaped(f"{content.symbol} {content.headline}", LONGEST_TITLE, escape_markdown)
    fields = [
        {"name": fact.label, "value": cut_escaped(fact.value, LONGEST_VALUE, escape_markdown), "inline": True}
        for fact in content.facts
    ]
    taken = len(title) + len(FOOTER) + sum(len(str(each["name"])) + len(str(each["value"])) for each in fields)
    return {
        "title": title,
        "url": content.url,
        "description": _description(content, min(LONGEST_DESCRIPTION, LONGEST_EMBED - taken)),
        "color": int(content.colour[1:], 16),
        "timestamp": rfc3339(content.at),
        "fields": fields,
        "footer": {"text": FOOTER},
    }


def _description(content: NoticeContent, longest: int) -> str:
    """Returns the sentence, the excerpt, and the links below them. Messages of a webhook have no buttons."""
    links = " · ".join(f"[{link.label}]({link.url})" for link in content.action_links)
    links += fitting_links(content, LONGEST_LINKS, markdown_link, gap=" · " if links else "")
    room = longest - len(links) - 2
    sentence = cut_escaped(content.text, room, escape_markdown)
    sentence += digest_lines(
        content, room - len(sentence), lambda line: linked_line(line, escape_markdown, markdown_link)
    )
    return "\n\n".join(filter(None, (sentence, links)))


def receipt_of(answer: Answer) -> Receipt:
    """Returns the receipt of an answer. The body has the pause in seconds, with a fraction.

    The headers of an accepted message can say that the limit is now reached. A global limit applies to the address of
    this instance, hence to all its webhooks.
    """
    status = answer.receipt.status_code
    if answer.receipt.is_accepted and answer.headers.get("x-ratelimit-remaining") == "0":
        return replace(answer.receipt, retry_after=pause(answer.headers.get("x-ratelimit-reset-after")))
    if status == 429:
        limited = answer.failed(FailureReason.SERVICE_BUSY, retry_after=pause(answer.fields.get("retry_after")))
        return replace(limited, is_server_limit=answer.fields.get("global") is True)
    if (
        answer.code() in BUSY or status == 403 and not answer.fields
    ):  # the network in front of Discord blocks this address for some time
        return answer.failed(FailureReason.SERVICE_BUSY)
    if answer.code() in WRONG:
        return answer.failed(FailureReason.DESTINATION_REFUSED)
    return answer.receipt


KIND = Discord()
