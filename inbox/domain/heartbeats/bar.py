"""The bar of a monitor: the outcomes of its last 50 periods (specification 18.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from inbox.domain.heartbeats.monitor import Outcome
from inbox.domain.heartbeats.schedule import Schedule, SimpleSchedule
from inbox.domain.values import times

PERIODS = 50


def with_outcome(
    bar: Sequence[Mapping[str, Any]], outcome: Outcome, at: datetime, schedule: Schedule
) -> Sequence[Mapping[str, Any]]:
    """Returns the bar with one more outcome, the newest last. Repeated successes within one period count once."""
    if bar and bar[-1]["outcome"] == outcome and _same_period(times.parse(bar[-1]["at"]), at, schedule):
        return bar
    return [*bar, {"at": times.rfc3339(at), "outcome": str(outcome)}][-PERIODS:]


def _same_period(last: datetime | None, at: datetime, schedule: Schedule) -> bool:
    if last is None or at < last:
        return False
    if isinstance(schedule, SimpleSchedule):
        return at - last < schedule.period / 2
    return next(schedule.runs(last)) > at and schedule.next_after(last) == schedule.next_after(at)
