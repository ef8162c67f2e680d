"""Alerts inside the incidents of the model: what one key of the sender names, and what its reports do (specification 7.13)."""

from __future__ import annotations

from dataclasses import dataclass, field

HOUR = 3_600
RETRY = 300
"""How long after an end the same report may still be a retry."""


@dataclass(frozen=True)
class Report:
    """What a sender reports: an alarm of a rank, or an end. `key` groups it, `name` is its alert, `sent` the sender's time.

    `again`: it repeats an alarm with the same beginning, so that it is no event. `put_off`: for how long a rule snoozes
    what it opens.
    """

    key: str
    name: str
    rank: int | None
    at: int
    sent: int | None = None
    tags: frozenset[str] = frozenset()
    put_off: int = 0
    again: bool = False


@dataclass
class ModelAlert:
    """One alert of an incident. `ended`: the sender said so, and not merely that its incident reopened without it."""

    rank: int
    seen: int
    began: int | None
    fires: bool = True
    ended: bool = False
    events: int = 0
    repeats: int = 0

    def take(self, report: Report, *, is_counted: bool = True) -> None:
        self.seen = max(self.seen, report.at)
        self.events, self.repeats = self.events + (is_counted and not report.again), self.repeats + report.again
        if report.rank is None:
            self.fires, self.ended = False, True
            return
        if not self.fires or self.began is None:
            self.began = report.sent
        self.fires, self.ended, self.rank = True, False, report.rank


@dataclass
class SenderTimes:
    """The newest times of the sender for an alert: of its alarms, and of its ends with their receipt."""

    alarm: int | None = None
    end: int | None = None
    end_came: int = 0

    def is_late(self, report: Report) -> bool:
        """Whether it was overtaken; else it is remembered."""
        if report.sent is None:
            return False
        if report.rank is None:
            if self.alarm is not None and report.sent < self.alarm:
                return True
            if self.end is None or report.sent >= self.end:
                self.end, self.end_came = report.sent, report.at
            return False
        if self.end is not None and report.sent < self.end and report.at - self.end_came <= HOUR:
            return True
        self.alarm = report.sent if self.alarm is None else max(self.alarm, report.sent)
        return False


@dataclass
class Alerts:
    """The alerts of an incident by name, and how many of them joined without a word to people so far."""

    named: dict[str, ModelAlert] = field(default_factory=dict)
    joined: int = 0
    told: int | None = None
    """When people last heard of alerts that joined."""

    @property
    def firing(self) -> int:
        return sum(alert.fires for alert in self.named.values())

    def stand_for(self, seen: int) -> None:
        """A single alert was seen when its incident was."""
        for alert in self.named.values() if len(self.named) == 1 else ():
            alert.seen = seen

    def fire(self, report: Report, quiet: int, *, opens: bool) -> bool:
        """What opens or reopens the incident begins anew. Everything else that is new, or new again, joins it.

        Whether the alert did not fire before.
        """
        assert report.rank is not None
        if opens:
            self.joined = 0
            for alert in self.named.values():
                alert.fires = False
        known = self.named.get(report.name)
        begins = known is None or not known.fires
        if known is None:
            known = self.named[report.name] = ModelAlert(report.rank, report.at, report.sent)
            joins = not opens
        else:
            joins = not opens and begins and report.at - known.seen >= quiet
        known.take(report)
        self.joined += joins
        return begins

    def take_joined(self, now: int) -> int:
        """How many are told of now."""
        joined, self.joined = self.joined, 0
        if joined:
            self.told = now
        return joined
