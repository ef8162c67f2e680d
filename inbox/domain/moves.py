"""The table of moves of an incident: its states, what may happen to it, and what is then told (specification 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from inbox.domain.word import Word


class State(Word):
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


class Act(Word):
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


class Reason(Word):
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


class Condition(Word):
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
class Move:
    """Where an act leads. `to` is `None` for the state kept from before a silence; without `notice` nothing is told."""

    to: State | None
    notice: Reason | None = None
    only: Condition = Condition.ALWAYS


@dataclass(frozen=True, slots=True)
class Already:
    """The state that the act leads to is reached: the record stays as it is, the answer is 200."""


@dataclass(frozen=True, slots=True)
class Impossible:
    """The state does not allow the act: `invalid_transition` to a person, nothing to do for a clock."""

    state: State
    act: Act


OPEN, ACKNOWLEDGED, SNOOZED, SILENCED, RESOLVED = State
"""The states by names of their own, for what every event goes through: to look one up in its `Enum` takes far longer."""

TRIGGER, RECOVER = Act.TRIGGER, Act.RECOVER
"""What most events do, likewise."""

UNRESOLVED = frozenset(State) - {RESOLVED}

_OVER = Move(RESOLVED, Reason.RESOLVED)
_WORSE = Move(OPEN, Reason.ESCALATED)
_HUSHED = Move(SILENCED)
_PUT_OFF = Move(SNOOZED)

BIRTHS: Mapping[Act, Move] = MappingProxyType(
    {
        Act.TRIGGER: Move(OPEN, Reason.OPENED),
        Act.TRIGGER_SILENCED: Move(SILENCED, Reason.OPENED, Condition.WITHHELD),
        Act.TRIGGER_SNOOZED: _PUT_OFF,
        Act.NOTIFY: Move(None, Reason.INFORMATIONAL),
    }
)
"""What an event does where there is no incident yet, or only one resolved longer ago than the reopen window."""

MOVES: Mapping[tuple[State, Act], Move] = MappingProxyType(
    {
        (OPEN, Act.TRIGGER): Move(OPEN, Reason.REOCCURRED, Condition.WAS_QUIET),
        (ACKNOWLEDGED, Act.TRIGGER): Move(ACKNOWLEDGED),
        (SNOOZED, Act.TRIGGER): Move(SNOOZED),
        (SILENCED, Act.TRIGGER): _HUSHED,
        (RESOLVED, Act.TRIGGER): Move(OPEN, Reason.REOPENED),
        (RESOLVED, Act.TRIGGER_SILENCED): Move(SILENCED, Reason.REOPENED, Condition.WITHHELD),
        (RESOLVED, Act.TRIGGER_SNOOZED): _PUT_OFF,
        (OPEN, Act.TRIGGER_HIGHER): _WORSE,
        (ACKNOWLEDGED, Act.TRIGGER_HIGHER): _WORSE,
        (SNOOZED, Act.TRIGGER_HIGHER): _WORSE,
        (SILENCED, Act.TRIGGER_HIGHER): Move(SILENCED, Reason.ESCALATED, Condition.WITHHELD),
        (OPEN, Act.STEP_DUE): _WORSE,
        (OPEN, Act.RENOTIFY_DUE): Move(OPEN, Reason.RENOTIFY),
        (OPEN, Act.UNDELIVERABLE): Move(OPEN, Reason.FALLBACK),
        (OPEN, Act.ACKNOWLEDGE): Move(ACKNOWLEDGED, Reason.ACKNOWLEDGED),
        (SNOOZED, Act.ACKNOWLEDGE): Move(ACKNOWLEDGED, Reason.ACKNOWLEDGED),
        (ACKNOWLEDGED, Act.UNACKNOWLEDGE): Move(OPEN, Reason.RENOTIFY),
        (ACKNOWLEDGED, Act.ACK_TIMEOUT): Move(OPEN, Reason.RENOTIFY),
        (ACKNOWLEDGED, Act.MEMBER_LEFT): Move(OPEN, Reason.RENOTIFY),
        (SNOOZED, Act.MEMBER_LEFT): _PUT_OFF,
        (SILENCED, Act.MEMBER_LEFT): _HUSHED,
        (OPEN, Act.SNOOZE): Move(SNOOZED, Reason.SNOOZED),
        (ACKNOWLEDGED, Act.SNOOZE): Move(SNOOZED, Reason.SNOOZED),
        (SNOOZED, Act.SNOOZE): Move(SNOOZED, Reason.SNOOZED, Condition.OTHER_TIME),
        (SNOOZED, Act.SNOOZE_ENDS): Move(OPEN, Reason.SNOOZE_EXPIRED),
        (SNOOZED, Act.UNSNOOZE): Move(OPEN, Reason.UPDATED),
        (OPEN, Act.SILENCE_BEGINS): _HUSHED,
        (ACKNOWLEDGED, Act.SILENCE_BEGINS): _HUSHED,
        (SNOOZED, Act.SILENCE_BEGINS): _HUSHED,
        (SILENCED, Act.SILENCE_ENDS): Move(None, Reason.SILENCE_EXPIRED, Condition.IS_OPEN_AGAIN),
        **{
            (state, act): _OVER
            for act in (Act.RECOVER, Act.RESOLVE, Act.AUTO_RESOLVE)
            for state in (OPEN, ACKNOWLEDGED, SNOOZED, SILENCED)
        },
        (OPEN, Act.FLAPPING_ENDS): Move(OPEN, Reason.RENOTIFY, Condition.FIRST),
        (ACKNOWLEDGED, Act.FLAPPING_ENDS): Move(ACKNOWLEDGED),
        (SNOOZED, Act.FLAPPING_ENDS): _PUT_OFF,
        (SILENCED, Act.FLAPPING_ENDS): _HUSHED,
        (RESOLVED, Act.FLAPPING_ENDS): _OVER,
        (RESOLVED, Act.REOPEN): Move(OPEN, Reason.REOPENED),
        (OPEN, Act.EDIT): Move(OPEN, Reason.UPDATED),
        (ACKNOWLEDGED, Act.EDIT): Move(ACKNOWLEDGED, Reason.UPDATED),
        (SNOOZED, Act.EDIT): Move(SNOOZED, Reason.UPDATED),
        (SILENCED, Act.EDIT): Move(SILENCED, Reason.UPDATED),
        (OPEN, Act.EDIT_HIGHER): _WORSE,
        (ACKNOWLEDGED, Act.EDIT_HIGHER): Move(ACKNOWLEDGED, Reason.ESCALATED),
        (SNOOZED, Act.EDIT_HIGHER): Move(SNOOZED, Reason.ESCALATED),
        (SILENCED, Act.EDIT_HIGHER): Move(SILENCED, Reason.ESCALATED),
        (RESOLVED, Act.EDIT): Move(RESOLVED),
    }
)
"""All moves of an incident that exists; what is not here is refused."""

_REACHED: Mapping[Act, frozenset[State | None]] = MappingProxyType(
    {act: frozenset(move.to for (_, tried), move in MOVES.items() if tried is act) for act in Act}
)


def look_up(state: State, act: Act) -> Move | Already | Impossible:
    """What `act` does in `state`; a repeated act whose state is reached is `Already`, whatever else `Impossible`."""
    move = MOVES.get((state, act))
    if move is not None:
        return move
    return Already() if state in _REACHED[act] else Impossible(state, act)
