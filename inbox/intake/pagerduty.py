"""Reads the format of the PagerDuty Events API v2: alerts and changes become events (specification 19.9)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inbox.domain.events.fields import TITLE_LIMIT
from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.text import one_line
from inbox.intake import event, state_words
from inbox.intake.base import Event, Node
from inbox.intake.event import SenderAct

KEY_LIMIT = 255
"""The maximum length of a `dedup_key` in characters."""

TIME = TimeMeaning.BEGINNING
"""Senders repeat `payload.timestamp` in each update of an alert."""

TRIGGER, ACKNOWLEDGE, RESOLVE = "trigger", "acknowledge", "resolve"
ACTIONS = (TRIGGER, ACKNOWLEDGE, RESOLVE)

KUMA_TEST, GRAFANA_TEST = "Uptime Kuma/test", "TestAlert"
"""The `dedup_key` and the alert of test buttons."""

SENDERS = ("Alertmanager", "Grafana")
"""Values of `payload.source` that name the sender, not a host."""

_PORT = re.compile(r"(?<=[\w.\]]):\d{1,5}$")
_COMPACT_OFFSET = re.compile(r"([+-]\d\d)(\d\d)$", re.ASCII)


class InvalidEvent(Exception):
    """The request is no event of the format. `errors` are sentences with the field names of the format."""

    def __init__(self, errors: list[str]) -> None:
        super().__init__("; ".join(errors))
        self.errors = errors


@dataclass(frozen=True, slots=True)
class Alert:
    """The event of a request, and the `dedup_key` that the answer repeats."""

    event: Event
    dedup_key: str


def routing_key(document: object) -> str:
    """Returns the credential of the body; empty without one."""
    return Node(document).text("routing_key")


def alert(document: object, new_key: str) -> Alert:
    """Returns the event of `POST /v2/enqueue`. Raises `InvalidEvent`.

    `new_key` is the key of a trigger without one.
    """
    sent = _object(document)
    action, key = sent.text("event_action"), sent.text("dedup_key")
    errors = _faults(sent, action, key)
    if errors:
        raise InvalidEvent(errors)
    key = key or new_key
    title = state_words.without_state(sent.text("payload", "summary"))
    if action == ACKNOWLEDGE:
        return Alert(_acknowledged(sent, title or "The alert", key), key)
    if _is_test(sent, title, key):
        return Alert(event.log(title, **{**_described(sent), "type": "test"}), key)
    level = event.severity(sent.text("payload", "severity"))
    title = title or "The alert was resolved"
    return Alert(event.either(action == RESOLVE, title, f"pd:{key}", level, **_described(sent)), key)


def change(document: object) -> Event:
    """Returns the event of `POST /v2/change/enqueue`. Raises `InvalidEvent`."""
    sent = _object(document)
    summary = sent.text("payload", "summary")
    if not summary:
        raise InvalidEvent([_missing("payload.summary")])
    return event.log(summary, **{**_described(sent), "type": "change"})


def _faults(sent: Node, action: str, key: str) -> list[str]:
    errors = []
    if action not in ACTIONS:
        errors.append(f"'event_action' must be one of {', '.join(ACTIONS)}" if action else _missing("event_action"))
    if len(key) > KEY_LIMIT:
        errors.append(f"'dedup_key' is too long (maximum is {KEY_LIMIT} characters)")
    if action in (ACKNOWLEDGE, RESOLVE) and not key:
        errors.append(_missing("dedup_key"))
    if action == TRIGGER and not sent.text("payload", "summary"):
        errors.append(_missing("payload.summary"))
    return errors


def _missing(name: str) -> str:
    return f"'{name}' is missing or blank"


def _object(document: object) -> Node:
    if not isinstance(document, Mapping):
        raise InvalidEvent(["the event must be a JSON object"])
    return Node(document)


def _acknowledged(sent: Node, title: str, key: str) -> Event:
    return event.act(
        SenderAct.ACKNOWLEDGE,
        f"{title} was acknowledged by the sender",
        f"pd:{key}",
        words=sent.at("payload").text("custom_details"),
        type="acknowledgement",
        resource=_resource(sent),
    )


def _is_test(sent: Node, title: str, key: str) -> bool:
    """Returns whether a test button sent it: that of Uptime Kuma or of Grafana."""
    return key == KUMA_TEST or (sent.text("client") == "Grafana" and GRAFANA_TEST in title)


def _described(sent: Node) -> Event:
    payload = sent.at("payload")
    return {
        "body": _body(payload),
        "type": payload.text("class"),
        "resource": _resource(sent),
        "url": next(iter(_links(sent)), "") or sent.text("client_url"),
        "occurredAt": event.time(_COMPACT_OFFSET.sub(r"\1:\2", payload.text("timestamp"))),
        "metadata": _metadata(sent),
    }


def _resource(sent: Node) -> str:
    source = _PORT.sub("", sent.text("payload", "source"))
    return f"host:{source}" if source and source not in SENDERS else ""


def _body(payload: Node) -> str:
    """Returns the summary if the title cannot hold it, and the texts of the details, one per line."""
    summary, details = payload.text("summary"), payload.at("custom_details")
    lines = [summary] if len(one_line(summary)) > TITLE_LIMIT else []
    lines += [f"{name}: {text}" for name, text in payload.members("custom_details").items()] or [details.text()]
    return event.joined(lines, "\n")


def _links(sent: Node) -> list[str]:
    return [href for href in (link.text("href") for link in sent.elements("links")) if href]


def _metadata(sent: Node) -> dict[str, Any]:
    payload = sent.at("payload")
    found: dict[str, Any] = {name: payload.text(name) for name in ("component", "group")}
    found["client"] = sent.text("client")
    found["links"] = _links(sent)
    found["images"] = [src for src in (image.text("src") for image in sent.elements("images")) if src]
    details = payload.at("custom_details").value
    found["customDetails"] = details if isinstance(details, Mapping | list) else None
    return {name: value for name, value in found.items() if value}
