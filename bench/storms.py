"""Storms: the messages and the waits at each kind with summaries, when many incidents open in ten minutes.

The times are virtual and nothing is called: deliveries are claimed and their results recorded, as a worker does.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID

import orjson

from bench.environment import BenchEnvironment
from bench.figures import Effort, Measurement
from inbox.database.base import db, new_id
from inbox.destinations import WITH_SUMMARIES
from inbox.domain.deliveries import notices, storms
from inbox.domain.deliveries.delivery import Receipt
from inbox.domain.explaining.notice_content import DIGEST
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values.severity import Severity
from inbox.flow.delivery.deliver import claim_due
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import AttemptOutcome
from inbox.models.deliveries import recipients as notice_recipients
from inbox.models.deliveries.claims import ClaimedDelivery
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.recipients import NewDelivery
from inbox.models.workspaces.tables import Workspace

SIZES = (300, 3_000, 30_000)
QUICK_KINDS = ("email", "telegram")
OPEN_SECONDS = 600
TAIL_SECONDS = 300
CRITICAL_AT = 300
"""The second at which one `CRITICAL` incident opens among the others."""

CRITICAL_TITLE = "Database down"
LIMIT_CRITICAL_SECONDS = 10.0
"""The longest time from the opening of the `CRITICAL` incident to its message."""


@dataclass(frozen=True)
class StormNotice:
    """The notice of an opening incident that is not stored."""

    id: UUID
    at: datetime
    workspace_id: UUID
    body: str
    urgency: int
    incident_id: None = None
    event_id: None = None
    seq: int = 0
    reason: str = Reason.OPENED
    decisions: str = "[]"


@dataclass(slots=True)
class Storm:
    """What one destination got: the seconds of its messages, of its summaries, and of the `CRITICAL` alert."""

    kind: str
    messages: list[float] = field(default_factory=list)
    summaries: list[float] = field(default_factory=list)
    critical_at: float | None = None
    told: int = 0


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures storms of 300, 3,000 and 30,000 incidents; the quick effort only the first, at two kinds."""
    sizes, kinds = (SIZES, sorted(WITH_SUMMARIES)) if effort.rounds > 1 else (SIZES[:1], QUICK_KINDS)
    with db.connection_context():
        workspace_id = Workspace.select(Workspace.id).limit(1).scalar()
        return [figure for incidents in sizes for figure in _figures(workspace_id, incidents, kinds)]


def _figures(workspace_id: UUID, incidents: int, kinds: Sequence[str]) -> Iterator[Measurement]:
    began = time.monotonic()
    found = simulated(workspace_id, incidents, kinds)
    seconds = time.monotonic() - began
    for storm in found:
        waited = float("inf") if storm.critical_at is None else storm.critical_at - CRITICAL_AT
        is_held = waited <= LIMIT_CRITICAL_SECONDS and storm.told == incidents
        notes = [f"{len(storm.summaries)} summaries", f"critical after {waited:.1f} s", f"{storm.told:,} told"]
        yield Measurement(
            name=f"{storm.kind}, {incidents:,} incidents",
            value=len(storm.messages),
            unit="messages",
            note=", ".join([*notes, *([] if is_held else ["NOT HELD"])]),
            more={"critical_seconds": waited, "told": storm.told, "seconds": seconds, "is_held": is_held},
        )


def simulated(workspace_id: UUID, incidents: int, kinds: Sequence[str], step: float = 1.0) -> list[Storm]:
    """Opens this many incidents in ten minutes, all to one destination of each kind, and returns what these got."""
    began = datetime.now(UTC)
    destination_ids = {_destination(workspace_id, kind, began): Storm(kind) for kind in kinds}
    opened, second = 0, 0.0
    while second <= OPEN_SECONDS + TAIL_SECONDS:
        now = began + timedelta(seconds=second)
        due = min(incidents, int(incidents * second / OPEN_SECONDS))
        _open(workspace_id, range(opened, due), incidents, list(destination_ids), now)
        opened = due
        for claimed, destination in claim_due(now, len(kinds), list(destination_ids)).calls:
            _note(destination_ids[destination.id], claimed, second)
            record_results([AttemptOutcome(claimed, destination.generation, Receipt(200), now)], now)
        second += step
    return list(destination_ids.values())


def _destination(workspace_id: UUID, kind: str, now: datetime) -> UUID:
    made = Destination.create(id=new_id(), workspace=workspace_id, name=f"Storm {kind}", kind=kind, created_at=now)
    return UUID(str(made.id))


def _open(workspace_id: UUID, numbers: range, incidents: int, destination_ids: Sequence[UUID], now: datetime) -> None:
    made = [_notice(workspace_id, number, incidents, now) for number in numbers]
    if made:
        deliveries = [NewDelivery(new_id(now), one, each, "pending", None) for one in made for each in destination_ids]
        with db.atomic():
            notice_recipients.insert(made, deliveries, now)


def _notice(workspace_id: UUID, number: int, incidents: int, now: datetime) -> StormNotice:
    is_critical = number == incidents * CRITICAL_AT // OPEN_SECONDS - 1
    severity = Severity.CRITICAL if is_critical else (Severity.WARNING, Severity.ERROR)[number % 2]
    data = {
        "title": CRITICAL_TITLE if is_critical else f"node-{number:05d} does not answer",
        "severity": severity, "state": "open", "sourceName": "Prometheus", "workspaceName": "Bench", "resource": "",
        "incidentId": f"inc_{number}", "url": "http://127.0.0.1/w/bench/incidents", "reason": Reason.OPENED,
    }  # fmt: skip
    body = {"type": "incident.opened", "timestamp": now.isoformat(), "data": data}
    urgency = storms.URGENCY[Reason.OPENED][severity]
    return StormNotice(new_id(now), now, workspace_id, notices.body_text(body), urgency)


def _note(storm: Storm, claimed: ClaimedDelivery, second: float) -> None:
    storm.messages.append(second)
    data = orjson.loads(claimed.body)["data"]
    if claimed.reason == DIGEST:
        storm.summaries.append(second)
        storm.told += data["notices"]
    else:
        storm.told += 1
    titles = [data["title"], *(item["title"] for item in data.get("items", ()))]
    if CRITICAL_TITLE in titles and storm.critical_at is None:
        storm.critical_at = second
