"""Mattermost: posts to a channel by an incoming webhook, or by a bot, which also edits its posts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from inbox.destinations import mentions, setting_fields
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import Abilities, FieldDescription, FieldType, KindDescription, Limits, Mode
from inbox.destinations.http import Client
from inbox.destinations.interactions import Ignored, InteractionRefused, InteractionRequest, Press
from inbox.destinations.layout import break_mentions, digest_lines, escape_markdown, linked_line, markdown_link
from inbox.destinations.mattermost import interactions as mattermost_interactions
from inbox.destinations.service import Answer, EditingKind, call, pause
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.explaining.notice_content import NoticeContent
from inbox.domain.values.refusals import Fault

LONGEST_POST, LONGEST_LINES = 16_383, 8_000
HOOK_WRONG = tuple(f"web.incoming_webhook.{word}" for word in ("invalid", "disabled", "channel", "user", "permissions"))
"""Prefixes of the error ids for a webhook that was deleted or disabled."""

TOO_OLD = "time_limit"
"""Part of the error id for a post that can no longer be edited."""


class Mattermost(EditingKind):
    """Settings: `{url}` of a webhook, or `{server, token, channelId}` of a bot."""

    repeats_refused: ClassVar[bool] = False

    description = KindDescription(
        kind="mattermost",
        position=50,
        label="Mattermost",
        summary="A post in a channel. A bot keeps one post per incident up to date and replies to it.",
        target="channelId",
        can=Abilities(edits=True, threads=True, action_links=True, digests=True, templates=True),
        limits=Limits(text_length=LONGEST_POST, pace_seconds=0.2),
        modes=(Mode("Webhook", ("url",)), Mode("Bot", ("server", "token", "channelId"), (setting_fields.BUTTONS,))),
        fields=(
            setting_fields.webhook_address(
                "The address of an incoming webhook.",
                "https://chat.example.org/hooks/XXXX",
                required=False,
            ),
            setting_fields.server(
                "Server", "The address of the Mattermost server, for a bot.", "https://chat.example.org", required=False
            ),
            setting_fields.token(
                "Bot token",
                "An access token of a bot account. The bot must be a member of the channel.",
                "xxxxxxxxxxxxxxxxxxxxxxxxxx",
                pattern=r"[a-z0-9]{20,64}",
                required=False,
            ),
            FieldDescription(
                name="channelId",
                label="Channel id",
                type=FieldType.TEXT,
                help="In the channel menu: View info.",
                example="4xp9fdt77pncbef59f4k1qe83o",
                required=False,
                pattern=r"[a-z0-9]{26}",
            ),
            setting_fields.action_links(),
            setting_fields.buttons("Mattermost", "Only with a bot."),
            *mentions.fields(
                "here, channel, all, or the name of a user or a group, for posts that ring phones.",
                "on-call",
                r"@?[a-z0-9][a-z0-9._-]{0,63}",
            ),
        ),
    )

    def faults(self, config: Config) -> list[Fault]:
        bot = ["server" in config.public, "token" in config.secrets, "channelId" in config.public]
        if "url" in config.secrets and any(bot):
            return [Fault("/config/url", "give either the address of a webhook, or the settings of a bot")]
        if "url" not in config.secrets and not all(bot):
            return [Fault("/config/url", "give the address of a webhook, or the server, token and channel id of a bot")]
        if config.public.get(setting_fields.BUTTONS) and "url" in config.secrets:
            return [Fault("/config/buttons", "are for a bot: a webhook has no buttons that act")]
        return []

    def press(self, request: InteractionRequest, config: Config) -> Press | Ignored:
        if not config.public.get(setting_fields.BUTTONS):
            raise InteractionRefused
        return mattermost_interactions.read(request, config)

    def answer_to(self, press: Press, text: str, url: str) -> Mapping[str, Any]:
        return mattermost_interactions.answer(text, url)

    def hint(self, press: Press, text: str, url: str, client: Client) -> None:
        """Does nothing, because the answer already contains the hint."""

    def place(self, config: Config) -> str | None:
        return f"{config.public['server']}/{config.public['channelId']}" if "token" in config.secrets else None

    def post(self, message: Message, config: Config, client: Client) -> Receipt:
        body = {**_laid_out(message, config), "text": _mention(message, config)}
        if "url" in config.secrets:
            return receipt_of(call(client, "POST", config.secrets["url"], body))
        pending = {"pending_post_id": message.delivery_id}  # the server drops a repeat with the same id
        answer = self._api(client, "POST", "posts", config, {**_post(body), **pending})
        receipt, id = receipt_of(answer), answer.word("id")
        return answer.with_reference(id=id) if receipt.is_accepted and id else receipt

    def edit(self, message: Message, config: Config, client: Client) -> Receipt | None:
        body = _post(_laid_out(message, config))
        answer = self._api(client, "PUT", f"posts/{message.reference['id']}/patch", config, body)
        is_gone = answer.receipt.status_code == 404 or TOO_OLD in answer.word("id")
        return None if is_gone else receipt_of(answer)

    def reply(self, message: Message, config: Config, client: Client) -> Receipt:
        content = message.content
        text = f"{_mention(message, config)}**{content.status}** {escape_markdown(content.title)}\n{escape_markdown(content.text)}"
        body = {"message": text, "root_id": message.reference["id"], "pending_post_id": message.delivery_id}
        return receipt_of(self._api(client, "POST", "posts", config, body))

    def _api(self, client: Client, method: str, path: str, config: Config, body: dict[str, Any]) -> Answer:
        url = f"{str(config.public['server']).rstrip('/')}/api/v4/{path}"
        place = {"channel_id": config.public["channelId"]} if method == "POST" else {}
        return call(client, method, url, {**place, **body}, {"Authorization": f"Bearer {config.secrets['token']}"})


def _mention(message: Message, config: Config) -> str:
    """Returns the mention of a new post, with a space behind it; empty without one."""
    mentioned = mentions.of_notice(message.content, config.public)
    return f"@{mentioned} " if mentioned else ""


def _laid_out(message: Message, config: Config) -> dict[str, Any]:
    """Returns the body of a webhook post, with buttons if a bot can be called back, else with links."""
    content = message.content
    if message.callback is None or not config.public.get(setting_fields.BUTTONS):
        return layout(content)
    body = layout(replace(content, action_links=()))
    actions = mattermost_interactions.actions(content, config, message.callback, message.at)
    return {**body, "attachments": [{**each, "actions": actions} for each in body["attachments"]]}


def layout(content: NoticeContent) -> dict[str, Any]:
    """Returns the body of a webhook post with action links."""
    return {
        "text": "",
        "attachments": [
            {
                "fallback": break_mentions("\n".join(filter(None, (content.headline, content.excerpt)))),
                "color": content.colour,
                "title": break_mentions(f"{content.symbol} {content.headline}"),
                "title_link": content.url,
                "text": "\n\n".join(filter(None, (_sentence(content), _links(content)))),
                "fields": [
                    {"title": fact.label, "value": escape_markdown(fact.value), "short": True} for fact in content.facts
                ],
            }
        ],
    }


def _sentence(content: NoticeContent) -> str:
    lines = digest_lines(
        content, LONGEST_LINES, lambda line: linked_line(line, escape_markdown, markdown_link), gap="\n- "
    )
    return escape_markdown(content.text) + (f"\n{lines}" if lines else "")


def _links(content: NoticeContent) -> str:
    return " · ".join(markdown_link(*link) for link in (*content.action_links, *content.links))


def receipt_of(answer: Answer) -> Receipt:
    """Returns the receipt of an answer.

    Without `Retry-After` the pause lasts until the reset of the rate limit, which is longer.
    """
    if answer.receipt.status_code == 429:
        reset = pause(answer.headers.get("x-ratelimit-reset"))
        return answer.failed(FailureReason.SERVICE_BUSY, retry_after=answer.receipt.retry_after or reset)
    if answer.word("id").startswith(HOOK_WRONG):
        return answer.failed(FailureReason.DESTINATION_REFUSED)
    return answer.receipt


def _post(body: dict[str, Any]) -> dict[str, Any]:
    """Returns the body of a webhook post in the form of the API."""
    return {"message": body["text"], "props": {"attachments": body["attachments"]}}


KIND = Mattermost()
