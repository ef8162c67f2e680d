"""Slack: posts a message of blocks by an incoming webhook, or by a bot, which also edits its messages."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, ClassVar

from inbox.destinations import mentions, setting_fields
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import (
    NEVER_SENT,
    Abilities,
    FieldDescription,
    FieldType,
    KindDescription,
    Limits,
    Mode,
)
from inbox.destinations.http import Client
from inbox.destinations.interactions import Ignored, InteractionRefused, InteractionRequest, Named, Press, verified_by
from inbox.destinations.layout import cut, cut_escaped, digest_lines, fitting_links, linked_line
from inbox.destinations.service import Answer, EditingKind, call
from inbox.destinations.slack import interactions as slack_interactions
from inbox.destinations.slack.markup import entities, escape, mention_of
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.explaining.notice_content import NoticeContent
from inbox.domain.values.refusals import Fault

SERVER, GOVERNMENT_SERVER = "https://slack.com", "https://slack-gov.com"
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
"""Errors that only a person can fix: the token, its rights, or the channel."""

GONE = frozenset({"message_not_found", "cant_update_message", "edit_window_closed", "is_inactive", "block_mismatch"})
"""Errors of an edit after which the message is posted again."""

UNSHOWABLE = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"})
"""Errors about blocks. The message is sent once more as text."""

WEBHOOK_WRONG = frozenset({"user_not_found", "invalid_token", "no_service", "channel_not_found", "channel_is_archived"})


class Slack(EditingKind):
    """Settings: `{url}` of a webhook, or `{token, channel, server}` of a bot."""

    repeats_refused: ClassVar[bool] = False

    description = KindDescription(
        kind="slack",
        position=20,
        label="Slack",
        summary="A message in a channel. A bot keeps one message per incident up to date and replies in its thread.",
        target="channel",
        can=Abilities(edits=True, threads=True, action_links=True, digests=True, templates=True),
        limits=Limits(text_length=LONGEST_SECTION, pace_seconds=1.0),
        modes=(Mode("Webhook", ("url",)), Mode("Bot", ("token", "channel"), ("signingSecret", "server"))),
        fields=(
            setting_fields.webhook_address(
                "The address of an incoming webhook.",
                "https://hooks.slack.com/services/T000/B000/XXXX",
                required=False,
            ),
            setting_fields.token(
                "Bot token",
                "The token of a bot with the scope chat:write. A bot can update its messages.",
                "xoxb-0000-0000-XXXX",
                pattern=r"xox[a-z]-[A-Za-z0-9-]+",
                required=False,
            ),
            FieldDescription(
                name="channel",
                label="Channel id",
                type=FieldType.TEXT,
                help="At the bottom of the channel details. Names are not accepted, because they can change.",
                example="C0123456789",
                required=False,
                pattern=r"[CDG][A-Z0-9]{2,20}",
            ),
            FieldDescription(
                name="signingSecret",
                label="Signing secret",
                type=FieldType.SECRET,
                help="From the app of the bot. Makes the buttons act in Slack, for members who linked their account.",
                example="0123456789abcdef0123456789abcdef",
                required=False,
                secret=True,
                sent_to=NEVER_SENT,
                pattern=r"[0-9a-f]{32,64}",
            ),
            setting_fields.server(
                "Server",
                "Only for a bot on GovSlack, or on another server with the Slack API.",
                GOVERNMENT_SERVER,
                required=False,
                when_absent=SERVER,
            ),
            setting_fields.action_links(),
            *mentions.fields(
                "here, channel, or the id of a user (U…) or a user group (S…), for messages that ring phones.",
                "S0123456789",
                r"@?(here|channel|everyone)|[UWS][A-Z0-9]{2,20}",
            ),
        ),
    )

    def faults(self, config: Config) -> list[Fault]:
        has_bot = "token" in config.secrets
        if ("url" in config.secrets) == has_bot:
            return [Fault("/config/url", "give either the address of a webhook, or the token of a bot")]
        if has_bot != ("channel" in config.public):
            return [Fault("/config/channel", "is needed with the token of a bot, and only then")]
        if "server" in config.public and not has_bot:
            return [Fault("/config/server", "is for a bot: the address of a webhook has its server")]
        if "signingSecret" in config.secrets and not has_bot:
            return [Fault("/config/signingSecret", "is for a bot: a webhook has no buttons that act")]
        return []

    def press(self, request: InteractionRequest, config: Config) -> Press | Ignored:
        secret = config.secrets.get("signingSecret")
        if secret is None:
            raise InteractionRefused
        slack_interactions.verify(request, secret)
        return verified_by(secret, slack_interactions.read(request))

    def named(self, body: bytes) -> Named:
        return slack_interactions.named(body)

    def answer_to(self, press: Press, text: str, url: str) -> None:
        """Returns None, because Slack ignores the content of an answer."""

    def hint(self, press: Press, text: str, url: str, client: Client) -> None:
        slack_interactions.hint(press, text, url, client)

    def place(self, config: Config) -> str | None:
        return "/".join(str(config.public[name]) for name in ("server", "channel") if name in config.public) or None

    def post(self, message: Message, config: Config, client: Client) -> Receipt:
        mention = mention_of(message.content, config)
        if "url" in config.secrets:
            body = layout(message.content, mention=mention)
            answer = call(client, "POST", config.secrets["url"], body)
            if answer.text.strip() in UNSHOWABLE:
                answer = call(client, "POST", config.secrets["url"], without_blocks(message.content, mention))
            return webhook_receipt(answer)
        place = {"channel": config.public["channel"]}
        answer = _laid_out(client, "chat.postMessage", config, place, message.content, mention)
        receipt, channel, ts = receipt_of(answer), answer.word("channel"), answer.word("ts")
        return answer.with_reference(channel=channel, ts=ts) if receipt.is_accepted and channel and ts else receipt

    def edit(self, message: Message, config: Config, client: Client) -> Receipt | None:
        place = {"channel": message.reference["channel"], "ts": message.reference["ts"]}
        answer = _laid_out(client, "chat.update", config, place, message.content)
        return None if answer.word("error") in GONE else receipt_of(answer)

    def reply(self, message: Message, config: Config, client: Client) -> Receipt:
        content, reference = message.content, message.reference
        place = {"channel": reference["channel"], "thread_ts": reference["ts"], "reply_broadcast": True}
        text = (
            f"{mention_of(content, config)}*{escape(content.status)}* {escape(content.title)}\n{escape(content.text)}"
        )
        return receipt_of(_api(client, "chat.postMessage", config, {**place, "text": text, "unfurl_links": False}))


def layout(content: NoticeContent, *, has_buttons: bool = False, mention: str = "") -> dict[str, Any]:
    """Returns the body of a message. `text` is the notification and the fallback for the blocks.

    With `has_buttons` the buttons act in Slack. Without, they open action links. `mention` is markup of Slack.
    """
    title = f"{mention}*<{entities(content.url)}|{escape(content.title)}>*\n"
    section = title + cut_escaped(content.text, LONGEST_SECTION - len(title), escape)
    section += _lines(content, LONGEST_SECTION - len(section))
    facts = [
        {"type": "mrkdwn", "verbatim": True, "text": f"*{fact.label}*\n{escape(fact.value)}"} for fact in content.facts
    ]
    header = cut(f"{content.symbol} {content.headline}", LONGEST_HEADER)
    return {
        "text": "\n".join(filter(None, (escape(content.headline), escape(content.excerpt)))),
        "unfurl_links": False,
        "unfurl_media": False,
        "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": header, "emoji": True}},
            {
                "type": "section",
                "text": {"type": "mrkdwn", "verbatim": True, "text": section},
                "fields": facts,
            },
            {
                "type": "actions",
                "elements": [
                    _button("Open", content.url),
                    *_buttons(content, has_buttons),
                    *_link_buttons(content),
                ],
            },
        ],
    }


def _lines(content: NoticeContent, room: int) -> str:
    return digest_lines(
        content, room, lambda line: linked_line(line, escape, lambda text, url: f"<{entities(url)}|{text}>")
    )


def _buttons(content: NoticeContent, has_buttons: bool) -> list[dict[str, Any]]:
    if has_buttons:
        return slack_interactions.buttons(content)
    return [_button(link.label, link.url) for link in content.action_links]


def _link_buttons(content: NoticeContent) -> list[dict[str, Any]]:
    return [_button(link.label, link.url) for link in content.links]


def _button(label: str, url: str) -> dict[str, Any]:
    return {**slack_interactions.labelled(label), "url": url}


def without_blocks(content: NoticeContent, mention: str = "") -> dict[str, Any]:
    """Returns the body without blocks, after Slack refused them.

    An empty list removes the blocks of the message that it edits.
    """
    sentence = cut_escaped(content.text, LONGEST_FALLBACK, escape)
    sentence += _lines(content, LONGEST_FALLBACK - len(sentence))
    text = f"{mention}{escape(content.headline)}\n{sentence}\n<{entities(content.url)}>"
    text += fitting_links(content, LONGEST_SECTION - len(text), _plain_link)
    return {"text": text, "unfurl_links": False, "unfurl_media": False, "blocks": []}


def _plain_link(label: str, url: str) -> str:
    """Returns a link without a label. A `|` in an address would begin a label, so it is encoded."""
    return f"{label}: <{entities(url).replace('|', '%7C')}>"


def receipt_of(answer: Answer) -> Receipt:
    """Returns the receipt of an API answer, which has status 200 also when it refuses."""
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
    """Returns the receipt of an incoming webhook's answer, whose body is one word."""
    if answer.receipt.status_code == 400 and answer.text.strip() in WEBHOOK_WRONG:
        return answer.failed(FailureReason.DESTINATION_REFUSED)
    return answer.receipt


def _laid_out(
    client: Client, method: str, config: Config, place: Mapping[str, Any], content: NoticeContent, mention: str = ""
) -> Answer:
    has_buttons = "signingSecret" in config.secrets
    answer = _api(client, method, config, {**place, **layout(content, has_buttons=has_buttons, mention=mention)})
    if answer.word("error") in UNSHOWABLE:
        answer = _api(client, method, config, {**place, **without_blocks(content, mention)})
    return answer


def _api(client: Client, method: str, config: Config, body: Mapping[str, Any]) -> Answer:
    headers = {
        "Authorization": f"Bearer {config.secrets['token']}",
        "Content-Type": "application/json; charset=utf-8",
    }
    server = str(config.public.get("server", SERVER)).rstrip("/")
    return call(client, "POST", f"{server}/api/{method}", body, headers)


KIND = Slack()
