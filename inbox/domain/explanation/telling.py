"""Why a destination was told or was not, and what became of what it was to be told, in sentences (decision 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from inbox.domain.delivery import Status
from inbox.domain.explanation import spoken
from inbox.domain.notices import Because, Cause
from inbox.domain.quiet import Untold

NOBODY = "Nobody was told: no destination is named for it."

BECAUSE: Mapping[Because, str] = {
    Because.NO_DESTINATION: "Nobody else could be told: no destination is enabled.",
    Because.ALL_STOPPED: "Nobody else could be told: all destinations are stopped.",
    Because.GIVEN_UP: "Nobody else could be told: all deliveries of the alarm were given up.",
    Because.UNHEARD: "Nobody took the alarm within two minutes, and it is critical.",
}
"""Why there is a fallback."""


class Hushing(NamedTuple):
    """A silence as sentences name it: why there is one, and who made it (None: gone since)."""

    comment: str
    by: str | None

    def __str__(self) -> str:
        return f'silence "{self.comment}"' + (f" by {self.by}" if self.by else "")


class Sending(NamedTuple):
    """What became of a notice for one destination; `replayed_at` is when it got there because a person sent it again."""

    status: Status
    cause: str | None = None
    due_at: datetime | None = None
    settled_at: datetime | None = None
    replayed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """A destination of a notice, and what was decided for it. `sending` is None where nothing was owed, or it is purged."""

    name: str
    cause: Cause
    until: datetime | None = None
    because: Because | None = None
    hushing: Hushing | None = None
    sending: Sending | None = None

    @property
    def has_heard(self) -> bool:
        """Whether it was told, as far as is known."""
        if self.sending is None:
            return self.cause in (Cause.SENT_TO, Cause.MAILED)
        return self.sending.status is Status.SENT or self.sending.replayed_at is not None

    @property
    def waits(self) -> bool:
        """Whether it may yet be told."""
        return self.sending is not None and self.sending.status in _UNDECIDED and not self.has_heard


_UNDECIDED = frozenset({Status.PENDING, Status.SENDING, Status.RETRYING, Status.HELD})


class Scene(NamedTuple):
    """When a notice was decided, how severe what it tells of was, and by which clock sentences say when."""

    at: datetime
    severity: str
    zone: ZoneInfo

    def clock(self, at: datetime) -> str:
        """A time, as it is said."""
        return spoken.clock(at, self.zone, self.at)


def of_notice(decided: Sequence[Decided], scene: Scene) -> str:
    """Who of all was told, who waits, and who was not."""
    if not decided:
        return NOBODY
    causes = {one.cause for one in decided}
    if len(causes) == 1 and causes <= {Cause.SILENCED, Cause.FLAPPING}:
        return f"Nobody was told: {_why_not(decided[0], scene)}."
    told = [one.name for one in decided if one.has_heard]
    wait = [one.name for one in decided if one.waits]
    others = [one.name for one in decided if not one.has_heard and not one.waits]
    because = [] if decided[0].because is None else [BECAUSE[decided[0].because]]
    parts = {"Told": told, "Not told yet": wait, "Not told": others}
    return " ".join([*because, *(f"{word}: {spoken.names(found)}." for word, found in parts.items() if found)])


def of_destination(one: Decided, scene: Scene) -> str:
    """What was decided for it and why, and what became of that."""
    if one.cause is Cause.MAILED:
        return "The owners were mailed: no destination could take it."
    if one.cause not in _MEANT:
        return f"{one.name} was not told: {_why_not(one, scene)}."
    if one.sending is None:
        return _meant(one, scene)
    if one.sending.replayed_at is not None:
        return f"{one.name} was told at {scene.clock(one.sending.replayed_at)}, when it was sent again."
    return _become(one, one.sending, scene)


_MEANT = frozenset({Cause.SENT_TO, Cause.QUIET_HOURS, Cause.STOPPED})


def _why_not(one: Decided, scene: Scene) -> str:
    if one.cause is Cause.SILENCED:
        return f"{one.hushing or 'a silence that is deleted by now'} covered it"
    if one.cause is Cause.BELOW_MIN_SEVERITY:
        return f"it was {scene.severity}, and {one.name}, or the step that tells it, wants to hear only of worse"
    return _WHY_NOT[one.cause]


_WHY_NOT: Mapping[Cause, str] = {
    Cause.UPDATES_OFF: "it wants to hear only when something breaks",
    Cause.NOTES_OFF: "it is set not to be notified of notes",
    Cause.NOT_TOLD: "it heard nothing of the incident before, so it hears neither its progress nor its end",
    Cause.DISABLED: "it was switched off",
    Cause.THROTTLED: "it came too soon after the one before, and was only counted",
    Cause.FLAPPING: "the incident kept opening and resolving, and not every time is told",
}


def _meant(one: Decided, scene: Scene) -> str:
    if one.cause is Cause.SENT_TO:
        return f"{one.name} was told."
    return f"{one.name} was to be told {_later(one, scene)}."


def _later(one: Decided, scene: Scene) -> str:
    if one.cause is Cause.QUIET_HOURS:
        return f"after the quiet hours, at {scene.clock(one.until)}" if one.until else "after the quiet hours"
    return "when its receiver takes notices again"


def _become(one: Decided, sending: Sending, scene: Scene) -> str:
    match sending.status:
        case Status.PENDING | Status.SENDING:
            return f"{one.name} is being told."
        case Status.RETRYING:
            again = "" if sending.due_at is None else f", and it is tried again at {scene.clock(sending.due_at)}"
            return f"{one.name} is not told yet: its receiver did not take it{_in_brackets(sending.cause)}{again}."
        case Status.HELD:
            return f"{one.name} was not told: {_held(one, sending, scene)}."
        case Status.SENT:
            at = "" if sending.settled_at is None else f" at {scene.clock(sending.settled_at)}"
            return f"{one.name} was told{at}{_AFTER.get(one.cause, '')}."
        case Status.FAILED:
            return f"{one.name} was not told: its receiver did not take it, and it was given up{_in_brackets(sending.cause)}."
        case Status.SKIPPED:
            before = "quiet hours held it, and " if one.cause is Cause.QUIET_HOURS else ""
            return f"{one.name} was not told: {before}{_SKIPPED.get(sending.cause or '', 'it was passed over')}."
        case Status.EXPIRED:
            return f"{one.name} was not told: its receiver refused for more than a day."


def _held(one: Decided, sending: Sending, scene: Scene) -> str:
    if sending.cause == Cause.QUIET_HOURS:
        until = max(filter(None, (one.until, sending.due_at)), default=None)
        return "quiet hours" + ("" if until is None else f" until {scene.clock(until)}")
    return "its receiver refuses, and it waits until that is mended"


def _in_brackets(cause: str | None) -> str:
    return f" ({cause})" if cause else ""


_AFTER: Mapping[Cause, str] = {
    Cause.QUIET_HOURS: ", after the quiet hours",
    Cause.STOPPED: ", when its receiver took notices again",
}

_SKIPPED: Mapping[str, str] = {
    Cause.DISABLED: "it was switched off before it left",
    Untold.SUPERSEDED: "a later notice said how the incident stood",
    Untold.OVER: "the incident was over by then, and it wants to hear only when something breaks",
    Untold.SILENCED: "a silence covered the incident by then",
}
