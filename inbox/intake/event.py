"""Creates events from the texts of a tool, cut and checked so that each is valid (specification 19.6)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import orjson

from inbox.domain.events.fields import IDENTITY_LIMIT, TITLE_LIMIT
from inbox.domain.values import jsonbody, times
from inbox.domain.values.measures import replace_measures
from inbox.domain.values.redaction import redact
from inbox.domain.values.refusals import Refusal
from inbox.domain.values.severity import Severity
from inbox.domain.values.text import one_line
from inbox.intake.base import Event


class SenderAct(StrEnum):
    """What somebody did in a tool with the alert of a key. `flow.people.sender_acts` writes it on the incident."""

    ACKNOWLEDGE = "acknowledge"
    """Somebody works on it. The source chooses whether this acknowledges the incident."""

    UNACKNOWLEDGE = "unacknowledge"
    """Nobody works on it any more."""

    NOTE = "note"
    """Everything else, such as a comment, a downtime or an end that the source does not count."""


MISSING_DATA = ("MissingSeries", "NoData", "Error")
"""Reasons of an end that only mean that data is missing, in the words of Grafana."""

_ACTS = frozenset(SenderAct)
_WORDS: Mapping[Severity, str] = {
    Severity.CRITICAL: "critical crit fatal emergency emerg disaster page p1 s1 sev0 sev1",
    Severity.ERROR: "error err high major p2 s2 sev2",
    Severity.WARNING: "warning warn average medium moderate minor p3 s3 alert",
    Severity.INFO: "info informational information notice low p4 p5 s4 s5 sev3 sev4",
    Severity.DEBUG: "debug trace none",
    Severity.SUCCESS: "ok normal cleared clear resolved success",
}
_SEVERITIES = {word: severity for severity, words in _WORDS.items() for word in words.split()}

_TEST = re.compile(
    r"(?:this is an? )?(?:sample|test|testing)[ _-]?(?:alert|incident|message|notification)?[.!]?$", re.IGNORECASE
)
_ZONELESS = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d{1,9})?( UTC)?", re.ASCII)
_LATEST_EPOCH = 253_402_300_799


def severity(word: str, default: Severity = Severity.WARNING) -> Severity:
    """Returns the severity of a tool's word, or the default for an unknown word, so that it pages nobody."""
    return _SEVERITIES.get(word.strip().lower(), default)


def trigger(title: str, key: str, level: Severity, **more: object) -> Event:
    """Returns an event that opens or repeats the incident of `key`."""
    return _event(title, level, more, dedupKey=bounded(key))


def resolve(title: str, key: str, **more: object) -> Event:
    """Returns an event that closes the incident of `key`."""
    return _event(title, Severity.SUCCESS, more, action="resolve", dedupKey=bounded(key))


def either(recovers: bool, title: str, key: str, level: Severity, **more: object) -> Event:
    """Returns `resolve` when the alert has ended, else `trigger`."""
    return resolve(title, key, **more) if recovers else trigger(title, key, level, **more)


def log(title: str, **more: object) -> Event:
    """Returns an event of severity INFO that belongs to no incident."""
    return _event(title, Severity.INFO, more)


def act(kind: SenderAct, title: str, key: str, *, by: str = "", words: str = "", **more: object) -> Event:
    """Returns an event of severity INFO about an act of the sender on the alert of `key`, with the words of the person."""
    found = {"act": str(kind), "dedupKey": bounded(key), "by": by, "words": words}
    metadata = {name: text for name, text in found.items() if text}
    sent = more.pop("metadata", None)
    body = joined((joined((by, words), ": ") if words else "", str(more.pop("body", None) or "")), "\n")
    return log(title, body=body, metadata={**(sent if isinstance(sent, dict) else {}), **metadata}, **more)


def is_act(made: Event) -> bool:
    """Returns whether an event reports an act on an alert."""
    named = [_metadata_of(made).get(name) for name in ("act", "dedupKey")]
    return all(isinstance(each, str) and each for each in named) and named[0] in _ACTS


def reason_of_end(made: Event) -> str:
    """Returns why an alert has ended (`metadata.endReason`); empty for every other event and without a reason."""
    reason = _metadata_of(made).get("endReason") if made.get("action") == "resolve" and made.get("dedupKey") else None
    return reason if isinstance(reason, str) else ""


def _metadata_of(made: Event) -> dict[str, Any]:
    """Returns the metadata of an event. A mapping of any JSON may give other values."""
    metadata = made.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def is_end_without_data(made: Event) -> bool:
    """Returns whether the end of an alert only says that data is missing."""
    return reason_of_end(made) in MISSING_DATA


def kept_open(ended: Event) -> Event:
    """Returns the note that takes the place of an end for want of data."""
    title = f"{ended['title']}: the sender has no data any more"
    more = {
        name: ended[name]
        for name in ("body", "type", "resource", "tags", "url", "occurredAt", "metadata")
        if name in ended
    }
    return act(SenderAct.NOTE, title, ended["dedupKey"], **more)


def bounded(key: str) -> str:
    """Returns a key of at most 255 characters: a longer one becomes its beginning and a digest."""
    key = key.replace("\x00", "")
    if len(key) <= IDENTITY_LIMIT:
        return key
    digest = hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:32]
    return f"{key[: IDENTITY_LIMIT - 33]}:{digest}"


def key_of_title(title: str) -> str:
    """Returns the part of a key that is equal in all titles about the same subject: measures change, and names stay.

    Removes secrets, because a key is stored unchanged.
    """
    return replace_measures(redact(title)[:TITLE_LIMIT])


def tags(*texts: str) -> list[str]:
    """Returns the texts that are not blank, without duplicates."""
    return list(dict.fromkeys(text for text in texts if text.strip()))


def labels(**named: str) -> list[str]:
    """Returns a tag `name:value` for each value that is not blank."""
    return tags(*(f"{name}:{value}" for name, value in named.items() if value.strip()))


def is_test(text: str) -> bool:
    """Returns whether a text is one that test buttons send, such as `Test alert`."""
    return _TEST.match(text.strip()) is not None


def joined(parts: Iterable[str], by: str = " ") -> str:
    """Joins the parts that are not empty."""
    return by.join(part for part in parts if part)


def inner_json(text: str) -> Any:
    """Returns the JSON object that a text contains; None for every other text."""
    if not text.startswith("{"):
        return None
    try:
        return jsonbody.check_tree(orjson.loads(text))
    except (orjson.JSONDecodeError, Refusal):
        return None


def time(text: str) -> str | None:
    """Returns a time in RFC 3339. Without an offset the time is UTC.

    Returns None for everything else, and for the year 1.
    """
    if text.startswith("0001-"):
        return None
    if not text.endswith("Z") and _ZONELESS.fullmatch(text):
        text = text.removesuffix(" UTC").replace(" ", "T") + "Z"
    return text if times.is_rfc3339(text) else None


def epoch(text: str, *, per_second: int = 1) -> str | None:
    """Returns a Unix time, in seconds or parts of a second, in RFC 3339; None for everything else."""
    try:
        seconds = float(text) / per_second
    except (ValueError, OverflowError):
        return None
    return times.rfc3339(datetime.fromtimestamp(seconds, UTC)) if 0 < seconds < _LATEST_EPOCH else None


def _event(title: str, level: Severity, more: Mapping[str, object], **fixed: str) -> Event:
    made: Event = {"title": one_line(title.replace("\x00", "")) or "Alert", "severity": str(level), **fixed}
    for name, value in more.items():
        if value:
            made[name] = value
    for name in ("externalId", "idempotencyKey"):
        if name in made:
            made[name] = bounded(made[name])
    return made
