"""Storms: more notices than a destination takes one by one, and the summary of what waits (specification 9.22)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple
from uuid import UUID

from inbox.domain.deliveries.notices import UPDATES
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values.severity import Severity

MOST_WAITING = 20
"""The number of notices that may wait one by one. With more, the next message is a summary."""

LONGEST_WAIT = timedelta(minutes=1)
"""The time after which a waiting notice makes the next message a summary."""

INTERVAL = timedelta(minutes=1)
"""The least time between two summaries. In between, only `CRITICAL` alerts are sent."""

CALM = 5
"""A summary of no more notices than these begins no interval: the storm has ended."""

MOST_CRITICAL = 5
"""The number of `CRITICAL` alerts that are sent one by one before a summary, and again in the interval after it."""

MAX_SUMMARISED = 5_000
"""The maximum number of notices in one summary. Further ones wait for the next."""

MOST_LINES = 10
"""The number of titles in a summary."""

SUMMARY = "summary"
"""The cause of a delivery that a summary gathered."""

LEAST_URGENT, SUMMARY_URGENCY, MOST_URGENT = 0, 5, 6
"""Places of a replay or a late change of a message, a summary and a `CRITICAL` alert. All others lie between."""

LEVELS = range(MOST_URGENT, LEAST_URGENT - 1, -1)
"""All places, the most urgent first."""

FOREVER = datetime.max.replace(tzinfo=UTC)


_OF_ALERTS = {each: each.rank if each is not Severity.CRITICAL else MOST_URGENT for each in Severity}
_OF_UPDATES = {each: min(each.rank, Severity.ERROR.rank) for each in Severity}

URGENCY: Mapping[str, Mapping[Severity, int]] = MappingProxyType(
    {reason: _OF_UPDATES if reason in UPDATES else _OF_ALERTS for reason in Reason}
)
"""The place of a notice among those that wait for a destination with a pace, by its reason and severity.

It is the rank of the severity. An update of a `CRITICAL` incident has that of `ERROR`, because it asks for nothing.
"""


class Backlog(NamedTuple):
    """The notices that wait for a destination.

    `waiting` counts to one more than `MOST_WAITING`, and `oldest` is the time at which the first was due. `has_summary`:
    a summary is not settled yet. `criticals` counts the `CRITICAL` alerts that came and were sent since the last summary.
    """

    destination_id: UUID
    waiting: int
    oldest: datetime | None
    has_summary: bool
    criticals: int


class Admission(NamedTuple):
    """The deliveries that may be claimed: from this urgency on, and created at this time at the latest."""

    destination_id: UUID
    least: int
    latest: datetime


def is_summary_due(
    backlog: Backlog, summarised_at: datetime | None, now: datetime, *, most_waiting: int = MOST_WAITING
) -> bool:
    """Returns whether the next message is a summary. The one before must have arrived, so that the order holds."""
    if backlog.has_summary or backlog.waiting <= 1 or _is_within(INTERVAL, summarised_at, now):
        return False
    most = 1 if _is_within(2 * INTERVAL, summarised_at, now) else most_waiting
    return backlog.waiting > most or (backlog.oldest is not None and backlog.oldest <= now - LONGEST_WAIT)


def admission(backlog: Backlog, summarised_at: datetime | None, now: datetime) -> Admission:
    """Returns which deliveries may be claimed now. After a summary these are some `CRITICAL` alerts for a while."""
    if summarised_at is None or not _is_within(INTERVAL, summarised_at, now):
        return Admission(backlog.destination_id, LEAST_URGENT, FOREVER)
    latest = summarised_at if backlog.criticals >= MOST_CRITICAL else FOREVER
    return Admission(backlog.destination_id, SUMMARY_URGENCY, latest)


def _is_within(interval: timedelta, moment: datetime | None, now: datetime) -> bool:
    """Returns whether the moment lies in this interval before now. One far ahead comes from a clock that ran fast."""
    return moment is not None and now - interval < moment <= now + INTERVAL


@dataclass(frozen=True, slots=True)
class Waiting:
    """A notice that waits; `seq` is its position among the notices of its incident, None an event without one.

    `is_blocked`: an earlier notice of the incident is in flight or is retried. `has_message`: the destination has a
    message of the incident.
    """

    id: UUID
    incident_id: UUID | None
    seq: int
    reason: str
    severity: Severity
    created_at: datetime
    is_blocked: bool
    has_message: bool = False

    @property
    def is_critical_alert(self) -> bool:
        """Returns whether the notice may precede a summary."""
        return URGENCY[self.reason][self.severity] == MOST_URGENT


class SummaryPlan(NamedTuple):
    """The notices of a summary, those that a later one of their incident supersedes, and those that change a message."""

    gathered: list[Waiting]
    superseded: list[UUID]
    edits: list[UUID]


def plan_summary(
    waiting: Sequence[Waiting], *, keeps_messages: bool = False, most_critical: int = MOST_CRITICAL
) -> SummaryPlan:
    """Decides about the notices that wait for a destination, which are in the order of each incident.

    1. Notices behind one that is in flight or is retried stay, so that no end precedes its opening.
    2. The first `most_critical` alerts of `CRITICAL` incidents stay, and are sent one by one. They supersede what waits
       before them.
    3. An update of an incident with a message that the kind keeps in the latest state (`keeps_messages`) changes this
       message later, without a sound.
    4. The summary contains all others. A single one needs no summary.
    """
    lines = [line for line in _lines(waiting) if not any(one.is_blocked for one in line)]
    alerts = sorted((line[-1] for line in lines if line[-1].is_critical_alert), key=lambda one: one.created_at)
    alone = {one.id for one in alerts[:most_critical]}
    edits = [line[-1].id for line in lines if keeps_messages and line[-1].has_message and line[-1].reason in UPDATES]
    separate = alone.union(edits)
    gathered = [one for line in lines if line[-1].id not in separate for one in line]
    if len(gathered) <= 1:
        return SummaryPlan([], [], [])
    return SummaryPlan(gathered, [one.id for line in lines if line[-1].id in separate for one in line[:-1]], edits)


def _lines(waiting: Sequence[Waiting]) -> list[list[Waiting]]:
    """Returns the notices of each incident, and those of events one by one."""
    return [list(line) for _, line in groupby(waiting, lambda one: one.incident_id or one.id)]
