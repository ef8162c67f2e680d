"""Notices held by quiet hours, when quiet hours end."""

from __future__ import annotations

from uuid import UUID

import pytest

from inbox.domain.deliveries.quiet_hours import DeferredNotice, SkipCause, is_deferred, resolve_deferred
from inbox.domain.incidents.state_machine import Reason, State
from inbox.domain.values.severity import Severity

O, R, U, A, S, G = (
    Reason.OPENED,
    Reason.RESOLVED,
    Reason.UPDATED,
    Reason.ACKNOWLEDGED,
    Reason.SNOOZED,
    Reason.REOPENED,
)


def final_states(
    reasons: list[Reason], state: State, *, flapping: bool = False, reported: int = 0
) -> list[SkipCause | None]:
    held = [DeferredNotice(UUID(int=seq), seq, reason) for seq, reason in enumerate(reasons, 1)]
    return list(resolve_deferred(held, state, flapping=flapping, last_notified_seq=reported).values())


PAST, OVER = SkipCause.SUPERSEDED, SkipCause.RESOLVED_MEANWHILE


@pytest.mark.parametrize(
    ("reasons", "state", "left"),
    [
        ([O], State.OPEN, [None]),
        ([O, Reason.ESCALATED, Reason.RENOTIFY], State.OPEN, [PAST, PAST, None]),
        ([O, U], State.OPEN, [None, PAST]),
        ([O, A], State.ACKNOWLEDGED, [None, None]),
        ([O, U, A, U], State.ACKNOWLEDGED, [None, PAST, PAST, None]),
        ([O, S], State.SNOOZED, [None, None]),
        ([A, U], State.ACKNOWLEDGED, [PAST, None]),
        ([O, R, G], State.OPEN, [PAST, PAST, None]),
        ([O, R], State.RESOLVED, [PAST, None]),
        ([O, A, U, R], State.RESOLVED, [PAST, PAST, PAST, None]),
        ([R], State.RESOLVED, [None]),
        ([O], State.RESOLVED, [OVER]),
        ([O, Reason.RENOTIFY], State.RESOLVED, [OVER, OVER]),
        ([O, A], State.SILENCED, [SkipCause.SILENCED, SkipCause.SILENCED]),
    ],
)
def test_one_notice_after_quiet_hours_gives_the_final_state_of_an_incident(
    reasons: list[Reason], state: State, left: list[SkipCause | None]
) -> None:
    assert final_states(reasons, state) == left


def test_a_held_notice_is_superseded_by_a_later_notice_that_was_sent() -> None:
    assert final_states([O, U], State.OPEN, reported=2) == [PAST, PAST]
    assert final_states([O, Reason.ESCALATED, U], State.OPEN, reported=2) == [PAST, PAST, None]
    assert final_states([O, Reason.ESCALATED], State.RESOLVED, reported=1) == [PAST, OVER]


def test_a_held_flapping_notice_is_kept_while_the_incident_flaps() -> None:
    assert final_states([O, Reason.FLAPPING], State.RESOLVED, flapping=True) == [PAST, None]


@pytest.mark.parametrize(
    ("threshold", "severity", "obeys", "silenced"),
    [
        (Severity.CRITICAL, Severity.ERROR, True, True),
        (Severity.CRITICAL, Severity.CRITICAL, True, False),
        (Severity.WARNING, Severity.WARNING, True, False),
        (Severity.WARNING, Severity.SUCCESS, True, True),
        (None, Severity.DEBUG, True, False),
        (Severity.CRITICAL, Severity.DEBUG, False, False),
    ],
)
def test_the_threshold_is_the_least_that_is_got_at_night(
    threshold: Severity | None, severity: Severity, obeys: bool, silenced: bool
) -> None:
    assert is_deferred(threshold, severity, respects_quiet_hours=obeys) is silenced
