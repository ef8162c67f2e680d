"""The alerts of an incident: what one key of the sender names inside it, and which of them fire (specification 7.13)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, StrEnum
from typing import Any, NamedTuple
from uuid import UUID

from inbox.domain.values.enums import FastStrEnum
from inbox.domain.values.severity import Severity

MAX_ALERTS = 10_000
"""The number of alerts that are kept for an incident. Events of further ones are only counted."""

MAX_TITLES = 10
"""The number of titles that the notice about joined alerts names."""


class AlertState(FastStrEnum):
    """The state of an alert inside its incident. With the end of the incident all its alerts have ended."""

    FIRING = "firing"
    """The newest event of the alert reports the problem."""

    ENDED = "ended"
    """A recovery ended the alert, or the incident reopened without it."""


FIRING, ENDED = AlertState.FIRING, AlertState.ENDED
"""The states as module constants. Every event uses them, and a lookup in an `Enum` takes far longer."""


class ResolveWhen(StrEnum):
    """The recoveries that resolve an incident with several alerts (specification 6.8)."""

    ALL = "all"
    """The incident resolves when none of its alerts fires."""

    ANY = "any"
    """The first recovery of one of its alerts resolves the incident."""


@dataclass(frozen=True, slots=True)
class JoinedAlerts:
    """The alerts that joined an incident since its last notice about them: their number, and the first titles."""

    count: int
    titles: tuple[str, ...]

    def plus(self, later: JoinedAlerts) -> JoinedAlerts:
        """Returns these alerts and the later ones."""
        return JoinedAlerts(self.count + later.count, (*self.titles, *later.titles)[:MAX_TITLES])

    def record(self) -> dict[str, Any]:
        """Returns the alerts as JSON: `data.joined {count, titles}`."""
        return {"count": self.count, "titles": list(self.titles)}


class AlertCounts(NamedTuple):
    """The numbers of an incident's alerts. `left_out` counts events of alerts that are not kept.

    `round` changes when an event reopens the incident: alerts of an earlier round have ended without a write. `joined`
    alerts wait for a notice, with the first of their titles; the last such notice was at `joined_at`.
    """

    total: int = 0
    firing: int = 0
    round: int = 0
    left_out: int = 0
    joined: int = 0
    joined_titles: tuple[str, ...] = ()
    joined_at: datetime | None = None

    @property
    def waiting(self) -> JoinedAlerts:
        """The alerts that wait for a notice."""
        return JoinedAlerts(self.joined, self.joined_titles)

    def record(self, *, has_ended: bool) -> dict[str, Any]:
        """Returns the counts as JSON: `alerts {total, firing}`. No alert of an incident that has ended fires."""
        return {"alerts": {"total": self.total, "firing": 0 if has_ended else self.firing}} if self.total else {}

    def told(self, at: datetime) -> AlertCounts:
        """Returns the counts after a notice about the joined alerts."""
        return self._replace(joined=0, joined_titles=(), joined_at=at)


NO_ALERTS = AlertCounts()


@dataclass(slots=True)
class Alert:
    """One alert of an incident. Seen times are times of receipt. A new alert has no id.

    `began_at` is the time that the sender gave when the alert began to fire. `repeat_count` counts the reports that are
    no events, because they repeat one.
    """

    key: str
    title: str
    severity: Severity
    first_seen_at: datetime
    last_seen_at: datetime
    event_count: int = 1
    state: AlertState = FIRING
    round: int = 0
    id: UUID | None = None
    began_at: datetime | None = None
    repeat_count: int = 0

    @property
    def content(self) -> tuple[Any, ...]:
        """The values that the counts of its incident do not show."""
        return self.title, self.severity, self.state, self.round, self.began_at, self.repeat_count

    def fires_in(self, present_round: int) -> bool:
        """Returns whether the alert fires, in the present round of its incident."""
        return self.state is FIRING and self.round == present_round

    def count(self, sent: Alert, state: AlertState, present_round: int) -> None:
        """Counts an event: `sent` is the alert as the event reports it. The end of an alert leaves its title."""
        is_newest = sent.last_seen_at >= self.last_seen_at
        self.first_seen_at = min(self.first_seen_at, sent.first_seen_at)
        self.event_count += sent.event_count
        self.repeat_count += sent.repeat_count
        if state is FIRING and (not self.fires_in(present_round) or self.began_at is None):
            self.began_at = sent.began_at
        self.last_seen_at = max(self.last_seen_at, sent.last_seen_at)
        self.state, self.round = state, present_round
        if state is FIRING and is_newest:
            self.title, self.severity = sent.title, sent.severity


class Fired(NamedTuple):
    """The result of an event that reports a problem. `alert` is None if it is not kept."""

    counts: AlertCounts
    alert: Alert | None


def fire(known: Alert | None, counts: AlertCounts, sent: Alert, *, opens: bool, quiet: timedelta) -> Fired:
    """Counts an event on its alert. `known` is the stored alert, `sent` the alert as the event reports it.

    1. With an event that `opens` or reopens the incident, a new round begins: no other alert fires, and none waits for a
       notice.
    2. A new alert joins an unresolved incident. So does one that fires again at least `quiet` after its last event.
    3. Beyond the limit of alerts, the event is only counted.
    """
    if opens:
        counts = counts._replace(round=counts.round + 1, firing=0, joined=0, joined_titles=())
    if known is None and counts.total >= MAX_ALERTS:
        return Fired(counts._replace(left_out=counts.left_out + 1), None)
    if known is None:
        sent.round = counts.round
        counts, joins, alert = counts._replace(total=counts.total + 1, firing=counts.firing + 1), not opens, sent
    else:
        joins, alert = False, known
        if not known.fires_in(counts.round):
            counts = counts._replace(firing=counts.firing + 1)
            joins = not opens and sent.last_seen_at - known.last_seen_at >= quiet
        known.count(sent, FIRING, counts.round)
    return Fired(_joined(counts, sent.title) if joins else counts, alert)


def _joined(counts: AlertCounts, title: str) -> AlertCounts:
    titles = counts.joined_titles if len(counts.joined_titles) >= MAX_TITLES else (*counts.joined_titles, title)
    return counts._replace(joined=counts.joined + 1, joined_titles=titles)


class Ending(Enum):
    """What a recovery ends in an incident that it names."""

    NOTHING = "nothing"
    """The recovery names no alert of the incident that fires."""

    ONE = "one"
    """The recovery names an alert that fires."""

    ALL = "all"
    """The recovery has no key and ends everything that its fingerprint names, or no alert fires."""


def ending(known: Alert | None, counts: AlertCounts, *, has_key: bool, is_grouped: bool) -> Ending:
    """Returns what a recovery ends. `known` is the incident's alert with the key of the recovery.

    A recovery without `dedupKey` whose title names no alert ends the incident of its fingerprint, because the sender
    speaks of the resource. With `groupBy` the fingerprint names several things, so it ends only an incident with one
    alert.
    """
    if not counts.total:
        return Ending.ALL
    if known is not None:
        if known.fires_in(counts.round):
            return Ending.ONE
        return Ending.NOTHING if counts.firing else Ending.ALL
    if has_key:
        return Ending.NOTHING
    return Ending.NOTHING if is_grouped and counts.total > 1 else Ending.ALL
