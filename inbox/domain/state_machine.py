"""The table of moves of an incident: its states, what may happen to it, and what is then told (specification 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from inbox.domain.enums import FastStrEnum


class State(FastStrEnum):
    """Where an incident stands. Every state but `resolved` is unresolved; a source has one such per fingerprint."""

    OPEN = "open"
    """Something is broken and nobody has taken it: steps, renotices and escalations go out."""

    ACKNOWLEDGED = "acknowledged"
    """A person has taken it: repeats are counted quietly, only a higher severity opens it again."""

    SNOOZED = "snoozed"
    """A person put it off until a time (at most 30 days): then, or when it gets worse, it opens again."""

    SILENCED = "silenced"
    """A silence covers it: events are counted, nothing is told; the state before is kept for the silence's end."""

    RESOLVED = "resolved"
    """It is over; an event within the reopen window opens it again, a later one opens a new incident."""


class Act(FastStrEnum):
    """What may happen to an incident: an event, a person's act, a clock, a silence."""

    TRIGGER = "trigger"
    """An event that opens, of the same or a lower severity than the incident's."""

    TRIGGER_HIGHER = "trigger_higher"
    """An event that opens, of a higher severity than the incident has had since it last opened."""

    TRIGGER_SILENCED = "trigger_silenced"
    """An event that would open or reopen while a silence matches it."""

    TRIGGER_SNOOZED = "trigger_snoozed"
    """An event that would open or reopen, which a rule puts off for a while."""

    NOTIFY = "notify"
    """A rule sends a notice for the event without opening an incident."""

    STEP_DUE = "step_due"
    """The next step of the routing profile is due."""

    RENOTIFY_DUE = "renotify_due"
    """It has been open for so long that it is told again."""

    ACKNOWLEDGE = "acknowledge"
    """A person takes it."""

    UNACKNOWLEDGE = "unacknowledge"
    """A person gives it back."""

    ACK_TIMEOUT = "ack_timeout"
    """It was taken, and then nothing happened for too long."""

    SNOOZE = "snooze"
    """A person puts it off until a time."""

    SNOOZE_ENDS = "snooze_ends"
    """The time until which it was put off has passed."""

    UNSNOOZE = "unsnooze"
    """A person ends the snooze early."""

    SILENCE_BEGINS = "silence_begins"
    """A silence that matches it begins."""

    SILENCE_ENDS = "silence_ends"
    """The last silence that covered it ends."""

    RECOVER = "recover"
    """An event says that it is over: `action` = `resolve`, severity `SUCCESS`, or a heartbeat that is back."""

    RESOLVE = "resolve"
    """A person says that it is over."""

    AUTO_RESOLVE = "auto_resolve"
    """It has been quiet for so long that it is taken to be over."""

    FLAPPING_ENDS = "flapping_ends"
    """It flapped, and has not moved between open and resolved for half an hour."""

    REOPEN = "reopen"
    """A person says that it is not over."""

    EDIT = "edit"
    """A person edits title, assignee or tags, lowers the severity, or adds a note. A resolved incident takes tags and an
    assignee only."""

    EDIT_HIGHER = "edit_higher"
    """A person raises the severity."""

    MEMBER_LEFT = "member_left"
    """Who acknowledged it is no member of the workspace any more, or their account was disabled or closed."""

    UNDELIVERABLE = "undeliverable"
    """No destination could be told of it."""


class Reason(FastStrEnum):
    """Why a notice is sent; its `type` is `incident.<reason>` (specification 3.10, 10.2)."""

    OPENED = "opened"
    """Something broke."""

    REOCCURRED = "reoccurred"
    """It happened again after it had been quiet for a while."""

    ESCALATED = "escalated"
    """It got worse, a person raised its severity, or the next step of the routing profile is due."""

    REOPENED = "reopened"
    """It was over and is not, or a person undid the act that resolved it."""

    RESOLVED = "resolved"
    """It is over."""

    RENOTIFY = "renotify"
    """It is still open, flapping ended while it was open, or its acknowledgement was taken back."""

    FALLBACK = "fallback"
    """Nobody else could be told."""

    FLAPPING = "flapping"
    """It keeps opening and resolving; until that ends neither is told, unless it is worse than what was told before."""

    SILENCE_EXPIRED = "silence_expired"
    """The silence is over and the incident is still open."""

    SNOOZE_EXPIRED = "snooze_expired"
    """The snooze is over and the incident is still unresolved."""

    INFORMATIONAL = "informational"
    """An event of which a rule wants to tell without an incident."""

    ACKNOWLEDGED = "acknowledged"
    """A person took it."""

    SNOOZED = "snoozed"
    """A person put it off."""

    UPDATED = "updated"
    """A person edited it or ended its snooze."""


