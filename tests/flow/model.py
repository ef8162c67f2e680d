"""Incidents as specification 3, 6, 8 and 9 describe them, written once more and in another way.

Times are whole seconds from a midnight, severities are ranks, destinations are names. Nothing of the product is
used here. `Model` is a workspace: its methods are what may happen, its cases and their notices what must come of it.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.flow.model_parts import (
    SETTLED,
    SILENCED_BY_FLAPPING,
    UNRESOLVED,
    UPDATES,
    Case,
    ModelRecipient,
    ModelSilence,
    Sent,
    StepGroup,
    Terms,
)

PEOPLE = {
    ("open", "acknowledge"): ("acknowledged", "acknowledged"),
    ("snoozed", "acknowledge"): ("acknowledged", "acknowledged"),
    ("acknowledged", "unacknowledge"): ("open", "renotify"),
    ("open", "snooze"): ("snoozed", "snoozed"),
    ("acknowledged", "snooze"): ("snoozed", "snoozed"),
    ("snoozed", "snooze"): ("snoozed", "snoozed"),
    ("snoozed", "unsnooze"): ("open", "updated"),
    **{(state, "resolve"): ("resolved", "resolved") for state in UNRESOLVED},
    ("resolved", "reopen"): ("open", "reopened"),
    **{(state, "edit"): (state, "updated") for state in UNRESOLVED},
}
"""(state, act of a person) → the state after it and what is told; what is not here is a repeat or refused."""

REPEATS = {("acknowledged", "acknowledge"), ("open", "unacknowledge"), ("open", "unsnooze"), ("resolved", "resolve"),
           ("open", "reopen")}  # fmt: skip


class Refused(Exception):
    """A person asked for what the state does not allow."""


class Model:
    """A workspace in which one thing happens after another; `now` is what the clock shows meanwhile."""

    def __init__(self, terms: Terms, model_recipients: dict[str, ModelRecipient]) -> None:
        self.terms, self.model_recipients = terms, model_recipients
        self.cases: list[Case] = []
        self.hushes: list[ModelSilence] = []
        self.taker = 1
        """Who acts: the first person, and after their leaving the next."""
        self.left_at: int | None = None
        """When somebody left, until a clock has looked at what they had taken."""
        self.changed = False
        """Whether a rule, a silence or a setting changed, so that quiet hours are looked at again."""

    # Events

    def event(
        self, key: str, rank: int | None, at: int, now: int, *, put_off: int = 0, tags: frozenset[str] = frozenset()
    ) -> None:
        """One that was received `at` a time and is routed now; without a rank it recovers.

        `put_off` is for how long a rule snoozes what it opens.
        """
        case = self.newest(key)
        if case and case.state != "resolved":
            repeats = rank is not None and rank <= case.rank
            case.flaps = case.flaps and (repeats or at < case.rests_at)  # the end of flapping is left to its clock
            case.latest = tags
            if rank is not None:
                self._cover(case, now)
        if rank is None:
            if case and case.state != "resolved":
                self._count(case, at)
                case.ended_by_event = True
                self._end(case, at, now)
        elif case is None or case.state == "resolved":
            self._open(case, key, rank, at, now, now + put_off if put_off else None, tags)
        elif rank > case.rank:
            self._worsen(case, rank, at, now)
        else:
            was_quiet = at - case.seen >= self.terms.quiet
            self._count(case, at)
            is_news = not self.terms.quiet or not case.reported or at >= case.since
            if case.state == "open" and was_quiet and is_news:
                self._notify(case, "reoccurred", now)
        latest = self.newest(key)
        if rank is not None and latest and latest.model_silence:
            latest.model_silence.look = now + SETTLED

    def newest(self, key: str) -> Case | None:
        """The unresolved case of a key, else the one that ended last."""
        of_key = [case for case in self.cases if case.key == key]
        return max(
            of_key, key=lambda case: (case.state != "resolved", case.ended, self.cases.index(case)), default=None
        )

    def _count(self, case: Case, at: int) -> None:
        case.count, case.seen = case.count + 1, max(case.seen, at)

    def _open(
        self, before: Case | None, key: str, rank: int, at: int, now: int, until: int | None, tags: frozenset[str]
    ) -> None:
        case, reason = before, "reopened"
        if case is not None and self.terms.reopen:
            ended = case.seen if case.ended_by_event else case.ended
            case = case if at - ended <= self.terms.reopen else None
        if case is None or not self.terms.reopen:
            case, reason = Case(key, rank, at, now, own=tags), "opened"
            self.cases.append(case)
            if before is not None:
                case.moves, case.flaps = list(before.moves), before.flaps and at < before.rests_at
                case.reported_rank = before.reported_rank
        else:
            case.flaps = case.flaps and at < case.rests_at
            self._count(case, at)
            case.rank, case.opened, case.reopened = rank, now, case.reopened + 1
        case.fresh()
        case.state, case.until, case.latest = "snoozed" if until else "open", until, tags
        self._cover(case, now)
        flapping = before is not None and case.move(at) and case.state == "open"
        self._begin(case, now)
        self._notify(case, "flapping" if flapping else reason, now, quietly=case.state == "snoozed")

    def _worsen(self, case: Case, rank: int, at: int, now: int) -> None:
        self._count(case, at)
        case.rank = rank
        case.fresh()
        if case.state == "silenced":
            case.retained = "open"
        elif case.state != "open":
            self._wake(case, now)
        self._notify(case, "escalated", now)

    def _end(self, case: Case, at: int, now: int) -> None:
        silenced = case.state == "silenced"
        case.state, case.ended = "resolved", now
        case.until = case.model_silence = case.retained = None
        self._notify(case, "flapping" if case.move(at) and not silenced else "resolved", now)

    # People

    def person(
        self,
        case: Case,
        act: str,
        now: int,
        *,
        until: int | None = None,
        rank: int | None = None,
        tags: frozenset[str] = frozenset(),
    ) -> bool:
        """Whether it was done; False for a repeat. Raises `Refused`."""
        if act == "tag":
            return self._tag(case, now, tags)
        if act == "note":
            self._notify(case, "updated", now, quietly=case.state == "resolved", note=True)
            return True
        if (case.state, act) in REPEATS or (act == "snooze" and case.state == "snoozed" and case.until == until):
            return False
        if (case.state, act) not in PEOPLE:
            raise Refused
        if act == "reopen" and self.newest(case.key) is not case and self.newest(case.key).state != "resolved":  # type: ignore[union-attr]
            raise Refused
        if act == "edit" and rank == case.rank:
            return False
        self._carry_out(case, act, now, until, rank)
        return True

    def _tag(self, case: Case, now: int, tags: frozenset[str]) -> bool:
        """Nobody is told of what is done to a resolved one."""
        if case.own == tags:
            return False
        case.own = tags
        if case.state != "resolved":
            self._cover(case, now)
            self._notify(case, "updated", now, person=True)
        return True

    def _carry_out(self, case: Case, act: str, now: int, until: int | None, rank: int | None) -> None:
        state, reason = PEOPLE[case.state, act]
        match act:
            case "resolve":
                case.ended_by_event = False
                return self._end(case, now, now)
            case "reopen":
                case.state, case.opened, case.reopened = "open", now, case.reopened + 1
                case.fresh()
                self._cover(case, now)
                reason = "flapping" if case.move(now) and case.state == "open" else reason
                self._begin(case, now)
            case "acknowledge":
                case.fresh()
                case.state, case.taken, case.taker = state, now, self.taker
            case "snooze":
                case.state, case.until = state, until
            case "edit":
                reason = "escalated" if (rank or 0) > case.rank else reason
                case.rank = rank or case.rank
            case _:
                if act == "unsnooze" and not case.reported:
                    reason = "opened"
                elif act == "unsnooze" and case.since < case.opened and not case.flaps:
                    reason = "reopened"
                self._wake(case, now)
        return self._notify(case, reason, now, person=True)

    def leave(self, now: int) -> None:
        """Who acted so far is no member any more."""
        self.taker, self.left_at = self.taker + 1, now

    def _give_back(self, now: int) -> None:
        """What somebody had taken who left is taken no more."""
        self.left_at = None
        for case in self.cases:
            if case.taker == self.taker:
                continue
            if case.state == "acknowledged":
                self._wake(case, now)
                self._notify(case, "renotify", now)
            elif case.state == "silenced" and case.retained == "acknowledged":
                case.retained = "open"

    # Silences

    def silence(self, key: str | None, tag: str | None, start: int, end: int) -> ModelSilence:
        model_silence = ModelSilence(key, tag, start, end, start)
        self.hushes.append(model_silence)
        self.changed = True
        return model_silence

    def end_silence(self, model_silence: ModelSilence, now: int) -> None:
        model_silence.start, model_silence.end, model_silence.turn = min(model_silence.start, now), now, now
        self.changed = True

    def _silence_for(self, case: Case, now: int, but: ModelSilence | None = None) -> ModelSilence | None:
        return next(
            (
                model_silence
                for model_silence in self.hushes
                if model_silence is not but and model_silence.takes(case, now)
            ),
            None,
        )

    def _cover(self, case: Case, now: int) -> None:
        """The first silence that takes an unresolved incident keeps it, whatever comes later, until it ends or changes."""
        model_silence = self._silence_for(case, now)
        if model_silence is not None and case.state in UNRESOLVED - {"silenced"}:
            case.state, case.retained, case.model_silence = "silenced", case.state, model_silence

    def _turn(self, model_silence: ModelSilence, now: int, *, ends: bool) -> None:
        for case in self.cases:
            if model_silence.takes(case, now):
                if case.state in UNRESOLVED - {"silenced"}:
                    case.state, case.retained, case.model_silence = "silenced", case.state, model_silence
            elif case.model_silence is model_silence and (ends or not model_silence.holds(now)):
                case.model_silence = self._silence_for(case, now, but=model_silence)
                if case.model_silence is None:
                    self._unsilence(case, now)
        model_silence.look = now + SETTLED if ends else None
        if ends:
            model_silence.turn = next((at for at in (model_silence.start, model_silence.end) if at > now), None)

    def _unsilence(self, case: Case, now: int) -> None:
        case.state, case.retained = case.retained or "open", None
        if case.state == "open" or (case.state == "snoozed" and case.until is not None and case.until <= now):
            self._wake(case, now)
            self._notify(case, "silence_expired", now)

    # Clocks

    def due(self) -> list[tuple[int, str, Callable[[int], None]]]:
        """All that a clock will do: when, what, and how."""
        found: list[tuple[int, str, Callable[[int], None]]] = []
        if self.left_at is not None:
            found.append((self.left_at, "workspace.departed", self._give_back))
        for model_silence in self.hushes:
            if model_silence.turn is not None:
                found.append(
                    (
                        model_silence.turn,
                        "silence.transition",
                        lambda now, model_silence=model_silence: self._turn(model_silence, now, ends=True),
                    )
                )  # type: ignore[misc]
            if model_silence.look is not None:
                found.append(
                    (
                        model_silence.look,
                        "silence.recheck",
                        lambda now, model_silence=model_silence: self._turn(model_silence, now, ends=False),
                    )
                )  # type: ignore[misc]
        for case in self.cases:
            found += [(at, f"incident.{what}", lambda now, c=case, w=what: self._ring(c, w, now))  # type: ignore[misc]
                      for what, at in self._clocks(case).items()]  # fmt: skip
        return found

    def _clocks(self, case: Case) -> dict[str, int]:
        terms, clocks = self.terms, dict[str, int]()
        if case.state == "open" and case.climbed < len(case.rungs_at):
            clocks["step" if case.climbed else "hold"] = case.rungs_at[case.climbed]
        pause = terms.renotify.get(case.rank, 0)
        if case.state == "open" and case.climbed and case.reported and pause and case.repeated < terms.renotify_max:
            at = max(case.since, case.opened) + pause
            if not case.flaps or at < case.rests_at:  # else the end of flapping reminds
                clocks["renotify"] = at
        if case.state == "acknowledged" and terms.ack_timeout:
            clocks["ack_timeout"] = case.taken + terms.ack_timeout
        if case.state != "resolved" and terms.auto_resolve:
            clocks["auto_resolve"] = max(case.seen, case.opened) + terms.auto_resolve
        if case.state == "snoozed" and case.until is not None:
            clocks["wake"] = case.until
        if case.flaps:
            clocks["calm"] = case.rests_at
        return clocks

    def ring(self, now: int) -> None:
        """Everything that is due by now, the oldest first; of what is due at one moment, silences and steps first."""
        for _ in range(10_000):
            overdue = [one for one in self.due() if one[0] <= now]
            if not overdue:
                return
            first = min(at for at, _, _ in overdue)
            max((one for one in overdue if one[0] == first), key=lambda one: one[1])[2](now)
        raise AssertionError("the clocks never rest")

    def _ring(self, case: Case, what: str, now: int) -> None:
        match what:
            case "hold":
                self._climb(case, now)
                reported = "renotify" if case.since > case.opened else "reopened"
                self._notify(case, reported if case.reported else "opened", now)
            case "step":
                before = case.climbed
                self._climb(case, now)
                passed = self.terms.rungs[before : case.climbed]
                if any(woken.wants(case.rank) for woken in passed):
                    self._notify(case, "escalated", now, rungs=passed)
            case "renotify":
                case.repeated += 1
                self._notify(case, "renotify", now)
            case "auto_resolve":
                case.ended_by_event = False
                self._end(case, now, now)
            case "calm":
                case.flaps = False
                if case.state == "resolved":
                    self._notify(case, "resolved", now)
                elif case.state == "open":
                    self._notify(case, "renotify" if case.reported else "opened", now, to_notified=True)
            case _:
                self._wake(case, now)
                self._notify(case, "renotify" if what == "ack_timeout" else "snooze_expired", now)

    # The ladder

    def _begin(self, case: Case, now: int) -> None:
        case.rungs_at = [case.opened + self.terms.hold + woken.after for woken in self.terms.rungs]
        case.climbed = case.repeated = 0
        if case.state == "open":
            self._climb(case, now)

    def _climb(self, case: Case, now: int) -> None:
        """Past what is due, up to the first rung that wants it; when that is late, all later ones are as late."""
        while case.climbed < len(case.rungs_at) and case.rungs_at[case.climbed] <= now:
            case.climbed += 1
            if self.terms.rungs[case.climbed - 1].wants(case.rank):
                return self._put_off(case, now)
        return None

    def _put_off(self, case: Case, now: int) -> None:
        late = max(0, now - case.rungs_at[case.climbed - 1])
        case.rungs_at = [at + late for at in case.rungs_at]

    def _wake(self, case: Case, now: int) -> None:
        """Open again after a rest: the next rung is as far away as it was from the one before."""
        case.state = "open"
        case.fresh()
        if case.climbed:
            self._put_off(case, now)
            case.since = now
        else:
            self._climb(case, now)

    # Telling

    def _notify(
        self,
        case: Case,
        reason: str,
        now: int,
        *,
        rungs: tuple[StepGroup, ...] = (),
        quietly: bool = False,
        person: bool = False,
        note: bool = False,
        to_notified: bool = False,
    ) -> None:
        """`person`: a person did it, which passes a silence; `to_notified`: also to all who were notified before."""
        alarm = reason not in UPDATES
        if quietly or (alarm and not case.climbed and case.state in ("open", "resolved")):
            return
        withheld = ""
        if case.state == "silenced" and not (person and reason == "escalated") and reason != "updated":
            withheld = "silenced"
        elif case.flaps and reason in SILENCED_BY_FLAPPING:
            withheld = "" if reason in ("opened", "reopened") and case.rank > case.reported_rank else "flapping"
        if alarm and not withheld:
            case.reported, case.reported_rank, case.since = True, case.rank, now
        required: dict[str, bool] = {}
        for woken in rungs or self.terms.rungs[: max(1, case.climbed)]:
            for name in woken.to:
                required[name] = required.get(name, False) or woken.wants(case.rank)
        arrived = {name for name in self.model_recipients if case.arrived(name)}
        if not alarm or to_notified:
            required |= dict.fromkeys(arrived, True)
        stated = {
            name: withheld
            or self._decision(case, name, reason, is_wanted, now, note=note, whatever=to_notified and name in arrived)
            for name, is_wanted in required.items()
        }
        case.notices.append((reason, stated))
        for name, decision in stated.items():
            self._send(case, name, reason, decision, now)

    def _decision(
        self, case: Case, name: str, reason: str, is_wanted: bool, now: int, *, note: bool, whatever: bool
    ) -> str:
        """`whatever`: how severe it is does not matter."""
        model_recipient = self.model_recipients[name]
        if model_recipient.power == "off":
            return "disabled"
        if reason in UPDATES and not model_recipient.updates:
            return "updates_off"
        if reason in UPDATES and not case.arrived(name):
            return "never_notified"
        if note and not model_recipient.notes:
            return "notes_off"
        if reason not in UPDATES and not whatever and (not is_wanted or case.rank < model_recipient.floor):
            return "below_min_severity"
        if self._sleeps(case, name, now):
            return "quiet_hours"
        return "stopped" if model_recipient.power == "stopped" else "notify"

    def _sleeps(self, case: Case, name: str, now: int) -> bool:
        terms = self.terms
        return (
            terms.sleeps and terms.night_until(now) is not None and case.rank < self.model_recipients[name].sleeps_below
        )

    def _send(self, case: Case, name: str, reason: str, decision: str, now: int) -> None:
        status = {"notify": "pending", "stopped": "held", "quiet_hours": "held", "disabled": "skipped"}.get(decision)
        if status is not None:
            until = self.terms.night_until(now) if decision == "quiet_hours" else None
            cause = None if decision == "notify" else decision
            case.sent.setdefault(name, []).append(Sent(len(case.notices), reason, status, cause, until))

    def morning(self, now: int) -> None:
        """What quiet hours held until now leaves, is passed over, or sleeps on in the next ones."""
        for case in self.cases:
            for name, line in case.sent.items():
                held = [one for one in line if one.sleeps]
                if not self.changed and not any(one.until is not None and one.until <= now for one in held):
                    continue
                if self._sleeps(case, name, now):
                    for one in held:
                        one.until = self.terms.night_until(now)
                else:
                    self._rise(case, line, held)
        self.changed = False

    def _rise(self, case: Case, line: list[Sent], held: list[Sent]) -> None:
        arrived = [one.seq for one in line if one.status not in ("held", "skipped")
                 and one.reason not in ("acknowledged", "snoozed", "updated")]  # fmt: skip
        news = [one for one in held if one.seq > max(arrived, default=0)]
        alarms = [one for one in news if one.reason not in UPDATES]
        leaving, cause = news[-1:], "superseded"
        if case.state == "silenced":
            leaving, cause = [], "silenced"
        elif case.state == "resolved" and not case.flaps:
            leaving, cause = [one for one in leaving if one.reason in UPDATES], "resolved_meanwhile"
        elif alarms:
            behind = [one for one in news if one.seq > alarms[-1].seq and case.state in ("acknowledged", "snoozed")]
            leaving = [alarms[-1], *behind[-1:]]
        for one in held:
            one.until = None
            if one in leaving:
                one.status, one.cause = "pending", None
            else:
                one.status, one.cause = "skipped", cause if one in news and not leaving else "superseded"
