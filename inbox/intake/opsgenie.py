"""Reads the format of the Opsgenie Alert API: alerts and acts of senders become events (specification 19.11)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inbox.domain.events.fields import TITLE_LIMIT
from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.refusals import Fault
from inbox.domain.values.severity import Severity
from inbox.domain.values.text import one_line
from inbox.intake import event, state_words
from inbox.intake.base import Event, Node, WrongPayload
from inbox.intake.event import SenderAct

TIME = TimeMeaning.NONE
PREFIX = "og:"
CREATE = "Create"
CLOSE, SNOOZE, NOTES = "close", "snooze", "notes"
ACTS: Mapping[str, str] = {
    CLOSE: "closed",
    "acknowledge": "acknowledged",
    "unacknowledge": "un-acknowledged",
    SNOOZE: "snoozed",
    NOTES: "given a note",
    "tags": "given tags",
    "details": "given details",
    "responders": "given a responder",
    "teams": "given a team",
    "assign": "assigned",
    "escalate": "escalated",
}
"""The acts on an alert, each with the text of its entry on the timeline. `close` ends the alert."""

KINDS = {"acknowledge": SenderAct.ACKNOWLEDGE, "unacknowledge": SenderAct.UNACKNOWLEDGE}
"""The acts that change the state of an incident whose source allows that. All others are notes."""

CHANGES: Mapping[str, str] = {
    "message": "given another message",
    "description": "given another description",
    "priority": "given another priority",
}
"""The changes of an alert, which are notes."""

_REQUIRED: Mapping[str, str] = {SNOOZE: "endTime", NOTES: "note"}
_TEXTS = ("note", "user", "source", "endTime", "message", "description", "priority")


def create(document: object, new_alias: str) -> Event:
    """Returns the event of a new alert. Raises `WrongPayload`.

    `new_alias` is the alias of an alert without one.
    """
    sent = _object(document)
    message = sent.text("message")
    if not message:
        raise WrongPayload([Fault("/message", "Message can not be empty.")])
    alias = sent.text("alias") or new_alias
    source = sent.text("source")
    return event.trigger(
        state_words.without_state(message),
        f"{PREFIX}{alias}",
        event.severity(sent.text("priority"), Severity.WARNING),
        body=event.joined((message if len(one_line(message)) > TITLE_LIMIT else "", sent.text("description")), "\n"),
        type="alert",
        resource=sent.text("entity"),
        tags=event.tags(*(tag.text() for tag in sent.elements("tags"))),
        url=source if source.startswith(("https://", "http://")) else "",
        metadata=_metadata(sent, CREATE, alias),
    )


def act(name: str, document: object, alias: str, key: str) -> Event:
    """Returns the event of an act on the alert with this key: its end or a log entry. Raises `WrongPayload`."""
    sent = _object(document)
    required = _REQUIRED.get(name)
    if required is not None and not sent.text(required):
        raise WrongPayload([Fault(f"/{required}", f"{required} can not be empty.")])
    metadata = {"request": name.capitalize(), "alias": alias} | {each: sent.text(each) for each in _TEXTS}
    metadata = {each: text for each, text in metadata.items() if text}
    if name == CLOSE:
        return event.resolve("The alert was closed", key, body=sent.text("note"), type="alert", metadata=metadata)
    return event.act(
        KINDS.get(name, SenderAct.NOTE),
        f"The alert was {ACTS.get(name) or CHANGES[name]} by the sender",
        key,
        by=sent.text("user"),
        words=sent.first("note", name),
        type="alert",
        metadata=metadata,
    )


def _object(document: object) -> Node:
    if not isinstance(document, Mapping):
        raise WrongPayload([Fault("", "must be a JSON object")])
    return Node(document)


def _metadata(sent: Node, request: str, alias: str) -> dict[str, Any]:
    found: dict[str, Any] = {"request": request, "alias": alias}
    found |= {name: sent.text(name) for name in ("source", "user", "note")}
    found |= {name: sent.at(name).value for name in ("details", "responders", "actions")}
    return {name: value for name, value in found.items() if value}
