"""A chat with the pace of Telegram, storms for it, and the messages that it got."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from inbox.destinations import Config
from inbox.flow.delivery.deliver import deliver
from inbox.flow.routing.route import route
from inbox.models.deliveries.destinations import Destination
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW
from tests.flow.routing_fixtures import accept
from tests.stand_ins.outgoing_posts import store_destination
from tests.stand_ins.receivers import Answer, Receiver

SECOND = timedelta(seconds=1)
PACE = 3
ACCEPTED = Answer(200, b'{"ok": true, "result": {"message_id": 7}}', {"Content-Type": "application/json"})


def make_telegram(workspace: Workspace, receiver: Receiver, **more: Any) -> Destination:
    """A chat that takes a message every three seconds."""
    receiver.answer = ACCEPTED
    public = {"chatId": "-1001", "server": f"http://127.0.0.1:{receiver.port}"}
    config = Config(public, {"token": "123456:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
    return store_destination(workspace, "telegram", config, **{"created_at": NOW, **more})


def at(seconds: float) -> datetime:
    """The time so many seconds after the beginning of the test."""
    return NOW + seconds * SECOND


def send(source: Source, keys: Iterable[object], seconds: float = 0, **fields: Any) -> None:
    """Accept an event for each key, and route all of them together."""
    for key in keys:
        accept(source, at(seconds), **{"key": str(key), "title": f"Alarm {key}", "severity": "WARNING", **fields})
    route(lambda: at(seconds))


def run(first: float, last: float, step: float = PACE) -> None:
    """Deliver what is due at each message's time in between, the last included."""
    seconds = first
    while seconds <= last:
        moment = at(seconds)
        deliver(lambda moment=moment: moment)  # type: ignore[misc]
        seconds += step


def texts(receiver: Receiver) -> list[str]:
    """The texts of the messages without markup."""
    return [re.sub(r"<[^>]*>", "", request.json["text"]) for request in receiver.requests]


def heads(receiver: Receiver) -> list[str]:
    """The first line of each message without its symbol."""
    return [text.partition("\n")[0].partition(" ")[2] for text in texts(receiver)]
