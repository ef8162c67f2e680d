"""The notices, steps and silences of the model."""

from __future__ import annotations

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
    Told,
)


class ModelNotices:
    """The cases of a workspace, their notices, their steps, and the silences over them."""

    def __init__(self, terms: Terms, model_recipients: dict[str, ModelRecipient]) -> None:
        self.terms, self.model_recipients = terms, model_recipients
        self.cases: list[Case] = []
        self.model_silences: list[ModelSilence] = []
        self.taker = 1
        """Who acts: the first person, and after their leaving the next."""
        self.left_at: int | None = None
        """When somebody left, until a clock has looked at what they had taken."""
        self.changed = False
        """Whether a rule, a silence or a setting changed, so that quiet hours are looked at again."""

    # Silences

    def silence(self, key: str | None, tag: str | None, start: int, end: int) -> ModelSilence:
        model_silence = ModelSilence(key, tag, start, end, start)
        self.model_silences.append(model_silence)
        self.changed = True
        return model_silence

    def end_silence(self, model_silence: ModelSilence, now: int) -> None:
        model_silence.start, model_silence.end, model_silence.turn = min(model_silence.start, now), now, now
        self.changed = True

    def _silence_for(self, case: Case, now: int, but: ModelSilence | None = None) -> ModelSilence | None:
        return next(
            (
                model_silence
                for model_silence in self.model_silences
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
        if not ends and model_silence.turn is not None and model_silence.turn <= now:
            model_silence.look = None  # too late: the turn is due as well, and looks at all of them
            return
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
        woken = case.state == "snoozed" and case.until is not None and case.until <= now
        if case.state == "open" or woken:
            is_news = woken or case.is_news()
            self._wake(case, now)
            if is_news:
                self._notify(case, "silence_expired", now)

    # The ladder

    def _begin(self, case: Case, now: int) -> None:
        case.step_groups_at = [case.opened + self.terms.hold + woken.after for woken in self.terms.step_groups]
        case.climbed = case.repeated = 0
        case.paged, case.reached = {}, set()
        if case.state == "open":
            self._climb(case, now)

    def _climb(self, case: Case, now: int) -> None:
        """Past the due step groups, up to the first that takes the severity; when that is late, all later ones are as late."""
        while case.climbed < len(case.step_groups_at) and case.step_groups_at[case.climbed] <= now:
            case.climbed += 1
            if self.terms.step_groups[case.climbed - 1].wants(case.rank):
                return self._put_off(case, now)
        return None

    def _put_off(self, case: Case, now: int) -> None:
        late = max(0, now - case.step_groups_at[case.climbed - 1])
        case.step_groups_at = [at + late for at in case.step_groups_at]

    def _wake(self, case: Case, now: int) -> None:
        """Open again after a pause: the next step group is as far away as it was from the one before."""
        case.state = "open"
        case.fresh()
        if case.climbed:
            self._put_off(case, now)
            case.since = now
        else:
            self._climb(case, now)

    # Notices

    def _notify(
        self,
        case: Case,
        reason: str,
        now: int,
        *,
        step_groups: tuple[StepGroup, ...] = (),
        quietly: bool = False,
        person: bool = False,
        note: bool = False,
        to_notified: bool = False,
    ) -> None:
        """`person`: a person did it, which passes a silence; `to_notified`: also to all who were notified before."""
        alarm = reason not in UPDATES
        waits = alarm and not case.climbed and case.state in ("open", "resolved")
        if quietly or (waits and not (reason == "flapping" and case.reported)):
            return
        withheld = self._withheld(case, reason, person=person)
        if alarm and not withheld:
            self._alert(case, now)
        groups = step_groups or self.terms.step_groups[: max(1, case.climbed)]
        paged, fresh = self._page(case, groups, now) if alarm and not withheld else (set(), [])
        required = self._on_route(case, groups, with_phones=alarm and not step_groups) | dict.fromkeys(paged, True)
        arrived = {name for name in self.model_recipients if case.arrived(name)}
        if not alarm or to_notified:
            required |= dict.fromkeys(arrived, True)
        stated = {
            name: withheld
            or ("notify" if name in paged else "")
            or self._decision(case, name, reason, is_wanted, now, note=note, whatever=to_notified and name in arrived)
            for name, is_wanted in required.items()
        }
        is_empty = self._look_for_nobody(case, fresh, stated, now)
        case.notices.append(Told(reason, stated | ({"Backend": "nobody_on_call"} if is_empty else {})))
        if alarm and not withheld:
            case.notices[-1].joined = case.alerts.take_joined(now)
            case.newly_told.append(case.notices[-1])
        for name, decision in stated.items():
            self._send(case, name, reason, decision, now)

    def _look_for_nobody(self, case: Case, fresh: list[int], stated: dict[str, str], now: int) -> bool:
        """Whether one of the step groups pages nobody. A clock looks at them if they reached nobody at all."""
        case.reached |= {
            place for place in fresh for name in self.terms.step_groups[place].to if stated.get(name) == "notify"
        }
        if fresh and not any(case.paged[place] or place in case.reached for place in fresh):
            case.nobody_at = now
        return any(not case.paged[place] for place in fresh)

    def _on_route(self, case: Case, groups: tuple[StepGroup, ...], *, with_phones: bool) -> dict[str, bool]:
        """The destinations of these step groups, and whether one of their groups takes the severity."""
        required: dict[str, bool] = {}
        for woken in groups:
            for name in woken.to:
                required[name] = required.get(name, False) or woken.wants(case.rank)
        return required | {name: True for name, one in self.model_recipients.items() if one.phone and with_phones}

    def _page(self, case: Case, groups: tuple[StepGroup, ...], now: int) -> tuple[set[str], list[int]]:
        """Whom these step groups page, and the places of those that page for the first time since the opening."""
        places = [place for place, one in enumerate(self.terms.step_groups) if one in groups and one.pages
                  and one.wants(case.rank)]  # fmt: skip
        fresh = [place for place in places if place not in case.paged]
        for place in fresh:
            case.paged[place] = self.terms.on_duty(now)
        return {case.paged[place] for place in places} - {""}, fresh

    def _follow_nobody(self, case: Case, now: int) -> bool:
        """The next step group of the round comes now, if the last one reached nobody; whether it does."""
        case.nobody_at, last, ladder = None, case.climbed - 1, case.step_groups_at
        is_last_of_round = case.climbed % self.terms.round == 0 or case.climbed >= len(ladder)
        if (
            case.state != "open"
            or case.paged.get(last) != ""
            or last in case.reached
            or is_last_of_round
            or ladder[case.climbed] <= now
        ):
            return False
        early = ladder[case.climbed] - now
        case.step_groups_at = [at - early for at in ladder]
        return True

    def _withheld(self, case: Case, reason: str, *, person: bool) -> str:
        if case.state == "silenced" and not (person and reason == "escalated") and reason != "updated":
            return "silenced"
        if case.flaps and reason in SILENCED_BY_FLAPPING:
            return "" if reason in ("opened", "reopened") and case.rank > case.reported_rank else "flapping"
        return ""

    def _alert(self, case: Case, now: int) -> None:
        case.reported, case.since, case.told = True, now, now
        case.reported_rank = max(case.rank, case.reported_rank) if case.flaps else case.rank

    def tells_joined(self, case: Case) -> bool:
        """Whether people can hear of what joined: they know of the incident, and nothing withholds it from them."""
        hears = case.state in ("acknowledged", "snoozed") or (case.state == "open" and case.climbed > 0)
        return case.alerts.joined > 0 and case.reported and hears and not case.flaps

    def tell_joined(self, case: Case, now: int) -> None:
        case.lines.append("joined")
        self._notify(case, "reoccurred", now)

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
