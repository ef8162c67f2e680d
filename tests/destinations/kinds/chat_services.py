"""Stand-ins of Slack, Discord, Telegram and Mattermost, as strict as their documentation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from inbox.destinations.layout import utf8_length, utf16_length
from tests.destinations.kinds.stand_in import (
    StandIn,
    bearer,
    given,
    json_of,
    members,
    own_link,
    plain_markdown,
    read_html,
    text_of,
    without_action_links,
)
from tests.stand_ins.receivers import Answer, Request

SLACK_TOKEN, SLACK_CHANNEL = "xoxb-0000-0000-SecretOfSlack", "C0123456789"
SLACK_URL = "https://hooks.slack.com/services/T000/B000/SecretOfSlack"
DISCORD_PATH = "/api/webhooks/1234/Secret-of_Discord"
TELEGRAM_TOKEN = "123456:SecretOfTelegram-0000000000000000000"
MATTERMOST_TOKEN, MATTERMOST_CHANNEL = "secretofmattermost00000000", "4xp9fdt77pncbef59f4k1qe83o"
_LINK = re.compile(r"<(?:https://inbox\.example\.org|http://127\.0\.0\.1:8080)/[^|<>\u200b]*(\|[^<>]*)?>")


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
        texts = [mrkdwn(text_of(fields["text"], 4_000))]
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
        return mrkdwn(text_of(text["text"], longest))

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


class Discord(StandIn):
    """Discord, by a webhook with a thread."""

    origin = "https://discord.com"

    def answer(self, request: Request) -> Answer:
        path, _, query = request.path.partition("?")
        assert re.fullmatch(r"DiscordBot \(https://\S+, \S+\)", request.headers["user-agent"])
        fields = json_of(request, request.method)
        assert fields["allowed_mentions"] == {"parse": []}
        place = "with_components=true&" * ("components" in fields) + "thread_id=1180000000000000000"
        self._buttons(fields.pop("components", []))
        if request.method == "PATCH":
            assert (path.startswith(f"{DISCORD_PATH}/messages/"), query) == (True, place)
            id = path.rsplit("/", 1)[1]
            if id not in self.messages:
                return given(404, {"code": 10008, "message": "Unknown Message"})
            self.messages[id] = self._read(members(fields, "embeds allowed_mentions"))
            return given(200, {"id": id})
        assert (path, query) == (DISCORD_PATH, f"wait=true&{place}")
        return given(200, {"id": self.show(self._read(members(fields, "allowed_mentions", "embeds content")))})

    def _buttons(self, rows: Any) -> None:
        assert len(rows) <= 5
        for row in rows:
            assert members(row, "type components")["type"] == 1
            assert 0 < len(row["components"]) <= 5
            for each in row["components"]:
                assert members(each, "type style label custom_id")["type"] == 2
                assert each["style"] in (1, 2, 3, 4)
                assert re.fullmatch(r"(acknowledge|resolve):inc_[0-9a-z]{26}", text_of(each["custom_id"], 100))
                text_of(each["label"], 80)

    def _read(self, fields: Any) -> str:
        if "content" in fields:
            head, *lines, link = text_of(fields["content"], 2_000).split("\n")
            own_link(link.strip("<>"))
            return plain_markdown("\n".join([head.replace("**", "", 2), *lines]))
        assert 0 < len(fields["embeds"]) <= 10
        texts = [text for embed in fields["embeds"] for text in self._texts(embed)]
        assert sum(map(len, texts)) <= 6_000
        return "\n".join(map(plain_markdown, texts))

    def _texts(self, embed: Any) -> list[str]:
        members(embed, "title url description color timestamp fields footer")
        own_link(embed["url"])
        assert 0 <= embed["color"] <= 0xFFFFFF
        assert len(embed["fields"]) <= 25
        facts = [
            text_of(each[part], most) for each in embed["fields"] for part, most in (("name", 256), ("value", 1_024))
        ]
        return [
            text_of(embed["title"], 256),
            without_action_links(text_of(embed["description"], 4_096)),
            *facts,
            embed["footer"]["text"],
        ]


class Telegram(StandIn):
    """Telegram, with a bot in a topic of a group."""

    origin = "https://api.telegram.org"
    group = -1001234567890
    webhook: Mapping[str, Any] = MappingProxyType({})
    """The arguments of the last `setWebhook`."""

    def answer(self, request: Request) -> Answer:
        method = request.path.removeprefix(f"/bot{TELEGRAM_TOKEN}/")
        fields = json_of(request)
        if method == "setWebhook":
            members(fields, "url secret_token allowed_updates")
            assert re.fullmatch(r"https?://[^/]+/v1/destinations/dst_[0-9a-z]+/interactions", fields["url"])
            assert re.fullmatch(r"[A-Za-z0-9_-]{1,256}", fields["secret_token"])
            self.webhook = fields
            return given(200, {"ok": True, "result": True, "description": "Webhook was set"})
        assert fields["chat_id"] == self.group
        assert fields["link_preview_options"] == {"is_disabled": True}
        shown = read_html(fields["text"], "b a") if fields.get("parse_mode") == "HTML" else fields["text"]
        assert not re.search(r"@\w", text_of(shown, 4_096, utf16_length))
        for row in members(fields.get("reply_markup", {"inline_keyboard": []}), "inline_keyboard")["inline_keyboard"]:
            assert 0 < len(row) <= 8
            for button in row:
                self._button(members(button, "text", "url callback_data"))
        if method == "editMessageText":
            members(fields, "chat_id message_id text link_preview_options", "parse_mode reply_markup")
            id = str(fields["message_id"])
            if id not in self.messages:
                return self.refused(400, "Bad Request: message to edit not found")
            if self.messages[id] == shown:
                return self.refused(
                    400, "Bad Request: message is not modified: specified new message content is the same"
                )
            self.messages[id] = shown
            return given(200, {"ok": True, "result": {"message_id": int(id), "chat": {"id": self.group}}})
        assert method == "sendMessage"
        optional = "parse_mode disable_notification reply_parameters reply_markup"
        members(fields, "chat_id message_thread_id text link_preview_options", optional)
        assert fields["message_thread_id"] == 7
        assert fields.get("reply_parameters", {}).get("allow_sending_without_reply", True) is True
        id = self.show(shown, str(1_000 + len(self.alerts)))
        if fields.get("disable_notification"):
            self.alerts.pop()
        return given(200, {"ok": True, "result": {"message_id": int(id), "chat": {"id": self.group}}})

    @staticmethod
    def _button(button: Any) -> None:
        if "url" in button:
            assert own_link(members(button, "text url")["url"])
        else:
            assert re.fullmatch(
                r"(acknowledge|resolve):inc_[0-9a-z]{26}", text_of(button["callback_data"], 64, utf8_length)
            )

    @staticmethod
    def refused(status: int, description: str, **parameters: int) -> Answer:
        """An answer in the form of errors."""
        fields = {"ok": False, "error_code": status, "description": description}
        return given(status, {**fields, **({"parameters": parameters} if parameters else {})})


class MattermostWebhook(StandIn):
    """Mattermost, by an incoming webhook."""

    origin = "https://chat.example.org"

    def answer(self, request: Request) -> Answer:
        assert request.path == "/hooks/secretofmattermost"
        fields = members(json_of(request), "text attachments")
        self.show(self.read(fields["text"], fields["attachments"]))
        return Answer(200, b"ok")

    def read(self, text: str, attachments: Any) -> str:
        """What is shown of a post."""
        texts = [text]
        for each in attachments:
            members(each, "fallback color title title_link text fields", "actions")
            for action in each.get("actions", []):
                self._action(members(action, "id type name integration"))
            own_link(each["title_link"])
            assert re.fullmatch(r"#[0-9a-f]{6}", each["color"])
            assert not re.search(r"@\w", each["fallback"] + each["title"])
            values = [plain_markdown(value["value"]) for value in each["fields"]]
            texts += [each["title"], plain_markdown(without_action_links(each["text"])), *values]
        shown = "\n".join(texts)
        return text_of(shown, 16_383)

    @staticmethod
    def _action(action: Any) -> None:
        assert (action["type"], bool(re.fullmatch(r"[A-Za-z0-9]+", action["id"]))) == ("button", True)
        integration = members(action["integration"], "url context")
        assert re.fullmatch(r"https?://[^/]+/v1/destinations/dst_[0-9a-z]+/interactions", integration["url"])
        assert re.fullmatch(r"svc_btn_[A-Za-z0-9_-]+", members(integration["context"], "token")["token"])


class MattermostBot(MattermostWebhook):
    """Mattermost, by a bot."""

    def answer(self, request: Request) -> Answer:
        bearer(request, MATTERMOST_TOKEN)
        fields = json_of(request, request.method)
        if request.method == "PUT":
            id = request.path.removeprefix("/api/v4/posts/").removesuffix("/patch")
            if id not in self.messages:
                return given(404, {"id": "app.post.get.app_error", "message": "gone", "status_code": 404})
            self.messages[id] = self._read(members(fields, "message props"))
            return given(200, {"id": id})
        assert (request.method, request.path) == ("POST", "/api/v4/posts")
        members(fields, "channel_id message pending_post_id", "props root_id")
        assert fields["channel_id"] == MATTERMOST_CHANNEL
        assert fields.get("root_id", "") in ("", *self.messages)
        return given(201, {"id": self.show(self._read(fields))})

    def _read(self, fields: Any) -> str:
        plain_markdown(fields["message"].replace("**", "", 2))
        return self.read(fields["message"], fields.get("props", {}).get("attachments", []))