class NoticeCondition(FastStrEnum):
    """On what it depends whether the notice of a move is sent."""

    ALWAYS = ""
    """It is sent."""

    WAS_QUIET = "if it was quiet for the reoccur window (15 minutes)"
    """Only when the event before was long enough ago."""

    OTHER_TIME = "if it is until another time, else nothing happens"
    """A snooze is moved to another end; the same end again is no move."""

    IS_OPEN_AGAIN = "if that is `open`"
    """Only when the state to which the incident returns is `open`."""

    WITHHELD = "withheld: the silence keeps it from everybody"
    """It is written with that cause, so that who asks why nobody was told finds it, and sent to nobody."""

    FIRST = "or `opened` if nobody was notified of it yet"
    """It is sent; as `opened` when the incident opened while it flapped, so that nobody was notified of it."""


@dataclass(frozen=True, slots=True)
class Transition:
    """Where an act leads. `to` is `None` for the state kept from before a silence; without `notice` nothing is told."""

    to: State | None
    notice: Reason | None = None
    only: NoticeCondition = NoticeCondition.ALWAYS


@dataclass(frozen=True, slots=True)
class NoChange:
    """The state that the act leads to is reached: the record stays as it is, the answer is 200."""


@dataclass(frozen=True, slots=True)
class TransitionRefused:
    """The state does not allow the act: `invalid_transition` to a person, nothing to do for a clock."""

    state: State
    act: Act


OPEN, ACKNOWLEDGED, SNOOZED, SILENCED, RESOLVED = State
"""The states by names of their own, for what every event goes through: to look one up in its `Enum` takes far longer."""

TRIGGER, RECOVER = Act.TRIGGER, Act.RECOVER
"""What most events do, likewise."""

UNRESOLVED = frozenset(State) - {RESOLVED}

_TO_RESOLVED = Transition(RESOLVED, Reason.RESOLVED)
_ESCALATED = Transition(OPEN, Reason.ESCALATED)
_TO_SILENCED = Transition(SILENCED)
_TO_SNOOZED = Transition(SNOOZED)

INITIAL_TRANSITIONS: Mapping[Act, Transition] = MappingProxyType(
    {
        Act.TRIGGER: Transition(OPEN, Reason.OPENED),
        Act.TRIGGER_SILENCED: Transition(SILENCED, Reason.OPENED, NoticeCondition.WITHHELD),
        Act.TRIGGER_SNOOZED: _TO_SNOOZED,
        Act.NOTIFY: Transition(None, Reason.INFORMATIONAL),
    }
)
"""What an event does where there is no incident yet, or only one resolved longer ago than the reopen window."""

