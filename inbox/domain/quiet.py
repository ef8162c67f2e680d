"""What becomes of notices that quiet hours held back, when those are over (specification 8.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from inbox.domain.moves import State
from inbox.domain.notices import UPDATES
from inbox.domain.severity import Severity

TAKEN = frozenset({State.ACKNOWLEDGED, State.SNOOZED})
"""States in which an alarm alone would not say how the incident stands."""


class Untold(StrEnum):
    """Why a notice that was held is not sent after all: the `cause` of its delivery."""

    SUPERSEDED = "superseded"
    """A later notice of the same incident says how it stands."""

    RESOLVED_MEANWHILE = "resolved_meanwhile"
    """The incident is over, and the destination wants to hear only what breaks."""

    SILENCED = "silenced"
    """A silence covers the incident by now; its end is told."""


@dataclass(frozen=True, slots=True)
class Held:
    """A notice that waits for the end of the quiet hours; `seq` is its place among those of its incident."""

    id: UUID
    seq: int
    reason: str

    @property
    def is_alarm(self) -> bool:
        """Whether it says that something is broken."""
        return self.reason not in UPDATES


def is_hushed(threshold: Severity | None, severity: Severity, *, obeys: bool) -> bool:
    """Whether a notice of an incident of `severity` waits in quiet hours. Without a threshold none do; `obeys` is the
    profile's word."""
    return obeys and threshold is not None and severity.rank < threshold.rank


def told_of(held: Sequence[Held], state: State, *, flapping: bool, told: int) -> dict[UUID, Untold | None]:
    """What becomes of all that is held for one destination of one incident: None is sent, all else is not.

    `held` are in their order, `told` is the last alarm or end that did not wait (0: none). Of what is unresolved one is sent, the
    newest alarm; where a person took it or put it off since, the newest update behind it. Of what is over, its end.
    """
    news = [one for one in held if one.seq > told]
    if state is State.SILENCED:
        kept, cause = [], Untold.SILENCED
    elif state is State.RESOLVED and not flapping:
        kept, cause = [one for one in news[-1:] if not one.is_alarm], Untold.RESOLVED_MEANWHILE
    else:
        kept, cause = _newest(news, state), Untold.SUPERSEDED
    passed = Untold.SUPERSEDED if kept else cause
    return {one.id: None if one in kept else passed if one in news else Untold.SUPERSEDED for one in held}


def _newest(news: Sequence[Held], state: State) -> list[Held]:
    alarms = [place for place, one in enumerate(news) if one.is_alarm]
    if not alarms:
        return list(news[-1:])
    alarm, later = news[alarms[-1]], news[alarms[-1] + 1 :]
    return [alarm, *(later[-1:] if state in TAKEN else ())]
