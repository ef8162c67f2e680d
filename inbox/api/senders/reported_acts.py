"""Acts and ends of senders whose effect a source chooses: found in the events of a request (specification 19.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from inbox.api.http.connections import borrowed
from inbox.api.senders.refused_bodies import Sender
from inbox.flow.people import sender_acts
from inbox.flow.people.sender_acts import SentAct
from inbox.intake import event
from inbox.intake.base import Event
from inbox.models.events import sender_sources

STORED = "accepted"


def with_open_ends(sender: Sender, events: Sequence[Event]) -> Sequence[Event]:
    """Returns the events. Where the source says so, an end for want of data becomes a note on the incident."""
    if not any(map(event.is_end_without_data, events)):
        return events
    with borrowed():
        stay_open = sender_sources.keeps_open_without_data(sender.source_id)
    return [event.kept_open(each) if stay_open and event.is_end_without_data(each) else each for each in events]


def apply(sender: Sender, events: Sequence[Event], receipts: Sequence[Mapping[str, Any]]) -> None:
    """Writes the acts that stored events report on the incidents of their alerts, and the reasons of ends."""
    found = [_sent(each, receipt) for each, receipt in zip(events, receipts, strict=True) if _is_told(each, receipt)]
    if found:
        with borrowed():
            sender_acts.apply(sender.source_id, found, datetime.now(UTC))


def _is_told(made: Event, receipt: Mapping[str, Any]) -> bool:
    return receipt["status"] == STORED and (event.is_act(made) or bool(event.reason_of_end(made)))


def _sent(made: Event, receipt: Mapping[str, Any]) -> SentAct:
    text = event.joined((str(made.get("title") or ""), str(made.get("body") or "")), "\n")
    if not event.is_act(made):
        return SentAct(receipt["id"], sender_acts.ENDED, made["dedupKey"], "", text)
    metadata = made["metadata"]
    return SentAct(receipt["id"], metadata["act"], metadata["dedupKey"], str(metadata.get("by") or ""), text)
