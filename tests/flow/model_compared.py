"""An incident as the database has it and as the model has it, in the same words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from inbox.models.incidents.tables import Incident
from tests.flow.model_parts import MINUTE, Case, ModelRecipient, StepGroup, Terms
from tests.flow.model_shapes import PHONE, Shape

MIDNIGHT = datetime(2026, 11, 21, tzinfo=UTC)


MORNING = 9 * 60 * MINUTE


RANKS = {"INFO": 2, "WARNING": 3, "ERROR": 4, "CRITICAL": 5}


NAMES = {rank: name for name, rank in RANKS.items()}


NIGHTS = (("09:30", "10:15"), ("11:00", "11:30"), ("13:00", "14:00"), ("18:00", "22:00"))


WEEK = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


QUIET = {
    "enabled": True,
    "timezone": "UTC",
    "windows": [{"days": WEEK, "start": start, "end": end} for start, end in NIGHTS],
}


def at(seconds: float) -> datetime:
    return MIDNIGHT + timedelta(seconds=seconds)


def seconds(moment: datetime | None) -> int | None:
    return None if moment is None else round((moment - MIDNIGHT).total_seconds())


def _clock(text: str) -> int:
    hours, minutes = text.split(":")
    return (int(hours) * 60 + int(minutes)) * MINUTE


def _standing(incident: Incident) -> dict[str, Any]:
    return {
        "state": (incident.state, incident.state_before_silence, incident.silenced_by is not None),
        "flapping": incident.flapping,
        "severity": RANKS[incident.severity],
        "counts": (incident.event_count, incident.reopen_count),
        "snoozed until": seconds(incident.snoozed_until),
        "alerts": {},
        "firing": 0 if incident.state == "resolved" else incident.firing_count,
        "lines": [],
        "ended early": [],
        "notices": [],
        "numbers": [],
        "sent": {},
    }


def _expected(case: Case) -> dict[str, Any]:
    is_single = len(case.alerts.named) == 1  # # the incident counts for it
    return {
        "state": (case.state, case.retained, case.model_silence is not None),
        "flapping": case.flaps,
        "severity": case.rank,
        "counts": (case.count, case.reopened),
        "snoozed until": case.until,
        "alerts": {
            name: (
                *(alert.fires and case.state != "resolved", case.count if is_single else alert.events, alert.repeats),
                *(alert.rank, case.seen if is_single else alert.seen, alert.began),
            )
            for name, alert in case.alerts.named.items()
        },
        "firing": 0 if case.state == "resolved" else case.alerts.firing,
        "lines": case.lines,
        "notices": [(told.reason, told.decisions, told.joined) for told in case.notices],
        "numbers": list(range(1, len(case.notices) + 1)),
        "sent": {
            name: [(one.seq, one.reason, one.status, one.cause, one.until) for one in line]
            for name, line in case.sent.items()
        },
    }


def _terms(shape: Shape, *, night: bool) -> Terms:
    step_groups = tuple(
        StepGroup(after * MINUTE, tuple(names.replace("@", "").split()), floor, "@" in names)
        for after, names, floor in shape.step_groups
    )
    on_call = tuple((_clock(start), _clock(end), name) for start, end, name in shape.on_call)
    nights = tuple((_clock(start), _clock(end)) for start, end in NIGHTS) if night else ()
    return Terms(step_groups, **{"nights": nights, "on_call": on_call, **shape.terms})


def _recipient(values: Mapping[str, Any]) -> ModelRecipient:
    least, threshold = values.get("min_severity"), values["quiet_hours_threshold"]
    return ModelRecipient(
        updates=values.get("send_updates", True),
        notes=values.get("send_notes", True),
        floor=RANKS[least] if least else 0,
        sleeps_below=RANKS[threshold] if threshold else 0,
        phone=values is PHONE,
    )
