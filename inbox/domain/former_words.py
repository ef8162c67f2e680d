"""Translation of renamed values in rows that earlier versions stored (decision 0042)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

CAUSES: Mapping[object, str] = MappingProxyType({"sent_to": "notify", "not_told": "never_notified"})
"""Causes of a notice's decisions."""

FALLBACK_REASONS: Mapping[object, str] = MappingProxyType({"given_up": "retries_exhausted", "unheard": "undelivered"})
"""Reasons of a `fallback`, in decisions and in the timeline."""

DELIVERY_CAUSES: Mapping[object, str] = MappingProxyType({"over": "resolved_meanwhile"})
"""Causes of deliveries."""

DISPOSITIONS: Mapping[object, str] = MappingProxyType({"suppressed": "waiting"})
"""Dispositions of events and of their routing records."""

TIMELINE_KINDS: Mapping[object, str] = MappingProxyType({"calmed": "flapping_ended", "hold_ended": "delay_ended"})
"""Kinds of timeline entries."""


def disposition(stored: str) -> str:
    """The current name of an event's disposition."""
    return DISPOSITIONS.get(stored, stored)


def delivery_cause(stored: str | None) -> str | None:
    """The current name of a delivery's cause."""
    return DELIVERY_CAUSES.get(stored, stored)


def routing(record: Mapping[str, Any]) -> dict[str, Any]:
    """An event's routing record with the current names."""
    renamed = dict(record)
    if renamed.get("disposition") in DISPOSITIONS:
        renamed["disposition"] = disposition(renamed["disposition"])
    if any("fault" in rule for rule in renamed.get("rules") or ()):
        renamed["rules"] = [_renamed(rule, "fault", "error") for rule in renamed["rules"]]
    return renamed


def timeline(kind: str, details: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The kind and the details of a timeline entry with the current names."""
    return TIMELINE_KINDS.get(kind, kind), _rename_fallback(details)


def stored_timeline_kinds(kinds: Iterable[str]) -> list[str]:
    """These kinds, and the former names of them that rows may have."""
    chosen = list(kinds)
    return [*chosen, *(str(old) for old, new in TIMELINE_KINDS.items() if new in chosen)]


def decision(record: Mapping[str, Any]) -> dict[str, Any]:
    """A notice's decision for one destination with the current names."""
    renamed = _rename_fallback(record)
    renamed["decision"] = CAUSES.get(renamed["decision"], renamed["decision"])
    return renamed


def _rename_fallback(record: Mapping[str, Any]) -> dict[str, Any]:
    renamed = _renamed(record, "because", "fallbackReason")
    if "fallbackReason" in renamed:
        renamed["fallbackReason"] = FALLBACK_REASONS.get(renamed["fallbackReason"], renamed["fallbackReason"])
    return renamed


def _renamed(record: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if name == old else name: value for name, value in record.items()}
