"""Reads CloudEvents 1.0 over HTTP in structured, batched and binary mode (specification 19.12)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import FEWER_ITEMS, ITEMS_OF_STEP, Event, Node, OddItem, Result
from inbox.runtime import work_budget

STRUCTURED, BATCHED = "application/cloudevents", "application/cloudevents-batch"
PREFIX = "ce-"
TIME = TimeMeaning.MOMENT
SPEC_VERSION = "1.0"

_REQUIRED = ("id", "source", "specversion", "type")
_OWN = frozenset({*_REQUIRED, "time", "subject", "data", "data_base64", "severity", "action", "dedupkey"})
"""The attributes that have a field of the event. All others become metadata."""


@dataclass(slots=True)
class CloudResult(Result):
    """The events, and the pointer of the CloudEvent of each."""

    pointers: list[str] = field(default_factory=list)


def read(documents: list[Node]) -> CloudResult:
    """Returns the events of these CloudEvents, and the faults of those that give none."""
    result = CloudResult([], [])
    for index, document in enumerate(documents):
        if index % ITEMS_OF_STEP == 0:
            work_budget.spend(FEWER_ITEMS)
        try:
            result.events.append(_event(document))
            result.pointers.append(document.pointer)
        except OddItem as odd:
            result.faults.append(odd.fault)
    return result


def documents(body: object, *, batched: bool) -> list[Node]:
    """Returns the CloudEvents of a structured body or a batch. Raises `OddItem` for a batch that is no array."""
    if not batched:
        return [Node(body)]
    if not isinstance(body, list):
        raise OddItem("", "must be an array of CloudEvents")
    return [Node(each, f"/{index}") for index, each in enumerate(body)]


def of_headers(headers: Mapping[str, str], data: object) -> Node:
    """Returns the CloudEvent of binary content.

    Header names are in lower case. Raises `OddItem` for a wrong header.
    """
    attributes = {
        name.removeprefix(PREFIX): _header(name, value) for name, value in headers.items() if name.startswith(PREFIX)
    }
    if "content-type" in headers:
        attributes["datacontenttype"] = headers["content-type"]
    found: dict[str, Any] = dict(attributes)
    if isinstance(data, bytes):
        found["data_base64"] = base64.b64encode(data).decode()
    elif data is not None:
        found["data"] = data
    return Node(found)


def is_json(content_type: str) -> bool:
    """Returns whether data of this content type is JSON. Data without a content type is."""
    media = content_type.partition(";")[0].strip().lower()
    return not media or media.endswith(("/json", "+json"))


def is_text(content_type: str) -> bool:
    """Returns whether data of this content type is text."""
    return content_type.strip().lower().startswith("text/")


def _header(name: str, value: str) -> str:
    """Returns the value of a header, without surrounding quotes and percent-decoded once."""
    if len(value) > 1 and value[0] == value[-1] == '"':
        value = value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    try:
        return unquote(value, errors="strict")
    except UnicodeDecodeError:
        raise OddItem(f"/header/{name}", "is not UTF-8 after percent decoding") from None


def _event(sent: Node) -> Event:
    _check(sent)
    data, kind, subject = sent.at("data"), sent.text("type"), sent.text("subject")
    source, word = sent.text("source"), sent.text("severity") or data.text("severity")
    title = data.first("title", "summary", "message") or event.joined((kind, subject), ": ")
    key = sent.text("dedupkey") or data.text("dedupKey") or f"ce:{source}:{subject or kind}"
    ends = (sent.text("action") or data.text("action")).lower() == "resolve"
    made = event.either(
        ends,
        title,
        key,
        event.severity(word, Severity.WARNING),
        body=data.first("body", "description", "message") or data.text(),
        type=kind,
        resource=f"source:{source}",
        url=data.text("url"),
        occurredAt=event.time(sent.text("time")),
        externalId=sent.text("id"),
        idempotencyKey=f"{source} {sent.text('id')}",
        metadata=_metadata(sent),
    )
    return made if word or ends else {name: value for name, value in made.items() if name != "severity"}


def _check(sent: Node) -> None:
    if not isinstance(sent.value, Mapping):
        raise OddItem(sent.pointer, "must be a JSON object")
    for name in _REQUIRED:
        sent.require(name)
    if sent.text("specversion") != SPEC_VERSION:
        raise OddItem(f"{sent.pointer}/specversion", f"must be {SPEC_VERSION}")
    if sent.at("time").value is not None and event.time(sent.text("time")) is None:
        raise OddItem(f"{sent.pointer}/time", "must be a time of RFC 3339")
    encoded = sent.at("data_base64").value
    if encoded is not None and not _is_base64(encoded):
        raise OddItem(f"{sent.pointer}/data_base64", "must be a text in base64")


def _is_base64(value: object) -> bool:
    try:
        return isinstance(value, str) and base64.b64decode(value, validate=True) is not None
    except (binascii.Error, ValueError):
        return False


def _metadata(sent: Node) -> dict[str, Any]:
    """Returns the subject, all data that is no text, and all other attributes."""
    found = {name: value for name, value in sent.value.items() if name not in _OWN and value is not None}
    found["subject"] = sent.text("subject")
    data = sent.at("data").value
    found["data"] = data if isinstance(data, Mapping | list) else None
    found["dataBase64"] = sent.text("data_base64")
    return {name: value for name, value in found.items() if value}
