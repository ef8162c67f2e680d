"""The resolution of notices that quiet hours deferred, at the end of the quiet hours (specification 8.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from inbox.domain.deliveries.notices import UPDATES
from inbox.domain.incidents.state_machine import State
from inbox.domain.values.severity import Severity

ACKNOWLEDGED_STATES = frozenset({State.ACKNOWLEDGED, State.SNOOZED})
"""The states that an alert alone does not describe."""


class SkipCause(StrEnum):
    """The `cause` of a delivery whose deferred notice is not sent."""

    SUPERSEDED = "superseded"
    """A later notice of the same incident describes its state."""

    RESOLVED_MEANWHILE = "resolved_meanwhile"
    """The incident is resolved, and the destination receives alerts only."""

    SILENCED = "silenced"
    """A silence covers the incident now. The end of the silence causes a notice."""


@dataclass(frozen=True, slots=True)
class DeferredNotice:
    """A notice deferred until the end of the quiet hours; `seq` is its position among the notices of its incident."""

    id: UUID
    seq: int
    reason: str

    @property
    def is_alert(self) -> bool:
        """Returns whether the notice is an alert."""
        return self.reason not in UPDATES


def is_deferred(threshold: Severity | None, severity: Severity, *, respects_quiet_hours: bool) -> bool:
    """Returns whether quiet hours defer a notice of an incident of `severity`. Without a threshold they defer none.

    `respects_quiet_hours` is the setting of the profile.
    """
    return respects_quiet_hours and threshold is not None and severity.rank < threshold.rank


def resolve_deferred(
    deferred: Sequence[DeferredNotice], state: State, *, flapping: bool, last_notified_seq: int
) -> dict[UUID, SkipCause | None]:
    """Decides about all deferred notices of one incident and one destination: None is sent, a cause is skipped.

    `deferred` is ordered. `last_notified_seq` is the last alert or end that was not deferred (0: none); earlier notices
    are superseded.

    1. For a silenced incident nothing is sent.
    2. For a resolved incident that does not flap, the last notice is sent if it is an update.
    3. For any other incident the newest alert is sent, or the last update if there is no alert. If the incident is
       acknowledged or snoozed, the newest update after the alert is sent, too.
    """
    alerts = [one for one in deferred if one.seq > last_notified_seq]
    if state is State.SILENCED:
        sent, cause = [], SkipCause.SILENCED
    elif state is State.RESOLVED and not flapping:
        sent, cause = [one for one in alerts[-1:] if not one.is_alert], SkipCause.RESOLVED_MEANWHILE
    else:
        sent, cause = _newest(alerts, state), SkipCause.SUPERSEDED
    skipped = SkipCause.SUPERSEDED if sent else cause
    return {one.id: None if one in sent else skipped if one in alerts else SkipCause.SUPERSEDED for one in deferred}


def _newest(alerts: Sequence[DeferredNotice], state: State) -> list[DeferredNotice]:
    alert_indexes = [place for place, one in enumerate(alerts) if one.is_alert]
    if not alert_indexes:
        return list(alerts[-1:])
    alert, later = alerts[alert_indexes[-1]], alerts[alert_indexes[-1] + 1 :]
    return [alert, *(later[-1:] if state in ACKNOWLEDGED_STATES else ())]
