"""Reads the alerts of the Alertmanager API v2, as Prometheus pushes them (specification 19.10)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values import times
from inbox.domain.values.refusals import Fault
from inbox.intake import event
from inbox.intake.base import FEWER_ITEMS, ITEMS_OF_STEP, Event, Node
from inbox.intake.tools import alertmanager
from inbox.runtime import work_budget

_OFFSET, _PRIME, _MASK = 0xCBF29CE484222325, 0x100000001B3, 0xFFFFFFFFFFFFFFFF
_SEPARATOR = b"\xff"

TIME = TimeMeaning.BEGINNING

LONGEST_LABELS = 32_768
"""The maximum number of label bytes for which the Alertmanager fingerprint is computed, one Python step per byte."""


@dataclass(frozen=True, slots=True)
class Alert:
    """The event of an alert and its end, if it names one. It fires unless it `has_ended`."""

    event: Event
    ends_at: datetime | None
    has_ended: bool

    @property
    def key(self) -> str:
        """Returns the dedup key of the alert."""
        return str(self.event["dedupKey"])

    def event_after(self, expired_at: datetime | None) -> Event:
        """Returns the event of an alert that expired at this time.

        An alert that keeps firing is no duplicate of its first event.
        """
        starts_at = times.parse(str(self.event.get("occurredAt", "")))
        if expired_at is None or self.has_ended or starts_at is None or starts_at > expired_at:
            return self.event
        return {**self.event, "occurredAt": expired_at.isoformat()}


@dataclass(frozen=True, slots=True)
class Pushed:
    """The alerts of a request, and the faults of those that cannot be read."""

    alerts: list[Alert]
    faults: list[Fault]


def read(document: Iterable[object], now: datetime) -> Pushed:
    """Returns the alerts of a request."""
    result = Pushed([], [])
    for index, value in enumerate(document):
        if index % ITEMS_OF_STEP == 0:
            work_budget.spend(FEWER_ITEMS)
        alert = Node(value, f"/{index}")
        labels = _labels(alert)
        if labels is None:
            result.faults.append(Fault(f"{alert.pointer}/labels", "at least one label pair required, as texts"))
        else:
            result.alerts.append(_alert(alert, labels, now))
    return result


def fingerprint(labels: Mapping[str, str]) -> str:
    """Returns the fingerprint of Alertmanager: FNV-1a of 64 bits over the labels sorted by name, in hex.

    Labels longer than any real ones get another digest.
    """
    text = b"".join(_bytes(part) + _SEPARATOR for name in sorted(labels) for part in (name, labels[name]))
    if len(text) > LONGEST_LABELS:
        return hashlib.blake2b(text, digest_size=8).hexdigest()
    found = _OFFSET
    for byte in text:
        found = (found ^ byte) * _PRIME & _MASK
    return f"{found:016x}"


def _labels(alert: Node) -> dict[str, str] | None:
    """Returns the labels that are not empty; None if there is none, or if a value is no text."""
    sent = alert.at("labels").value
    if not isinstance(sent, Mapping) or not all(isinstance(value, str) for value in sent.values()):
        return None
    return {str(name): value for name, value in sent.items() if value} or None


def _alert(alert: Node, labels: Mapping[str, str], now: datetime) -> Alert:
    ends_at = times.parse(event.time(alert.text("endsAt")) or "")
    has_ended = ends_at is not None and ends_at <= now
    labelled = Node({**alert.value, "labels": labels, "status": "resolved" if has_ended else "firing"}, alert.pointer)
    mark = fingerprint(labels)
    made = alertmanager.of_alert(labelled, f"alertmanager:{mark}") | {"externalId": mark}
    return Alert(made, ends_at, has_ended)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
