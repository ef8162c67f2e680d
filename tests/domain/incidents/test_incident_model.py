"""Every sequence of acts on one fingerprint, compared with a small independent model (specification 3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from inbox.domain.deliveries.suppression import NON_ALERTS, suppression_cause
from inbox.domain.incidents.event_transition import EventEffect, ReopenPolicy, on_event
from inbox.domain.incidents.incident import (
    Act,
    ActArguments,
    Actor,
    Incident,
    NoChange,
    Reason,
    Transitioned,
    TransitionRefused,
    apply_act,
    replace_fast,
)
from inbox.domain.values.severity import Severity

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
BAD = [Severity.WARNING, Severity.ERROR, Severity.CRITICAL]
REOPEN, QUIET = 60, 15
UPDATES = {"acknowledged", "snoozed", "resolved", "updated"}
WITHHELD_BY_FLAPPING = {"opened", "reopened", "resolved", "reoccurred"}


class OneFingerprint(RuleBasedStateMachine):
    """The model is five plain values and a list of minutes; `arrived` is the notice that it expects of the last act."""

    def __init__(self) -> None:
        super().__init__()
        self.minute = 0
        self.real: Incident | None = None
        self.stated: tuple[str | None, str | None] = (None, None)
        self.state = "none"
        self.retained = ""
        self.rank = 0
        self.snoozed_to = 0
        self.last_event = self.ended = 0
        self.moves: list[int] = []
        self.flaps = False
        self.reported = 0
        self.was_reported = False
        self.told_at = self.opened_at = 0
        self.arrived: tuple[str | None, str | None] = (None, None)

    @property
    def now(self) -> datetime:
        return START + self.minute * MINUTE

    # What is done to both

    @rule(minutes=st.sampled_from([0, 1, 5, 14, 15, 29, 30, 59, 60, 61]))
    def time_passes(self, minutes: int) -> None:
        self.minute += minutes

    @rule(severity=st.sampled_from(BAD), silenced=st.booleans(), snoozed=st.booleans())
    def something_breaks(self, severity: Severity, silenced: bool, snoozed: bool) -> None:
        self._event(EventEffect(severity, self.now), silenced, snoozed)
        if self.state in ("none", "resolved") or severity.rank > self.rank:
            self._lapse()  # what only repeats leaves that to the clock
        state, retained = ("snoozed", "") if snoozed else ("open", "")
        state, retained = ("silenced", state) if silenced else (state, retained)
        if self.state == "none":
            self._open("opened", severity, state, retained, moves=False)
        elif self.state == "resolved":
            if self.minute - self.ended <= REOPEN:
                self._open("reopened", severity, state, retained, moves=True)
            else:
                self._open("opened", severity, state, retained, moves=True)
        elif severity.rank > self.rank:
            self.rank = severity.rank
            if self.state == "silenced":
                self.retained, self.snoozed_to = "open", 0
                self._notify("escalated")
            else:
                self.state, self.snoozed_to = "open", 0
                self._notify("escalated")
        else:
            self._notify("reoccurred" if self.state == "open" and self.minute - self.last_event >= QUIET else None)
        self.last_event = self.minute

    @rule()
    def it_recovers(self) -> None:
        self._event(EventEffect(Severity.SUCCESS, self.now, recovers=True, by=Actor("event")), False, False)
        if self.state not in ("none", "resolved"):
            self._lapse()
            self.last_event = self.minute
        self._end()

    @precondition(lambda self: self.real is not None)
    @rule(act=st.sampled_from([Act.RESOLVE, Act.AUTO_RESOLVE]))
    def it_is_resolved(self, act: Act) -> None:
        self._act(act, by=Actor("user"))
        if self.state != "resolved":
            self._lapse()
        self._end()

    @precondition(lambda self: self.real is not None)
    @rule()
    def it_is_reopened(self) -> None:
        self._act(Act.REOPEN)
        self._notify(None)
        if self.state == "resolved":
            self._lapse()
            self._open("reopened", None, "open", "", moves=True)

    @precondition(lambda self: self.real is not None)
    @rule()
    def it_is_taken(self) -> None:
        self._act(Act.ACKNOWLEDGE)
        self._go({"open": ("acknowledged", "acknowledged"), "snoozed": ("acknowledged", "acknowledged")})

    @precondition(lambda self: self.real is not None)
    @rule(act=st.sampled_from([Act.UNACKNOWLEDGE, Act.ACK_TIMEOUT]))
    def it_is_given_back(self, act: Act) -> None:
        self._act(act)
        self._go({"acknowledged": ("open", "renotify")})

    @precondition(lambda self: self.real is not None)
    @rule()
    def who_took_it_leaves(self) -> None:
        self._act(Act.MEMBER_LEFT)
        self._notify(None)
        if self.state == "acknowledged":
            self.state = "open"
            self._notify("renotify")
        elif self.retained == "acknowledged":
            self.retained, self.reported = "open", 0

    @precondition(lambda self: self.real is not None)
    @rule(minutes=st.integers(1, 100))
    def it_is_put_off(self, minutes: int) -> None:
        self._act(Act.SNOOZE, until=self.now + minutes * MINUTE)
        same = self.state == "snoozed" and self.snoozed_to == self.minute + minutes
        moved = {} if same else dict.fromkeys(("open", "acknowledged", "snoozed"), ("snoozed", "snoozed"))
        if self.state in moved:
            self.snoozed_to = self.minute + minutes
        self._go(moved, keep_snooze=True)

    @precondition(lambda self: self.real is not None)
    @rule(act=st.sampled_from([(Act.SNOOZE_ENDS, "snooze_expired"), (Act.UNSNOOZE, "updated")]))
    def it_wakes(self, act: tuple[Act, str]) -> None:
        self._act(act[0])
        self._go({"snoozed": ("open", act[1])})

    @precondition(lambda self: self.real is not None)
    @rule()
    def a_silence_begins(self) -> None:
        self._act(Act.SILENCE_BEGINS, silence=UUID(int=8))
        before = self.state
        self._go(dict.fromkeys(("open", "acknowledged", "snoozed"), ("silenced", None)), keep_snooze=True)
        if before != "silenced" and self.state == "silenced":
            self.retained = before

    @precondition(lambda self: self.real is not None)
    @rule()
    def the_silence_ends(self) -> None:
        self._act(Act.SILENCE_ENDS)
        self._notify(None)
        if self.state == "silenced":
            woken = self.retained == "snoozed" and self.snoozed_to <= self.minute
            back = "open" if woken else self.retained
            self.state, self.retained = back, ""
            self.snoozed_to = self.snoozed_to if back == "snoozed" else 0
            told = self.was_reported and self.told_at >= self.opened_at and self.reported >= self.rank
            self._notify("silence_expired" if back == "open" and (woken or not told) else None)

    @precondition(lambda self: self.real is not None)
    @rule()
    def it_rests(self) -> None:
        self._act(Act.FLAPPING_ENDS)
        self._notify(None)
        if self._lapse():
            self._notify(
                {"resolved": "resolved", "open": "renotify" if self.was_reported else "opened"}.get(self.state)
            )

    @precondition(lambda self: self.real is not None and self.state != "resolved")
    @rule(severity=st.sampled_from(BAD))
    def its_severity_is_raised_or_lowered(self, severity: Severity) -> None:
        rises = severity.rank > self.rank
        self._act(Act.EDIT_HIGHER if rises else Act.EDIT, severity=severity)
        self.rank = severity.rank
        self._notify("escalated" if rises else "updated", by_person=True)

    # What must hold

    @invariant()
    def both_say_the_same(self) -> None:
        assert self.stated == self.arrived
        if self.real is None:
            assert self.state == "none"
            return
        assert (str(self.real.state), self.real.flapping) == (self.state, self.flaps)
        assert str(self.real.state_before or "") == self.retained
        assert self.state == "resolved" or self.real.severity.rank == self.rank
        assert (self.real.snoozed_until is not None) == bool(self.snoozed_to)

    # The real one

    def _event(self, occurrence: EventEffect, silenced: bool, snoozed: bool) -> None:
        outcome = on_event(
            self.real,
            occurrence,
            self.now,
            ReopenPolicy.of_minutes(QUIET, REOPEN),
            silenced_by=UUID(int=9) if silenced else None,
            snooze=90 * MINUTE if snoozed else None,
        )
        self.real = outcome.incident or self.real
        self._note(outcome.reason)

    def _act(self, act: Act, **about: object) -> None:
        assert self.real is not None
        answer = apply_act(self.real, act, self.now, ActArguments(**about))  # type: ignore[arg-type]
        assert isinstance(answer, Transitioned | NoChange | TransitionRefused)
        if isinstance(answer, Transitioned):
            self.real = answer.incident
        by_person = act in (Act.EDIT, Act.EDIT_HIGHER)
        self._note(answer.reason if isinstance(answer, Transitioned) else None, by_person=by_person)

    def _note(self, reason: Reason | None, *, by_person: bool = False) -> None:
        cause = (
            None if reason is None or self.real is None else suppression_cause(self.real, reason, by_person=by_person)
        )
        if self.real is not None and reason is not None and cause is None and reason not in NON_ALERTS:
            self.real = replace_fast(self.real, notified_severity=self.real.severity, notified_at=self.now)
        self.stated = (None if reason is None else str(reason), cause and cause.partition(":")[0])

    # The model

    def _lapse(self) -> bool:
        """Whether flapping ends by now. Its moves are then counted no more."""
        near, far = (sum(self.moves[-1] - move <= span for move in self.moves) for span in (30, 180))
        if not self.flaps or self.minute - self.moves[-1] < (60 if near < 5 and far >= 6 else 30):
            return False
        self.flaps, self.moves = False, []
        return True

    def _notify(self, reason: str | None, *, by_person: bool = False) -> None:
        cause = None
        if reason and self.state == "silenced" and not by_person:
            cause = "silenced"
        elif reason in WITHHELD_BY_FLAPPING and self.flaps:
            cause = None if reason in ("opened", "reopened") and self.rank > self.reported else "flapping"
        if reason and cause is None and reason not in UPDATES:
            self.reported, self.was_reported, self.told_at = self.rank, True, self.minute
        self.arrived = (reason, cause)

    def _go(self, ways: dict[str, tuple[str, str | None]], *, keep_snooze: bool = False) -> None:
        to, reason = ways.get(self.state, (self.state, None))
        if self.state in ways:
            self.snoozed_to = self.snoozed_to if keep_snooze else 0
        self.state = to
        self._notify(reason)

    def _open(self, reason: str, severity: Severity | None, state: str, retained: str, *, moves: bool) -> None:
        self.state, self.retained, self.opened_at = state, retained, self.minute
        self.was_reported = self.was_reported and reason == "reopened"
        self.rank = self.rank if severity is None else severity.rank
        self.snoozed_to = self.minute + 90 if "snoozed" in (state, retained) else 0
        begins = moves and self._move()
        stated = None if state == "snoozed" else reason
        self._notify("flapping" if begins and stated and state != "silenced" else stated)

    def _end(self) -> None:
        if self.state in ("none", "resolved"):
            self._notify(None)
            return
        was, self.state, self.retained, self.snoozed_to = self.state, "resolved", "", 0
        self.ended = self.minute
        begins = self._move()
        self._notify("flapping" if begins and was != "silenced" else "resolved")

    def _move(self) -> bool:
        self.moves.append(self.minute)
        was = self.flaps
        near, far = (sum(self.minute - move <= span for move in self.moves) for span in (30, 180))
        self.flaps = was or near >= 5 or far >= 6
        return self.flaps and not was


OneFingerprint.TestCase.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
TestOneFingerprint = OneFingerprint.TestCase
