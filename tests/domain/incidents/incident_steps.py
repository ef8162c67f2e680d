"""Creates incidents in every state for tests of the state machine."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from inbox.domain.incidents.incident import Actor, Incident, Transitioned
from inbox.domain.incidents.state_machine import State
from inbox.domain.values.severity import Severity

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


MIA = UUID(int=7)


SILENCE = UUID(int=8)


def incident(state: State = State.OPEN, severity: Severity = Severity.ERROR, **values: object) -> Incident:
    """An incident that has stood in `state` for an hour."""
    at = NOW - timedelta(hours=1)
    standing: dict[str, object] = {
        State.OPEN: {},
        State.ACKNOWLEDGED: {"acknowledged_at": at, "acknowledged_by": MIA},
        State.SNOOZED: {"snoozed_until": NOW + timedelta(hours=1)},
        State.SILENCED: {"state_before": State.OPEN, "silenced_by": SILENCE},
        State.RESOLVED: {"resolved_at": at, "resolved_by": Actor("user", "usr_1", "Mia")},
    }[state]
    return Incident(
        state=state,
        **{
            "severity": severity,
            "last_severity": severity,
            "first_seen_at": at,
            "last_seen_at": at,
            "opened_at": at,
            **standing,
            **values,
        },
    )


def moved(answer: object) -> Transitioned:
    assert isinstance(answer, Transitioned), answer
    return answer
