"""Destinations with digests, and the messages at their receivers."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from inbox.destinations import Config
from inbox.flow.delivery.deliver import deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW
from tests.flow.plans import MINUTE
from tests.stand_ins.outgoing_posts import store_destination
from tests.stand_ins.receivers import Receiver

HOURLY = {"every": "hour"}
FULL_HOUR = NOW + 60 * MINUTE


def make_gotify(workspace: Workspace, receiver: Receiver, **more: Any) -> Destination:
    """A destination of a kind with digests and without a pace. Its messages have no reference."""
    config = Config({"server": _origin(receiver)}, {"token": "AXXXXXXXXXXXXXX"})
    return store_destination(workspace, "gotify", config, **{"created_at": NOW, **more})


def make_discord(workspace: Workspace, receiver: Receiver, **more: Any) -> Destination:
    """A destination of a kind that keeps the message of an incident in its latest state."""
    url = f"{_origin(receiver)}/api/webhooks/1180000000000000000/secret"
    return store_destination(workspace, "discord", Config({}, {"url": url}), **{"created_at": NOW, **more})


def _origin(receiver: Receiver) -> str:
    return f"http://127.0.0.1:{receiver.port}"


def deliver_at(minutes: float) -> None:
    at = NOW + minutes * MINUTE
    deliver(lambda: at)


def messages(receiver: Receiver) -> list[str]:
    """The titles of the messages that Gotify got, without their symbols."""
    return [request.json["title"].split(" ", 1)[1] for request in receiver.requests]


def lines(receiver: Receiver, number: int = -1) -> list[str]:
    """The lines of a digest that Gotify got: status, title and note of each incident."""
    text = receiver.requests[number].json["message"]
    found = re.findall(r"^- \S+ (\w+) · \[(.*?)\]\(.*?\) \((.*?)\)$", text, re.MULTILINE)
    return [f"{status} {title} {note}".replace("\\", "") for status, title, note in found]


def of(destination: Destination) -> list[tuple[str, str, str | None]]:
    """Reason, status and cause of the deliveries of a destination, oldest first."""
    rows = Delivery.select().where(Delivery.destination_id == destination.id).order_by(Delivery.id)
    return [(row.reason, row.status, row.cause) for row in rows]


def due_of(destination: Destination) -> list[datetime | None]:
    rows = Delivery.select().where(Delivery.destination_id == destination.id).order_by(Delivery.id)
    return [row.due_at for row in rows]
