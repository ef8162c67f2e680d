"""The alerts of the Alertmanager API v2, as Prometheus itself pushes them (specification 19.10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from inbox.domain import times
from inbox.domain.refusals import Fault
from inbox.intake import event
from inbox.intake.base import Event, Node
from inbox.intake.tools import alertmanager

_OFFSET, _PRIME, _MASK = 0xCBF29CE484222325, 0x100000001B3, 0xFFFFFFFFFFFFFFFF
_SEPARATOR = b"\xff"


@dataclass(frozen=True, slots=True)
class Alert:
    """The event of an alert and its end, if it names one. It fires unless it `has_ended`."""

    event: Event
    ends_at: datetime | None
    has_ended: bool

    @property
    def key(self) -> str:
        """The dedup key of the alert."""
        return str(self.event["dedupKey"])

    def event_after(self, expired_at: datetime | None) -> Event:
        """The event of an alert that expired at this time. One that fires on is no duplicate of its first event."""
        starts_at = times.parse(str(self.event.get("occurredAt", "")))
        if expired_at is None or self.has_ended or starts_at is None or starts_at > expired_at:
            return self.event
        return {**self.event, "occurredAt": expired_at.isoformat()}


@dataclass(frozen=True, slots=True)
class Pushed:
    """The alerts of a request, and what is wrong with those that cannot be read."""

    alerts: list[Alert]
    faults: list[Fault]


def read(document: Iterable[object], now: datetime) -> Pushed:
    """The alerts of a request."""
    result = Pushed([], [])
    for index, value in enumerate(document):
        alert = Node(value, f"/{index}")
        labels = _labels(alert)
        if labels is None:
            result.faults.append(Fault(f"{alert.pointer}/labels", "at least one label pair required, as texts"))
        else:
            result.alerts.append(_alert(alert, labels, now))
    return result


def fingerprint(labels: Mapping[str, str]) -> str:
    """The fingerprint of Alertmanager: FNV-1a of 64 bits over the labels in the order of their names, in hex."""
    found = _OFFSET
    for name in sorted(labels):
        for byte in b"".join((_bytes(name), _SEPARATOR, _bytes(labels[name]), _SEPARATOR)):
            found = (found ^ byte) * _PRIME & _MASK
    return f"{found:016x}"


def _labels(alert: Node) -> dict[str, str] | None:
    """The labels that are not empty; None without one, or where a value is no text."""
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
