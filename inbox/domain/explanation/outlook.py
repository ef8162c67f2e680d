"""How an incident stands and what is still to come of it, in sentences (decision 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from zoneinfo import ZoneInfo

from inbox.domain import plan
from inbox.domain.explanation import spoken
from inbox.domain.explanation.telling import Hushing
from inbox.domain.moves import State


class Kind(StrEnum):
    """What may come of an incident to which nobody does anything."""

    HOLD_ENDS = "hold_ends"
    """Its plan has waited long enough: it is told."""

    STEP = "step"
    """The next step of its routing profile."""

    RENOTIFY = "renotify"
    """It is told again, since it is still open."""

    ACK_TIMEOUT = "ack_timeout"
    """Its acknowledgement lapses."""

    AUTO_RESOLVE = "auto_resolve"
    """It is taken to be over."""

    CALM = "calm"
    """It is taken to flap no more."""

    SNOOZE_ENDS = "snooze_ends"
    """It is open again."""

    SILENCE_ENDS = "silence_ends"
    """The silence that covers it is over."""

    QUIET_HOURS_END = "quiet_hours_end"
    """What they hold is told."""

    FALLBACK = "fallback"
    """It is looked at whether anybody took the alarm."""


KINDS: Mapping[str, Kind] = {
    plan.HOLD: Kind.HOLD_ENDS,
    plan.STEP: Kind.STEP,
    plan.RENOTIFY: Kind.RENOTIFY,
    plan.ACK_TIMEOUT: Kind.ACK_TIMEOUT,
    plan.AUTO_RESOLVE: Kind.AUTO_RESOLVE,
    plan.CALM: Kind.CALM,
}
"""By the kinds of timers that follow from a plan."""


@dataclass(frozen=True, slots=True)
class Coming:
    """Something that is to come. `to` are who would hear it, as far as that is known; `step` and `times` say the how-manieth.

    `only_worse`: it flaps, so that it opened is told only where nothing as bad was told before.
    """

    kind: Kind
    at: datetime
    to: Sequence[str] = ()
    step: int = 0
    times: tuple[int, int] = (0, 0)
    hushing: Hushing | None = None
    only_worse: bool = False

    def words(self, zone: ZoneInfo, now: datetime) -> str:
        """The sentence of it."""
        return spoken.sentence(f"at {spoken.clock(self.at, zone, now)} {self._what()}")

    def _what(self) -> str:
        who = spoken.names(self.to)
        match self.kind:
            case Kind.HOLD_ENDS:
                worse = f" and {_WORSE}" if self.only_worse else ""
                return f"{who} will hear of it, if it is still open{worse}"
            case Kind.STEP:
                return f"step {self.step} tells {who}, if nobody has taken it"
            case Kind.RENOTIFY:
                return f"it is told again, if nobody has taken it ({self.times[0]} of at most {self.times[1]} times)"
            case Kind.ACK_TIMEOUT:
                return "its acknowledgement lapses and it is told again, if it is not over"
            case Kind.AUTO_RESOLVE:
                return "it is resolved by itself, if no event comes"
            case Kind.CALM:
                return "it is told as usual again, if it neither opens nor resolves before"
            case Kind.SNOOZE_ENDS:
                return "the snooze ends and it is told that it is open again"
            case Kind.SILENCE_ENDS:
                return f"{self.hushing or 'the silence'} ends; what is open then is told"
            case Kind.QUIET_HOURS_END:
                return f"the quiet hours end and {who} will hear how it then stands"
            case Kind.FALLBACK:
                return f"{who} will hear of it, if no receiver has taken the alarm"


class Stand(NamedTuple):
    """How an incident stands, as far as sentences say it; `by` is who took it."""

    state: State
    flapping: bool = False
    is_held: bool = False
    by: str | None = None
    until: datetime | None = None
    hushing: Hushing | None = None


def of_standing(stand: Stand, zone: ZoneInfo, now: datetime) -> str:
    """Whether somebody is told of it now, and why not."""
    words = _of_state(stand, zone, now)
    return f"{words} {_of_flapping(stand)}" if stand.flapping else words


def _of_state(stand: Stand, zone: ZoneInfo, now: datetime) -> str:
    match stand.state:
        case State.OPEN if stand.is_held:
            return "It is open, and its routing profile waits before anybody is told."
        case State.OPEN:
            return "It is open, and nobody has taken it."
        case State.ACKNOWLEDGED:
            return f"{stand.by or 'Somebody'} has taken it: repeats are not told until it gets worse."
        case State.SNOOZED:
            until = "" if stand.until is None else f" until {spoken.clock(stand.until, zone, now)}"
            return f"It is put off{until}: nothing is told before that, unless it gets worse."
        case State.SILENCED:
            return spoken.sentence(f"{stand.hushing or 'a silence'} covers it: nobody is told until that ends")
        case State.RESOLVED:
            return "It is over."


def _of_flapping(stand: Stand) -> str:
    """What is withheld of what flaps, and what is told of it all the same."""
    match stand.state:
        case State.SILENCED:
            return "It keeps opening and resolving, too."
        case State.OPEN if not stand.is_held:
            return f"{_FLAPS} {_GOES_ON}"
        case State.RESOLVED:
            return f"{_FLAPS} If it stays resolved, that is told then."
        case _:
            return _FLAPS


_WORSE = "worse than what was told before"

_FLAPS = (
    "It keeps opening and resolving: until that ends nobody is told when it opens, resolves or happens again, unless it is"
    f" {_WORSE}."
)

_GOES_ON = (
    "While it stays open and nobody takes it, its next steps still tell, and it is still told again, when that is due."
)
