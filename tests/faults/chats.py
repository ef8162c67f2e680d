"""Stand-in chats whose messages a destination edits: small servers that store the head of each message."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from datetime import timedelta
from typing import Any, ClassVar
from urllib.parse import unquote
from uuid import uuid4

from tests.destinations.kinds.cases import CASES
from tests.stand_ins.receivers import Answer, Request

REFUSED, WAIT = 12, timedelta(seconds=1)
"""One call in so many is beyond the limit of the service, which asks for this wait."""


class Chat(ABC):
    """A chat. `heads` are the first lines of its messages by their ids; `kind` is that of its destination.

    `reference` names the member of a stored reference that has the id. `limit` is the case whose answer refuses a call
    beyond the limit. `least` is the least severity that is sent here: where a service takes a message every few seconds,
    only a few incidents are.
    """

    kind: ClassVar[str]
    reference: ClassVar[str]
    limit: ClassVar[str]
    least: ClassVar[str | None] = None

    def __init__(self) -> None:
        self.heads: dict[str, str] = {}
        self.calls = 0

    def __call__(self, request: Request) -> Answer:
        self.calls += 1
        return self.answer(request) if self.calls % REFUSED else CASES[self.limit].too_many(WAIT)

    @abstractmethod
    def config(self, address: str) -> dict[str, Any]:
        """The settings of a destination for this server."""

    @abstractmethod
    def answer(self, request: Request) -> Answer:
        """What the service answers."""

    def post(self, head: str, id: str | None = None) -> str:
        """Keep a new message. It returns the id."""
        id = id or str(len(self.heads) + 1)
        self.heads[id] = head
        return id


def _found(status: int, **fields: Any) -> Answer:
    return Answer(status, json.dumps(fields).encode(), {"Content-Type": "application/json"})


class Slack(Chat):
    """Slack: `chat.update` by the time stamp. Replies have no blocks and are not kept."""

    kind, reference, limit = "slack", "ts", "slack_bot"

    def config(self, address: str) -> dict[str, Any]:
        return {"server": address, "token": "xoxb-0000-0000-secret", "channel": "C0123456789"}

    def answer(self, request: Request) -> Answer:
        fields = request.json
        head = fields["blocks"][0]["text"]["text"] if "blocks" in fields else ""
        if request.path == "/api/chat.postMessage":
            return _found(200, ok=True, channel=fields["channel"], ts=self.post(head))
        if request.path != "/api/chat.update" or fields["ts"] not in self.heads:
            return _found(200, ok=False, error="message_not_found")
        self.heads[fields["ts"]] = head
        return _found(200, ok=True, channel=fields["channel"], ts=fields["ts"])


class Mattermost(Chat):
    """Mattermost: `PUT` of a post. Replies have no attachment and are not kept."""

    kind, reference, limit = "mattermost", "id", "mattermost_bot"

    def config(self, address: str) -> dict[str, Any]:
        return {"server": address, "token": "t" * 26, "channelId": "c" * 26}

    def answer(self, request: Request) -> Answer:
        attachments = request.json.get("props", {}).get("attachments", [])
        if request.method == "PUT":
            id = request.path.split("/")[-2]
            if id not in self.heads:
                return _found(404)
        else:
            id = self.post("", uuid4().hex[:26])
        self.heads[id] = attachments[0]["title"] if attachments else ""
        return _found(200 if request.method == "PUT" else 201, id=id)


class Discord(Chat):
    """Discord: `PATCH` of a webhook's message."""

    kind, reference, limit, least = "discord", "id", "discord", "CRITICAL"

    def config(self, address: str) -> dict[str, Any]:
        return {"url": f"{address}/api/webhooks/1234/secret"}

    def answer(self, request: Request) -> Answer:
        embeds = request.json.get("embeds", [{"title": ""}])
        if request.method != "PATCH":
            return _found(200, id=self.post(embeds[0]["title"]))
        id = request.path.rpartition("/")[2].partition("?")[0]
        if id not in self.heads:
            return _found(404, code=10008)
        self.heads[id] = embeds[0]["title"]
        return _found(200, id=id)


class Telegram(Chat):
    """Telegram: `editMessageText`. A message that is the same already is refused."""

    kind, reference, limit, least = "telegram", "messageId", "telegram", "CRITICAL"

    def config(self, address: str) -> dict[str, Any]:
        return {"server": address, "token": f"123456:{'t' * 35}", "chatId": "-1001"}

    def answer(self, request: Request) -> Answer:
        fields = request.json
        head = fields["text"].partition("\n")[0].removeprefix("<b>").removesuffix("</b>")
        if request.path.endswith("/sendMessage"):
            return _found(200, ok=True, result={"message_id": int(self.post(head))})
        id = str(fields["message_id"])
        if id not in self.heads:
            return _found(400, ok=False, description="Bad Request: message to edit not found")
        if self.heads[id] == head:
            return _found(400, ok=False, description="Bad Request: message is not modified")
        self.heads[id] = head
        return _found(200, ok=True, result={"message_id": int(id)})


class Matrix(Chat):
    """Matrix: an event with `m.replace`. A repeated transaction gives the event of the first call."""

    kind, reference, limit = "matrix", "eventId", "matrix"

    def config(self, address: str) -> dict[str, Any]:
        return {"server": address, "token": "syt_secret", "roomId": "!abc:example.org"}

    def answer(self, request: Request) -> Answer:
        event, id = request.json, f"${unquote(request.path.rpartition('/')[2])}"
        relation = event.get("m.relates_to", {})
        if relation.get("rel_type") == "m.replace":
            if id not in self.heads:
                self.post("an edit", id)
                self.heads[relation["event_id"]] = event["m.new_content"]["body"].partition("\n")[0]
        elif id not in self.heads:
            self.post(event["body"].partition("\n")[0], id)
        return _found(200, event_id=id)


CHATS = (Slack, Mattermost, Discord, Telegram, Matrix)
