"""Validation of a request body, and the identities by which repeats of requests and events are detected.

`accept` returns events ready to be stored, or refuses them and names every bad field. Specification 4.1 and 4.8.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from inbox.domain.events.field_names import NAMES
from inbox.domain.events.fields import Action, EventFields, EventWarning, WarningCode
from inbox.domain.events.time_meaning import MAX_AGES, TimeMeaning
from inbox.domain.values.jsonbody import MAX_BATCH_NODES, check_tree
from inbox.domain.values.refusals import BadRequest, Fault, ValidationFailed
from inbox.domain.values.severity import Severity

BATCH_LIMIT = 100
FIELDS = NAMES

IDEMPOTENCY_WINDOW = timedelta(hours=48)
"""The period for which identities of requests and events are stored; the specification requires 24 hours at least."""

_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,255}")


class EventFlag(StrEnum):
    """A property of an event as received."""

    CLOCK_SKEW = "clock_skew"
    """`occurredAt` was too far from the time of receipt."""

    LATE = "late"
    """It arrived after a later report of its alert, so it changed nothing."""

    TEST = "test"
    """A person sent it to test the source."""


_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), check_circular=False).encode


@dataclass(slots=True)
class NewEvent:
    """An accepted event as it will be stored: validated, redacted, truncated."""

    title: str
    severity: Severity
    action: Action
    type: str | None
    resource: str | None
    dedup_key: str | None
    body: str | None
    tags: list[str]
    url: str | None
    occurred_at: datetime
    occurred_at_sent: str | None
    """The same text for all spellings of the sent time, before any correction; None if none was sent."""
    external_id: str | None
    idempotency_key: str | None
    metadata: dict[str, Any] | None
    flags: list[str]
    warnings: list[EventWarning]
    pointer: str
    """The JSON pointer of the event in the body: `/events/3`, empty for a single event."""
    content_digest: bytes | None
    """SHA-256 of the whole sent event, to detect other content under the same key; None without a key."""
    group_fingerprint: str | None = None
    """The fingerprint of the group in which the sender reports the alert, if its source has an incident for each."""

    @property
    def recovers(self) -> bool:
        """Returns whether the event closes incidents. Severity SUCCESS does so with any action.

        Specification 6.8.
        """
        return self.action is Action.RESOLVE or self.severity is Severity.SUCCESS

    @property
    def may_overtake(self) -> bool:
        """Returns whether the event may be routed before waiting events of other alerts. Its dedup key tells them apart.

        Specification 1.4.
        """
        is_apart = bool(self.dedup_key) and self.group_fingerprint is None
        return is_apart and self.severity is Severity.CRITICAL and not self.recovers


class _Defaults(NamedTuple):
    """The values of a request that its events are read with."""

    received_at: datetime
    severity: Severity
    max_age: timedelta


def accept(
    body: object,
    *,
    received_at: datetime,
    default_severity: Severity = Severity.INFO,
    time: TimeMeaning | None = None,
) -> list[NewEvent]:
    """Returns all events of a parsed body in their order: one event, or a batch of 1 to 100.

    Raises `BadRequest` if the body is not an object of the expected shape. Raises `ValidationFailed` with one fault for
    each bad field; a batch is accepted completely or not at all. `default_severity` is the source's. `time` is the
    meaning of `occurredAt` in the format of another tool.
    """
    check_tree(body, max_nodes=MAX_BATCH_NODES)
    if not isinstance(body, dict):
        raise BadRequest("The body must be a JSON object: one event, or a batch in `events`.")
    faults: list[Fault] = []
    defaults = _Defaults(received_at, default_severity, MAX_AGES[time])
    if body.get("events") is None:
        accepted = [_read(body, "", defaults, faults)]
    else:
        items = _batch(body, faults)
        accepted = [
            _read(item, f"/events/{index}", defaults, faults)
            for index, item in enumerate(items)
            if _is_object(item, index, faults)
        ]
    if faults:
        raise ValidationFailed("One or more fields are invalid; nothing was stored.", errors=faults)
    return accepted


def _batch(body: Mapping[str, Any], faults: list[Fault]) -> list[Any]:
    faults += [Fault(f"/{name}", "cannot be combined with events") for name in FIELDS if body.get(name) is not None]
    items = body["events"]
    if type(items) is not list:
        faults.append(Fault("/events", "must be an array of event objects"))
        return []
    if not 1 <= len(items) <= BATCH_LIMIT:
        faults.append(Fault("/events", f"must hold 1 to {BATCH_LIMIT} events"))
        return []
    return items


def _is_object(item: object, index: int, faults: list[Fault]) -> bool:
    if type(item) is dict:
        return True
    faults.append(Fault(f"/events/{index}", "must be an event object"))
    return False


def _read(raw: Mapping[str, Any], pointer: str, defaults: _Defaults, faults: list[Fault]) -> NewEvent:
    fields = EventFields(raw, pointer, faults)
    fields.check_names()
    moment = fields.occurred_at(defaults.received_at, defaults.max_age)
    idempotency_key = fields.identity("idempotencyKey")
    return NewEvent(
        title=fields.title(),
        severity=fields.severity(defaults.severity),
        action=fields.action(),
        type=fields.type(),
        resource=fields.resource(),
        dedup_key=fields.identity("dedupKey"),
        body=fields.body(),
        tags=fields.tags(),
        url=fields.url(),
        occurred_at=moment.at,
        occurred_at_sent=moment.normalized,
        external_id=fields.identity("externalId"),
        idempotency_key=idempotency_key,
        metadata=fields.metadata(),
        flags=[str(EventFlag.CLOCK_SKEW)] if moment.skewed else [],
        warnings=fields.warnings,
        pointer=pointer,
        content_digest=_content_digest(raw) if idempotency_key else None,
    )


def _content_digest(raw: Mapping[str, Any]) -> bytes:
    content = {name: raw[name] for name in FIELDS if raw.get(name) is not None}
    return hashlib.sha256(_canonical(content).encode()).digest()


class IdentityKind(StrEnum):
    """The kind of an event's identity."""

    KEY = "key"
    OCCURRENCE = "occurrence"


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of an event. Within one source, events with the same kind and digest (32 bytes) are duplicates.

    `content_digest` (kind `key` only): another digest under the same key is a mismatch, not a duplicate. An occurrence of
    a higher `rank` than the stored one is a new event.
    """

    kind: IdentityKind
    digest: bytes
    content_digest: bytes | None
    rank: int = 0


def identity(
    event: NewEvent, fingerprint: str, *, request_has_key: bool = False, time: TimeMeaning | None = None
) -> Identity | None:
    """Returns the event's idempotency key, or its fingerprint and sent time unless its request had an `Idempotency-Key`.

    An alert and its recovery are two occurrences even in the same second. With the `time` of another tool, severity,
    title and body also belong to the identity. None if the event has no identity; it is then stored each time.
    """
    if event.idempotency_key:
        return Identity(IdentityKind.KEY, _digest(event.idempotency_key), event.content_digest)
    if event.occurred_at_sent is None or request_has_key:
        return None
    end = "recovery" if event.recovers else "alarm"
    text = f"{fingerprint} {end} {event.occurred_at_sent}"
    if time is not None:
        text = f"{text} {event.severity} {len(event.title)} {event.title} {event.body}"
    return Identity(IdentityKind.OCCURRENCE, _digest(text), None, event.severity.rank)


def well_formed_idempotency_key(header: str) -> bool:
    """Returns whether an `Idempotency-Key` header is 1 to 255 visible ASCII characters."""
    return _IDEMPOTENCY_KEY.fullmatch(header) is not None


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


__all__ = ["BATCH_LIMIT", "FIELDS", "Action", "EventFlag", "EventWarning", "NewEvent", "WarningCode", "accept"]
