"""The table of transitions of an incident: its states, its acts and the notice of each transition (specification 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from inbox.domain.values.enums import FastStrEnum


class State(FastStrEnum):
    """The state of an incident. All but `resolved` are unresolved; one incident of a fingerprint is so at most."""

    OPEN = "open"
    """Nobody has acknowledged the incident. Steps, reminders and escalations are sent."""

    ACKNOWLEDGED = "acknowledged"
    """A person acknowledged the incident. Repeats are only counted; an event of higher severity opens it again."""

    SNOOZED = "snoozed"
    """A person or a rule snoozed the incident. It opens at the end or with a higher severity."""

    SILENCED = "silenced"
    """A silence covers the incident. Events are counted, notices are withheld, and the previous state is stored."""

    RESOLVED = "resolved"
    """The incident is over. An event within the reopen window reopens it; a later event opens a new incident."""


class Act(FastStrEnum):
    """An act on an incident. An event, a person, a timer or a silence causes it."""

    TRIGGER = "trigger"
    """A trigger event has the same severity as the incident or a lower one."""

    TRIGGER_HIGHER = "trigger_higher"
    """A trigger event has a higher severity than the incident has had since it last opened."""

    TRIGGER_SILENCED = "trigger_silenced"
    """A trigger event would open or reopen the incident while a silence matches."""

    TRIGGER_SNOOZED = "trigger_snoozed"
    """A trigger event would open or reopen the incident, and a rule snoozes it."""

    JOIN = "join"
    """A new alert joins an unresolved incident, with the same severity as the incident or a lower one."""

    NOTIFY = "notify"
    """A rule sends a notice for the event without an incident."""

    STEP_DUE = "step_due"
    """The next step of the routing profile is due."""

    RENOTIFY_DUE = "renotify_due"
    """A reminder of the open incident is due."""

    ACKNOWLEDGE = "acknowledge"
    """A person acknowledges the incident."""

    UNACKNOWLEDGE = "unacknowledge"
    """A person withdraws the acknowledgement."""

    ACK_TIMEOUT = "ack_timeout"
    """The acknowledgement expires, because the incident stayed acknowledged for longer than the timeout."""

    SNOOZE = "snooze"
    """A person snoozes the incident until a time."""

    SNOOZE_ENDS = "snooze_ends"
    """The end of the snooze is reached."""

    UNSNOOZE = "unsnooze"
    """A person ends the snooze early."""

    SILENCE_BEGINS = "silence_begins"
    """A silence that matches the incident begins."""

    SILENCE_ENDS = "silence_ends"
    """The last silence that covered the incident ends."""

    RECOVER = "recover"
    """A recovery arrives: an event with `action` = `resolve` or severity `SUCCESS`, or a heartbeat that is back."""

    ALERT_ENDS = "alert_ends"
    """A recovery ends one alert of the incident, and others still fire."""

    RESOLVE = "resolve"
    """A person resolves the incident."""

    AUTO_RESOLVE = "auto_resolve"
    """The service resolves the incident, because no event arrived for the auto-resolve time."""

    FLAPPING_ENDS = "flapping_ends"
    """A flapping incident has not changed between open and resolved for half an hour, or an hour if it flaps slowly."""

    REOPEN = "reopen"
    """A person reopens the incident."""

    EDIT = "edit"
    """A person edits title, assignee or tags, lowers the severity, or adds a note."""

    EDIT_HIGHER = "edit_higher"
    """A person raises the severity."""

    MEMBER_LEFT = "member_left"
    """The person who acknowledged the incident left the workspace, or the account was disabled or closed."""

    UNDELIVERABLE = "undeliverable"
    """No destination could be notified of the incident."""


class Reason(FastStrEnum):
    """The reason of a notice. The `type` of the notice is `incident.<reason>` (specification 3.10, 10.2)."""

    OPENED = "opened"
    """An incident opened."""

    REOCCURRED = "reoccurred"
    """A repeat arrived after a quiet period, or new alerts joined the incident."""

    ESCALATED = "escalated"
    """An event or a person raised the severity, or the next step of the routing profile is due."""

    REOPENED = "reopened"
    """The incident was reopened, or a person undid the act that resolved it."""

    RESOLVED = "resolved"
    """The incident was resolved."""

    RENOTIFY = "renotify"
    """The incident is still open, flapping ended while it was open, or its acknowledgement ended."""

    FALLBACK = "fallback"
    """No other destination could be notified."""

    FLAPPING = "flapping"
    """The incident opens and resolves repeatedly. Openings below the notified severity and ends are withheld."""

    SILENCE_EXPIRED = "silence_expired"
    """The silence ended, and the incident is open by what happened under the silence."""

    SNOOZE_EXPIRED = "snooze_expired"
    """The snooze ended and the incident is still unresolved."""

    INFORMATIONAL = "informational"
    """A rule sends a notice for an event without an incident."""

    ACKNOWLEDGED = "acknowledged"
    """A person acknowledged the incident."""

    SNOOZED = "snoozed"
    """A person snoozed the incident."""

    UPDATED = "updated"
    """A person edited the incident, added a note, or ended its snooze."""


class NoticeCondition(FastStrEnum):
    """The condition under which the notice of a transition is sent."""

    ALWAYS = ""
    """The notice is sent."""

    WAS_QUIET = "if it was quiet for the reoccur window (15 minutes)"
    """The notice is sent when the previous event was received long enough before."""

    NOT_TOLD_LATELY = "at most one in 5 minutes, which names all that joined"
    """The notice is sent at once, or at the end of the quiet period after the last one."""

    OTHER_TIME = "if it is until another time, else nothing happens"
    """A snooze gets another end. The same end again is no transition."""

    IS_NEWS = "if that is `open` and not known"
    """The notice is sent when the incident returns to the state `open`, and nobody was told of what happened under the
    silence: it opened, reopened, rose, or its snooze or acknowledgement ended."""

    WITHHELD = "withheld: the silence keeps it from everybody"
    """The notice is stored with the silence as its cause and sent to nobody, so that people find why."""

    FIRST = "or `opened` if nobody was notified of it yet"
    """The notice is sent. Its reason is `opened` when the incident opened while it flapped and nobody was notified."""


@dataclass(frozen=True, slots=True)
class Transition:
    """The result of an act. `to` is `None` for the state stored before a silence. Without `notice` none is sent."""

    to: State | None
    notice: Reason | None = None
    condition: NoticeCondition = NoticeCondition.ALWAYS


@dataclass(frozen=True, slots=True)
class NoChange:
    """The incident is in the target state of the act already. The record stays unchanged and the response is 200."""


@dataclass(frozen=True, slots=True)
class TransitionRefused:
    """The state does not allow the act. A person gets `invalid_transition`; a timer does nothing."""

    state: State
    act: Act


OPEN, ACKNOWLEDGED, SNOOZED, SILENCED, RESOLVED = State
TRIGGER, RECOVER = Act.TRIGGER, Act.RECOVER
"""States and acts of most events as module constants. A lookup in an `Enum` takes far longer."""

UNRESOLVED = frozenset(State) - {RESOLVED}

_TO_RESOLVED = Transition(RESOLVED, Reason.RESOLVED)
_ESCALATED, _JOINED = Transition(OPEN, Reason.ESCALATED), (Reason.REOCCURRED, NoticeCondition.NOT_TOLD_LATELY)
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
"""The transitions of an event without an incident, or with one resolved before the reopen window."""

TRANSITIONS: Mapping[tuple[State, Act], Transition] = MappingProxyType(
    {
        (OPEN, Act.TRIGGER): Transition(OPEN, Reason.REOCCURRED, NoticeCondition.WAS_QUIET),
        (ACKNOWLEDGED, Act.TRIGGER): Transition(ACKNOWLEDGED),
        (SNOOZED, Act.TRIGGER): Transition(SNOOZED),
        (SILENCED, Act.TRIGGER): _TO_SILENCED,
        **{(state, Act.JOIN): Transition(state, *_JOINED) for state in (OPEN, ACKNOWLEDGED, SNOOZED)},
        (SILENCED, Act.JOIN): _TO_SILENCED,
        **{(state, Act.ALERT_ENDS): Transition(state) for state in (OPEN, ACKNOWLEDGED, SNOOZED, SILENCED)},
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
        (SILENCED, Act.SILENCE_ENDS): Transition(None, Reason.SILENCE_EXPIRED, NoticeCondition.IS_NEWS),
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
"""All transitions of an existing incident. Every other combination is refused."""

_REACHED: Mapping[Act, frozenset[State | None]] = MappingProxyType(
    {act: frozenset(move.to for (_, tried), move in TRANSITIONS.items() if tried is act) for act in Act}
)


def lookup(state: State, act: Act) -> Transition | NoChange | TransitionRefused:
    """Returns the transition of `act` in `state`.

    Returns `NoChange` when a transition of this act leads to `state`, and `TransitionRefused` otherwise.
    """
    transition = TRANSITIONS.get((state, act))
    if transition is not None:
        return transition
    return NoChange() if state in _REACHED[act] else TransitionRefused(state, act)
