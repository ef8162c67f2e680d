"""The alerts of the Alertmanager API v2, as Prometheus itself pushes them (specification 19.10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from inbox.domain import times
from inbox.domain.refusals import Fault
from inbox.intake import event
from inbox.intake.base import Event, Node, Result
from inbox.intake.tools import alertmanager

_OFFSET, _PRIME, _MASK = 0xCBF29CE484222325, 0x100000001B3, 0xFFFFFFFFFFFFFFFF
_SEPARATOR = b"\xff"


def read(document: Iterable[object], now: datetime) -> Result:
    """The events of the alerts, and what is wrong with those that give none."""
    result = Result([], [])
    for index, value in enumerate(document):
        alert = Node(value, f"/{index}")
        labels = _labels(alert)
        if labels is None:
            result.faults.append(Fault(f"{alert.pointer}/labels", "at least one label pair required, as texts"))
        else:
            result.events.append(_event(alert, labels, now))
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


def _event(alert: Node, labels: Mapping[str, str], now: datetime) -> Event:
    ends_at = times.parse(event.time(alert.text("endsAt")) or "")
    has_ended = ends_at is not None and ends_at <= now
    labelled = Node({**alert.value, "labels": labels, "status": "resolved" if has_ended else "firing"}, alert.pointer)
    mark = fingerprint(labels)
    return alertmanager.of_alert(labelled, f"alertmanager:{mark}") | {"externalId": mark}


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
