"""Slack: a message of blocks, by an incoming webhook or by a bot, which also changes its messages."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import Abilities, FieldDescription, FieldType, KindDescription, Limits
from inbox.destinations.http import Client
from inbox.destinations.kinds import setting_fields
from inbox.destinations.kinds.service import Answer, EditingKind, call
from inbox.destinations.layout import cut, cut_escaped
from inbox.domain.delivery import FailureReason, Receipt
from inbox.domain.explanation.notice_content import NoticeContent
from inbox.domain.refusals import Fault

API = "https://slack.com/api"
LONGEST_HEADER, LONGEST_SECTION, LONGEST_FALLBACK = 150, 3_000, 1_200

BUSY = frozenset(
    {
        *("ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable", "request_timeout"),
        *("team_added_to_org", "org_login_required", "update_failed", "external_channel_migrating"),
        "message_limit_exceeded",
    }
)
WRONG = frozenset(
    {
        *("invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive", "missing_scope"),
        *("no_permission", "not_allowed_token_type", "channel_not_found", "not_in_channel", "is_archived"),
        *("ekm_access_denied", "access_denied", "app_access_restricted", "two_factor_setup_required"),
    }
)
"""Errors that only a person can end: the token, its rights, or the channel."""

GONE = frozenset({"message_not_found", "cant_update_message", "edit_window_closed", "is_inactive", "block_mismatch"})
"""Errors of a change after which the message is posted anew."""

UNSHOWABLE = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"})
"""Errors about blocks. The message is sent once more as text."""

WEBHOOK_WRONG = frozenset({"user_not_found", "invalid_token", "no_service", "channel_not_found", "channel_is_archived"})


class Slack(EditingKind):
    """The settings are `{url}` of a webhook, or `{token, channel}` of a bot."""

    description = KindDescription(
        kind="slack",
        label="Slack",
        summary="A message in a channel. A bot keeps one message per incident up to date and replies in its thread.",
        target="channel",
        can=Abilities(edits=True, threads=True, action_links=True),
        limits=Limits(text_length=LONGEST_SECTION, pace_seconds=1.0),
        fields=(
            setting_fields.webhook_address(
                "Of an incoming webhook. Leave it empty for a bot.",
                "https://hooks.slack.com/services/T000/B000/XXXX",
                required=False,
            ),
            setting_fields.token(
                "Bot token",
                "Of a bot with the scope chat:write. A bot can change its messages.",
                "xoxb-0000-0000-XXXX",
                pattern=r"xox[a-z]-[A-Za-z0-9-]+",
                required=False,
            ),
            FieldDescription(
                name="channel",
                label="Channel id",
                type=FieldType.TEXT,
                help="At the end of the details of the channel. Names change, so they are not taken.",
                example="C0123456789",
                required=False,
                pattern=r"[CDG][A-Z0-9]{2,20}",
            ),
            setting_fields.action_links(),
        ),
    )

    def faults(self, config: Config) -> list[Fault]:
        has_bot = "token" in config.secrets
        if ("url" in config.secrets) == has_bot:
            return [Fault("/config/url", "give either the address of a webhook, or the token of a bot")]
        if has_bot != ("channel" in config.public):
            return [Fault("/config/channel", "is needed with the token of a bot, and only then")]
        return []

    def place(self, config: Config) -> str | None:
        return config.public.get("channel")

    def post(self, message: Message, config: Config, client: Client) -> Receipt:
        body = layout(message.content)
        if "url" in config.secrets:
            answer = call(client, "POST", config.secrets["url"], body)
            if answer.text.strip() in UNSHOWABLE:
                answer = call(client, "POST", config.secrets["url"], without_blocks(message.content))
            return webhook_receipt(answer)
        place = {"channel": config.public["channel"]}
        answer = _laid_out(client, "chat.postMessage", config, place, message.content)
        receipt, channel, ts = receipt_of(answer), answer.word("channel"), answer.word("ts")
        return answer.with_reference(channel=channel, ts=ts) if receipt.is_accepted and channel and ts else receipt

    def edit(self, message: Message, config: Config, client: Client) -> Receipt | None:
        place = {"channel": message.reference["channel"], "ts": message.reference["ts"]}
        answer = _laid_out(client, "chat.update", config, place, message.content)
        return None if answer.word("error") in GONE else receipt_of(answer)

    def reply(self, message: Message, config: Config, client: Client) -> Receipt:
        content, reference = message.content, message.reference
        place = {"channel": reference["channel"], "thread_ts": reference["ts"], "reply_broadcast": True}
        text = f"*{escape(content.status)}* {escape(content.sentence)}"
        return receipt_of(_api(client, "chat.postMessage", config, {**place, "text": text, "unfurl_links": False}))


def layout(content: NoticeContent) -> dict[str, Any]:
    """The body of a message. `text` is the notification, and stands for the blocks where they cannot be shown."""
    title = f"*<{_entities(content.url)}|{escape(content.title)}>*\n"
    section = title + cut_escaped(content.sentence, LONGEST_SECTION - len(title), escape)
    facts = [
        {"type": "mrkdwn", "verbatim": True, "text": f"*{fact.label}*\n{escape(fact.value)}"} for fact in content.facts
    ]
    header = cut(f"{content.symbol} {content.headline}", LONGEST_HEADER)
    return {
        "text": escape(content.headline),
        "unfurl_links": False,
        "unfurl_media": False,
        "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": header, "emoji": True}},
            {
                "type": "section",
                "text": {"type": "mrkdwn", "verbatim": True, "text": section},
                "fields": facts,
            },
            {"type": "actions", "elements": [_button("Open", content.url), *_buttons(content)]},
        ],
    }


def _buttons(content: NoticeContent) -> list[dict[str, Any]]:
    return [_button(link.label, link.url) for link in content.action_links]


def _button(label: str, url: str) -> dict[str, Any]:
    text = {"type": "plain_text", "text": label}
    return {"type": "button", "action_id": label.lower(), "text": text, "url": url}


def without_blocks(content: NoticeContent) -> dict[str, Any]:
    """The body of a message whose blocks were refused. An empty list removes those of the message that it changes."""
    text = f"{escape(content.headline)}\n{cut_escaped(content.sentence, LONGEST_FALLBACK, escape)}\n<{_entities(content.url)}>"
    return {"text": text, "unfurl_links": False, "unfurl_media": False, "blocks": []}


def escape(text: str) -> str:
    """The text in Slack's markup. `<!channel>` becomes text; signs of emphasis are kept apart from words."""
    safe = _entities(text)
    for sign in "*_~`":
        safe = safe.replace(sign, f"{sign}\u200b")
    return safe


