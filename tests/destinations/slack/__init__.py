"""Slack: a stand-in as strict as its documentation, and the rows of its kind in the tests of all kinds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from tests.destinations.kinds.rates import limited, whole
from tests.destinations.kinds.stand_in import (
    MESSAGE,
    RETRY,
    STOP,
    Case,
    Row,
    StandIn,
    bearer,
    given,
    json_of,
    members,
    own_link,
    text_of,
)
from tests.stand_ins.receivers import Answer, Request

SLACK_TOKEN, SLACK_CHANNEL = "xoxb-0000-0000-SecretOfSlack", "C0123456789"
SLACK_URL = "https://hooks.slack.com/services/T000/B000/SecretOfSlack"
_LINK = re.compile(
    r"<(?:https://(?:inbox|wiki|prometheus)\.example\.org|https://evil\.example|http://127\.0\.0\.1:8080)/[^|<>\u200b]*(\|[^<>]*)?>"
)


def mrkdwn(text: str) -> str:
    """The text, if a link of ours is its only markup beside the bold words at its begin."""
    plain = _LINK.sub("", text)
    assert not re.search(r"[<>]|&(?!(amp|lt|gt);)", plain), plain
    plain = re.sub(r"^\*(\w+)?\*", "", plain)
    assert not re.search(r"[*_~`](?!\u200b)", plain), plain
    return text


class SlackWebhook(StandIn):
    """Slack, by an incoming webhook."""

    origin = "https://hooks.slack.com"

    def answer(self, request: Request) -> Answer:
        assert request.path == "/services/T000/B000/SecretOfSlack"
        self.show(self.read(members(json_of(request), "text blocks unfurl_links unfurl_media")))
        return Answer(200, b"ok")

    def read(self, fields: Any) -> str:
        """What is shown of a message."""
        assert fields["unfurl_links"] is False
        texts = [mrkdwn(text_of(fields["text"], 4_000).removeprefix(self.mention))]
        for block in self._blocks(fields.get("blocks", [])):
            texts += self._texts(block)
        assert sum(map(len, texts)) <= 10_000
        return "\n".join(texts)

    def _blocks(self, blocks: Any) -> Sequence[Any]:
        assert isinstance(blocks, list)
        assert len(blocks) <= 50
        return blocks

    def _texts(self, block: Any) -> list[str]:
        match block["type"]:
            case "header":
                members(block["text"], "type text", "emoji")
                assert block["text"]["type"] == "plain_text"
                return [text_of(block["text"]["text"], 150)]
            case "section":
                members(block, "type text", "fields")
                assert 0 < len(block["fields"]) <= 10
                return [self._mrkdwn(block["text"], 3_000), *(self._mrkdwn(each, 2_000) for each in block["fields"])]
            case "actions":
                assert 0 < len(block["elements"]) <= 25
                return [self._button(each) for each in block["elements"]]
            case unknown:
                raise AssertionError(unknown)

    def _mrkdwn(self, text: Any, longest: int) -> str:
        assert members(text, "type text verbatim")["type"] == "mrkdwn"
        assert text["verbatim"] is True
        return mrkdwn(text_of(text["text"], longest).removeprefix(self.mention))

    def _button(self, button: Any) -> str:
        members(button, "type action_id text", "url value")
        if "value" in button:
            assert "url" not in button
            assert re.fullmatch(r"inc_[0-9a-z]{26}", text_of(button["value"], 2_000))
        else:
            assert text_of(own_link(button["url"]), 3_000)
        assert text_of(button["action_id"], 255)
        return text_of(button["text"]["text"], 75)


class SlackBot(SlackWebhook):
    """Slack, by a bot."""

    origin = "https://slack.com"

    def answer(self, request: Request) -> Answer:
        bearer(request, SLACK_TOKEN)
        fields = json_of(request)
        assert request.headers["content-type"] == "application/json; charset=utf-8"
        assert fields["channel"] == SLACK_CHANNEL
        if request.path == "/api/chat.update":
            members(fields, "channel ts text blocks", "unfurl_links unfurl_media")
            if fields["ts"] not in self.messages:
                return given(200, {"ok": False, "error": "message_not_found"})
            self.messages[fields["ts"]] = self.read(fields)
            return given(200, {"ok": True, "channel": SLACK_CHANNEL, "ts": fields["ts"]})
        assert request.path == "/api/chat.postMessage"
        members(fields, "channel text", "blocks unfurl_links unfurl_media thread_ts reply_broadcast")
        assert fields.get("thread_ts", "") in ("", *self.messages)
        return given(200, {"ok": True, "channel": SLACK_CHANNEL, "ts": self.show(self.read(fields))})


def refused(error: str) -> Answer:
    return given(200, {"ok": False, "error": error})


def limited_webhook(wait: timedelta) -> Answer:
    return Answer(429, b"", {"Retry-After": str(whole(wait))})


def limited_bot(wait: timedelta) -> Answer:
    return limited({"ok": False, "error": "ratelimited"}, Retry_After=whole(wait))


CASES = (
    Case(
        "slack_webhook", "slack", {"url": SLACK_URL}, SlackWebhook, too_many=limited_webhook, published="SlackWebhook"
    ),
    Case(
        "slack_bot",
        "slack",
        {"token": SLACK_TOKEN, "channel": SLACK_CHANNEL},
        SlackBot,
        edits=True,
        too_many=limited_bot,
        with_address=lambda address: {"server": address},
        published="SlackBot",
    ),
)
ANSWERS: list[Row] = [
    *(("slack_bot", refused(each), RETRY, 30) for each in (
        "ratelimited", "rate_limited", "internal_error", "fatal_error", "service_unavailable", "request_timeout",
        "team_added_to_org", "org_login_required", "update_failed", "external_channel_migrating", "message_limit_exceeded",
    )),
    *(("slack_bot", refused(each), MESSAGE, None) for each in (
        "msg_too_long", "no_text", "too_many_attachments", "metadata_too_large", "invalid_arg_name",
        "attachment_payload_limit_exceeded", "cannot_reply_to_message", "an_error_of_tomorrow",
    )),
    *(("slack_bot", refused(each), STOP, None) for each in (
        "invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive", "missing_scope",
        "no_permission", "not_allowed_token_type", "channel_not_found", "not_in_channel", "is_archived",
        "restricted_action", "restricted_action_thread_locked", "ekm_access_denied", "access_denied",
        "app_access_restricted", "two_factor_setup_required",
    )),
    ("slack_bot", given(200, {"ok": False, "error": "ratelimited"}, **{"Retry-After": "70"}), RETRY, 70),
    ("slack_bot", given(429, {"ok": False, "error": "ratelimited"}, **{"Retry-After": "70"}), RETRY, 70),
    ("slack_bot", Answer(200, b"<html>a page of the network</html>"), RETRY, None),
    ("slack_webhook", Answer(400, b"invalid_payload"), MESSAGE, None),
    ("slack_webhook", Answer(400, b"user_not_found"), STOP, None),
    ("slack_webhook", Answer(400, b"invalid_token"), STOP, None),
    ("slack_webhook", Answer(403, b"action_prohibited"), STOP, None),
    ("slack_webhook", Answer(404, b"channel_not_found"), STOP, None),
    ("slack_webhook", Answer(404, b"no_service"), STOP, None),
    ("slack_webhook", Answer(410, b"channel_is_archived"), STOP, None),
    ("slack_webhook", Answer(500, b"rollup_error"), RETRY, None),
    ("slack_webhook", Answer(429, b"", {"Retry-After": "12"}), RETRY, 12),
]  # fmt: skip
"""What an answer means, and the pause for which it asks."""

GONE = [
    *(("slack_bot", refused(each)) for each in (
        "message_not_found", "cant_update_message", "edit_window_closed", "is_inactive", "block_mismatch",
    )),
]  # fmt: skip
"""The answers to a change of a message that cannot be changed."""

REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("slack_webhook", {"url": None}, {"url"}),
    ("slack_webhook", {"url": 7}, {"url"}),
    ("slack_webhook", {"token": "xoxb-1-SecretToken"}, {"url"}),
    ("slack_webhook", {"channel": "C0123456789"}, {"channel"}),
    ("slack_bot", {"url": "https://hooks.example.org/SecretAddress"}, {"url"}),
    ("slack_bot", {"channel": None}, {"channel"}),
    ("slack_bot", {"server": "slack-gov.com"}, {"server"}),
    ("slack_webhook", {"server": "https://slack-gov.com"}, {"server"}),
    ("slack_bot", {"channel": "#general", "token": "SecretToken"}, {"channel", "token"}),
]  # fmt: skip
"""Changes of the settings, and the fields at fault."""

PLACES = [
    ("slack_bot", "server", {"token"}),
    ("slack_server", "server", {"token"}),
]
"""The fields that say where a stored secret is sent, and the secrets that a change of one needs."""

MORE_SETTINGS = {
    "slack_server": {**CASES[1].settings, "server": "https://slack-gov.com"},
}
"""Further forms of the settings, by name."""

OTHER_TEXTS = {"channel": "C9999999999", "mention": "here"}
"""Another value of each field that takes a text and is no secret."""

MENTIONS = [
    ("slack_webhook", "@channel", "<!channel> "),
    ("slack_bot", "here", "<!here> "),
    ("slack_bot", "everyone", "<!everyone> "),
    ("slack_bot", "S0123ABC", "<!subteam^S0123ABC> "),
    ("slack_bot", "U0123ABC", "<@U0123ABC> "),
    ("slack_bot", "W0123ABC", "<@W0123ABC> "),
]
"""Settings of a mention, and what a message has then."""

EFFECTS = ("<!channel>", "<@U012", "<https://evil")
"""What a text of a sender must not contain in the request of a digest."""
