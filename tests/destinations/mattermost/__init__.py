"""Mattermost: a stand-in as strict as its documentation, and the rows of its kind in the tests of all kinds."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from tests.destinations.kinds.rates import whole
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
    plain_markdown,
    text_of,
    without_action_links,
)
from tests.stand_ins.receivers import Answer, Request

MATTERMOST_TOKEN, MATTERMOST_CHANNEL = "secretofmattermost00000000", "4xp9fdt77pncbef59f4k1qe83o"


class MattermostWebhook(StandIn):
    """Mattermost, by an incoming webhook."""

    origin = "https://chat.example.org"

    def answer(self, request: Request) -> Answer:
        assert request.path == "/hooks/secretofmattermost"
        fields = members(json_of(request), "text attachments")
        self.show(self.read(fields["text"].removeprefix(self.mention), fields["attachments"]))
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
        text = fields["message"].removeprefix(self.mention)
        plain_markdown(text.replace("**", "", 2))
        return self.read(text, fields.get("props", {}).get("attachments", []))


def refused(status: int, id: str) -> Answer:
    return given(status, {"id": id, "message": "no", "status_code": status})


def too_many(wait: timedelta) -> Answer:
    headers = {"X-Ratelimit-Limit": "10", "X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": str(whole(wait))}
    return Answer(429, b"limit exceeded\n", headers)


CASES = (
    Case(
        "mattermost_webhook",
        "mattermost",
        {"url": "https://chat.example.org/hooks/secretofmattermost"},
        MattermostWebhook,
        too_many=too_many,
        published="MattermostWebhook",
    ),
    Case(
        "mattermost_bot",
        "mattermost",
        {
            "server": "https://chat.example.org/",
            "token": MATTERMOST_TOKEN,
            "channelId": MATTERMOST_CHANNEL,
        },
        MattermostBot,
        edits=True,
        too_many=too_many,
        published="MattermostBot",
    ),
)
ANSWERS: list[Row] = [
    ("mattermost_webhook", refused(400, "web.incoming_webhook.invalid.app_error"), STOP, None),
    ("mattermost_webhook", refused(400, "web.incoming_webhook.parse.app_error"), MESSAGE, None),
    ("mattermost_webhook", refused(400, "web.incoming_webhook.text.app_error"), MESSAGE, None),
    ("mattermost_webhook", refused(501, "web.incoming_webhook.disabled.app_error"), STOP, None),
    ("mattermost_webhook", refused(400, "web.incoming_webhook.channel.app_error"), STOP, None),
    ("mattermost_webhook", refused(400, "web.incoming_webhook.user.app_error"), STOP, None),
    ("mattermost_webhook", refused(403, "web.incoming_webhook.permissions.app_error"), STOP, None),
    ("mattermost_bot", refused(401, "api.context.session_expired.app_error"), STOP, None),
    ("mattermost_bot", refused(403, "api.context.permissions.app_error"), STOP, None),
    ("mattermost_bot", refused(400, "api.post.create_post.app_error"), MESSAGE, None),
    ("mattermost_bot", refused(413, "api.context.request_body_too_large.app_error"), MESSAGE, None),
    ("mattermost_bot", Answer(429, b"limit exceeded", {"X-Ratelimit-Reset": "4"}), RETRY, 4),
    ("mattermost_bot", Answer(429, b"", {"X-Ratelimit-Reset": "10", "Retry-After": "1"}), RETRY, 1),
]  # fmt: skip
"""What an answer means, and the pause for which it asks."""

GONE = [
    ("mattermost_bot", refused(404, "app.post.get.app_error")),
    ("mattermost_bot", refused(400, "api.post.update_post.permissions_time_limit.app_error")),
]  # fmt: skip
"""The answers to a change of a message that cannot be changed."""

REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("mattermost_webhook", {"url": ""}, {"url"}),
    ("mattermost_webhook", {"token": "SecretTokenSecretToken"}, {"token"}),
    ("mattermost_bot", {"url": "https://hooks.example.org/SecretAddress"}, {"url"}),
    ("mattermost_bot", {"server": None}, {"url"}),
    ("mattermost_bot", {"channelId": "town-square"}, {"channelId"}),
]  # fmt: skip
"""Changes of the settings, and the fields at fault."""

PLACES = [
    ("mattermost_bot", "server", {"token"}),
]
"""The fields that say where a stored secret is sent, and the secrets that a change of one needs."""

OTHER_TEXTS = {"channelId": "z" * 26}
"""Another value of each field that takes a text and is no secret."""

MENTIONS = [
    ("mattermost_webhook", "channel", "@channel "),
    ("mattermost_bot", "@on-call.team", "@on-call.team "),
]
"""Settings of a mention, and what a message has then."""

EFFECTS = ("@channel", "](https://evil")
"""What a text of a sender must not contain in the request of a digest."""
