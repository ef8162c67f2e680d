"""What becomes of notices that quiet hours held back, when those are over (specification 8.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from inbox.domain.notices import UPDATES
from inbox.domain.severity import Severity
from inbox.domain.state_machine import State

ACKNOWLEDGED_STATES = frozenset({State.ACKNOWLEDGED, State.SNOOZED})
"""States in which an alarm alone would not say how the incident stands."""


class SkipCause(StrEnum):
    """Why a notice that was held is not sent after all: the `cause` of its delivery."""

    SUPERSEDED = "superseded"
    """A later notice of the same incident says how it stands."""

    RESOLVED_MEANWHILE = "resolved_meanwhile"
    """The incident is over, and the destination wants to hear only what breaks."""

    SILENCED = "silenced"
    """A silence covers the incident by now; its end is told."""


@dataclass(frozen=True, slots=True)
class DeferredNotice:
    """A notice that waits for the end of the quiet hours; `seq` is its place among those of its incident."""

    id: UUID
    seq: int
    reason: str

    @property
    def is_alarm(self) -> bool:
        """Whether it says that something is broken."""
        return self.reason not in UPDATES


def is_deferred(threshold: Severity | None, severity: Severity, *, respects_quiet_hours: bool) -> bool:
    """Whether a notice of an incident of `severity` waits in quiet hours. Without a threshold none do; `respects_quiet_hours` is the
    profile's word."""
    return respects_quiet_hours and threshold is not None and severity.rank < threshold.rank


def resolve_deferred(
    deferred: Sequence[DeferredNotice], state: State, *, flapping: bool, last_notified_seq: int
) -> dict[UUID, SkipCause | None]:
    """What becomes of all that is held for one destination of one incident: None is sent, all else is not.

    `deferred` are in their order, `last_notified_seq` is the last alarm or end that did not wait (0: none). Of what is unresolved one is sent, the
    newest alarm; where a person took it or put it off since, the newest update behind it. Of what is over, its end.
    """
    alerts = [one for one in deferred if one.seq > last_notified_seq]
    if state is State.SILENCED:
        kept, cause = [], SkipCause.SILENCED
    elif state is State.RESOLVED and not flapping:
        kept, cause = [one for one in alerts[-1:] if not one.is_alarm], SkipCause.RESOLVED_MEANWHILE
    else:
        kept, cause = _newest(alerts, state), SkipCause.SUPERSEDED
    skipped = SkipCause.SUPERSEDED if kept else cause
    return {one.id: None if one in kept else skipped if one in alerts else SkipCause.SUPERSEDED for one in deferred}


def _newest(alerts: Sequence[DeferredNotice], state: State) -> list[DeferredNotice]:
    alarms = [place for place, one in enumerate(alerts) if one.is_alarm]
    if not alarms:
        return list(alerts[-1:])
    alarm, later = alerts[alarms[-1]], alerts[alarms[-1] + 1 :]
    return [alarm, *(later[-1:] if state in ACKNOWLEDGED_STATES else ())]