TRANSITIONS: Mapping[tuple[State, Act], Transition] = MappingProxyType(
    {
        (OPEN, Act.TRIGGER): Transition(OPEN, Reason.REOCCURRED, NoticeCondition.WAS_QUIET),
        (ACKNOWLEDGED, Act.TRIGGER): Transition(ACKNOWLEDGED),
        (SNOOZED, Act.TRIGGER): Transition(SNOOZED),
        (SILENCED, Act.TRIGGER): _TO_SILENCED,
        (RESOLVED, Act.TRIGGER): Transition(OPEN, Reason.REOPENED),
        (RESOLVED, Act.TRIGGER_SILENCED): Transition(SILENCED, Reason.REOPENED, NoticeCondition.WITHHELD),
        (RESOLVED, Act.TRIGGER_SNOOZED): _TO_SNOOZED,
        (OPEN, Act.TRIGGER_HIGHER): _ESCALATED,
        (ACKNOWLEDGED, Act.TRIGGER_HIGHER): _ESCALATED,
        (SNOOZED, Act.TRIGGER_HIGHER): _ESCALATED,
        (SILENCED, Act.TRIGGER_HIGHER): Transition(SILENCED, Reason.ESCALATED, NoticeCondition.WITHHELD),
        (OPEN, Act.STEP_DUE): _ESCALATED,
        (OPEN, Act.RENOTIFY_DUE): Transition(OPEN, Reason.RENOTIFY),
        (OPEN, Act.UNDELIVERABLE): Transition(OPEN, Reason.FALLBACK),
        (OPEN, Act.ACKNOWLEDGE): Transition(ACKNOWLEDGED, Reason.ACKNOWLEDGED),
        (SNOOZED, Act.ACKNOWLEDGE): Transition(ACKNOWLEDGED, Reason.ACKNOWLEDGED),
        (ACKNOWLEDGED, Act.UNACKNOWLEDGE): Transition(OPEN, Reason.RENOTIFY),
        (ACKNOWLEDGED, Act.ACK_TIMEOUT): Transition(OPEN, Reason.RENOTIFY),
        (ACKNOWLEDGED, Act.MEMBER_LEFT): Transition(OPEN, Reason.RENOTIFY),
        (SNOOZED, Act.MEMBER_LEFT): _TO_SNOOZED,
        (SILENCED, Act.MEMBER_LEFT): _TO_SILENCED,
        (OPEN, Act.SNOOZE): Transition(SNOOZED, Reason.SNOOZED),
        (ACKNOWLEDGED, Act.SNOOZE): Transition(SNOOZED, Reason.SNOOZED),
        (SNOOZED, Act.SNOOZE): Transition(SNOOZED, Reason.SNOOZED, NoticeCondition.OTHER_TIME),
        (SNOOZED, Act.SNOOZE_ENDS): Transition(OPEN, Reason.SNOOZE_EXPIRED),
        (SNOOZED, Act.UNSNOOZE): Transition(OPEN, Reason.UPDATED),
        (OPEN, Act.SILENCE_BEGINS): _TO_SILENCED,
        (ACKNOWLEDGED, Act.SILENCE_BEGINS): _TO_SILENCED,
        (SNOOZED, Act.SILENCE_BEGINS): _TO_SILENCED,
        (SILENCED, Act.SILENCE_ENDS): Transition(None, Reason.SILENCE_EXPIRED, NoticeCondition.IS_OPEN_AGAIN),
        **{
            (state, act): _TO_RESOLVED
            for act in (Act.RECOVER, Act.RESOLVE, Act.AUTO_RESOLVE)
            for state in (OPEN, ACKNOWLEDGED, SNOOZED, SILENCED)
        },
        (OPEN, Act.FLAPPING_ENDS): Transition(OPEN, Reason.RENOTIFY, NoticeCondition.FIRST),
        (ACKNOWLEDGED, Act.FLAPPING_ENDS): Transition(ACKNOWLEDGED),
        (SNOOZED, Act.FLAPPING_ENDS): _TO_SNOOZED,
        (SILENCED, Act.FLAPPING_ENDS): _TO_SILENCED,
        (RESOLVED, Act.FLAPPING_ENDS): _TO_RESOLVED,
        (RESOLVED, Act.REOPEN): Transition(OPEN, Reason.REOPENED),
        (OPEN, Act.EDIT): Transition(OPEN, Reason.UPDATED),
        (ACKNOWLEDGED, Act.EDIT): Transition(ACKNOWLEDGED, Reason.UPDATED),
        (SNOOZED, Act.EDIT): Transition(SNOOZED, Reason.UPDATED),
        (SILENCED, Act.EDIT): Transition(SILENCED, Reason.UPDATED),
        (OPEN, Act.EDIT_HIGHER): _ESCALATED,
        (ACKNOWLEDGED, Act.EDIT_HIGHER): Transition(ACKNOWLEDGED, Reason.ESCALATED),
        (SNOOZED, Act.EDIT_HIGHER): Transition(SNOOZED, Reason.ESCALATED),
        (SILENCED, Act.EDIT_HIGHER): Transition(SILENCED, Reason.ESCALATED),
        (RESOLVED, Act.EDIT): Transition(RESOLVED),
    }
)
"""All moves of an incident that exists; what is not here is refused."""

_REACHED: Mapping[Act, frozenset[State | None]] = MappingProxyType(
    {act: frozenset(move.to for (_, tried), move in TRANSITIONS.items() if tried is act) for act in Act}
)


def lookup(state: State, act: Act) -> Transition | NoChange | TransitionRefused:
    """What `act` does in `state`; a repeated act whose state is reached is `NoChange`, whatever else `TransitionRefused`."""
    transition = TRANSITIONS.get((state, act))
    if transition is not None:
        return transition
    return NoChange() if state in _REACHED[act] else TransitionRefused(state, act)
