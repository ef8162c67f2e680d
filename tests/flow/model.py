"""Incidents as specification 3, 6, 8 and 9 describe them, written once more and in another way.

Times are whole seconds from a midnight, severities are ranks, destinations are names. Nothing of the product is
used here. `Model` is a workspace: its methods are what may happen, its cases and their notices what must come of it.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.flow.model_acts import PEOPLE, REPEATS, Refused
from tests.flow.model_events import ModelEvents
from tests.flow.model_parts import Case


class Model(ModelEvents):
    """A workspace in which one thing happens after another; `now` is what the clock shows meanwhile."""

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
        """Acts on a resolved incident notify nobody."""
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
                case.ended_by = "person"
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
                case.retained, case.reported_rank = "open", 0

    # Clocks

    def due(self) -> list[tuple[int, str, Callable[[int], None]]]:
        """All that a clock will do: when, what, and how."""
        found: list[tuple[int, str, Callable[[int], None]]] = []
        if self.left_at is not None:
            found.append((self.left_at, "workspace.departed", self._give_back))
        for model_silence in self.model_silences:
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
        if case.state == "open" and case.climbed < len(case.step_groups_at):
            clocks["step" if case.climbed else "hold"] = case.step_groups_at[case.climbed]
        if case.nobody_at is not None:
            clocks["nobody_paged"] = case.nobody_at
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
        if self.tells_joined(case):
            clocks["joined"] = case.seen if case.alerts.told is None else case.alerts.told + terms.joined_quiet
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
            case "nobody_paged":
                if self._follow_nobody(case, now):
                    self._ring(case, "step", now)
            case "step":
                before = case.climbed
                self._climb(case, now)
                passed = self.terms.step_groups[before : case.climbed]
                if any(woken.wants(case.rank) for woken in passed):
                    self._notify(case, "escalated", now, step_groups=passed)
            case "renotify":
                case.repeated += 1
                self._notify(case, "renotify", now)
            case "auto_resolve":
                case.ended_by = "clock"
                self._end(case, now, now)
            case "joined":
                self.tell_joined(case, now)
            case "calm":
                case.calm(case.rests_at)
                if case.state == "resolved":
                    self._notify(case, "resolved", now)
                elif case.state == "open":
                    self._notify(case, "renotify" if case.reported else "opened", now, to_notified=True)
            case _:
                self._wake(case, now)
                self._notify(case, "renotify" if what == "ack_timeout" else "snooze_expired", now)