def _entities(text: str) -> str:
    """The text with the entities of Slack's markup: an address keeps its other signs."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def receipt_of(answer: Answer) -> Receipt:
    """What an answer of the API means: it says 200 to what it refuses."""
    error = answer.word("error")
    if answer.receipt.status_code != 200 or answer.fields.get("ok") is True:
        return answer.receipt
    if error in BUSY:
        return answer.failed(
            FailureReason.SERVICE_BUSY, retry_after=answer.receipt.retry_after or timedelta(seconds=30)
        )
    if error in WRONG or error.startswith("restricted_action"):
        return answer.failed(FailureReason.DESTINATION_REFUSED)
    return answer.failed(FailureReason.MESSAGE_REFUSED if error else FailureReason.BAD_RESPONSE)


def webhook_receipt(answer: Answer) -> Receipt:
    """What an answer of an incoming webhook means: its body is one word."""
    if answer.receipt.status_code == 400 and answer.text.strip() in WEBHOOK_WRONG:
        return answer.failed(FailureReason.DESTINATION_REFUSED)
    return answer.receipt


def _laid_out(client: Client, method: str, config: Config, place: Mapping[str, Any], content: NoticeContent) -> Answer:
    answer = _api(client, method, config, {**place, **layout(content)})
    if answer.word("error") in UNSHOWABLE:
        answer = _api(client, method, config, {**place, **without_blocks(content)})
    return answer


def _api(client: Client, method: str, config: Config, body: Mapping[str, Any]) -> Answer:
    headers = {
        "Authorization": f"Bearer {config.secrets['token']}",
        "Content-Type": "application/json; charset=utf-8",
    }
    return call(client, "POST", f"{API}/{method}", body, headers)
