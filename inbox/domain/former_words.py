"""Words that stored rows may still have, from versions before they were renamed (decision 0042)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

CAUSES: Mapping[object, str] = MappingProxyType({"sent_to": "notify", "not_told": "never_notified"})
"""Of the decisions of a notice."""

FALLBACK_REASONS: Mapping[object, str] = MappingProxyType({"given_up": "retries_exhausted", "unheard": "undelivered"})
"""Of the decisions of a `fallback`, and of its entry in the timeline."""

DELIVERY_CAUSES: Mapping[object, str] = MappingProxyType({"over": "resolved_meanwhile"})
"""Of deliveries."""

DISPOSITIONS: Mapping[object, str] = MappingProxyType({"suppressed": "waiting"})
"""Of events, and of the records of their routing."""

TIMELINE_KINDS: Mapping[object, str] = MappingProxyType({"calmed": "flapping_ended", "hold_ended": "delay_ended"})
"""Of entries of a timeline."""


def disposition(stored: str) -> str:
    """The disposition of an event, in the words of today."""
    return DISPOSITIONS.get(stored, stored)


def delivery_cause(stored: str | None) -> str | None:
    """The cause of a delivery, in the words of today."""
    return DELIVERY_CAUSES.get(stored, stored)


def routing(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record of how an event was routed, in the words of today."""
    renamed = dict(record)
    if renamed.get("disposition") in DISPOSITIONS:
        renamed["disposition"] = disposition(renamed["disposition"])
    if any("fault" in rule for rule in renamed.get("rules") or ()):
        renamed["rules"] = [_renamed(rule, "fault", "error") for rule in renamed["rules"]]
    return renamed


def timeline(kind: str, details: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The kind and the details of an entry of a timeline, in the words of today."""
    return TIMELINE_KINDS.get(kind, kind), _of_fallback(details)


def decision(record: Mapping[str, Any]) -> dict[str, Any]:
    """The decision of a notice for one destination, in the words of today."""
    renamed = _of_fallback(record)
    renamed["decision"] = CAUSES.get(renamed["decision"], renamed["decision"])
    return renamed


def _of_fallback(record: Mapping[str, Any]) -> dict[str, Any]:
    renamed = _renamed(record, "because", "fallbackReason")
    if "fallbackReason" in renamed:
        renamed["fallbackReason"] = FALLBACK_REASONS.get(renamed["fallbackReason"], renamed["fallbackReason"])
    return renamed


def _renamed(record: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if name == old else name: value for name, value in record.items()}
