"""What reports of senders do to the incidents of the model and to their alerts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from tests.flow.model_alerts import RETRY, Report, SenderTimes
from tests.flow.model_notices import ModelNotices
from tests.flow.model_parts import SETTLED, Case, ModelRecipient, Terms

NO_EVENT = (frozenset[str](), "")
"""The tags and the group of the newest event of an incident that a repeat opens: a repeat is no event."""


class ModelEvents(ModelNotices):
    """Reports, in batches that are routed together."""

    def __init__(self, terms: Terms, model_recipients: dict[str, ModelRecipient]) -> None:
        super().__init__(terms, model_recipients)
        self.times: dict[str, SenderTimes] = defaultdict(SenderTimes)
        self.changed_cases: list[Case] = []
        """The incidents that the batch changed by more than a count."""

    def batch(self, reports: Iterable[Report], now: int) -> None:
        """Reports that are routed together now. At the end people hear of alerts that joined."""
        self.changed_cases = []
        for case in self.cases:
            case.newly_told.clear()
        for report in reports:
            self._report(report, now)
        for case in self.changed_cases:
            self._end_batch(case, now)

    def _report(self, report: Report, now: int) -> None:
        for case in self.cases:
            case.alerts.stand_for(case.seen)
        times = self.times[report.name]
        is_same = report.sent is not None and report.sent == times.alarm
        if times.is_late(report):
            case = self.newest(report.key)
            if case and not report.again:
                case.lines.append("late")
                self.changed_cases.append(case)
        elif report.rank is None:
            self._recover(report, now)
        elif report.again:
            self._repeat(report, now)
        else:
            self._alarm(report, report.rank, now, is_same=is_same)

    def _end_batch(self, case: Case, now: int) -> None:
        """Names joined alerts in a notice of the batch, or in a separate notice when one is due."""
        if case.alerts.joined and case.newly_told:
            case.newly_told[-1].joined += case.alerts.take_joined(now)
            case.lines.append("joined")
        elif self.tells_joined(case) and (
            case.alerts.told is None or now - case.alerts.told >= self.terms.joined_quiet
        ):
            self.tell_joined(case, now)

    def newest(self, key: str) -> Case | None:
        """The unresolved case of a key, else the one that ended last."""
        of_key = [case for case in self.cases if case.key == key]
        return max(
            of_key, key=lambda case: (case.state != "resolved", case.ended, self.cases.index(case)), default=None
        )

    def _alarm(self, report: Report, rank: int, now: int, *, is_same: bool) -> None:
        """`is_same`: the sender gave the time of an alarm that is known, so it did not occur again."""
        case, at = self.newest(report.key), report.at
        if case is None or case.state == "resolved":
            self._open(case, report, now)
        else:
            if rank > case.rank:  # the end of flapping is left to its clock
                case.calm(at)
            case.latest, case.latest_key = report.tags, report.key
            self._cover(case, now)
            self._fire(case, report)
            if rank > case.rank:
                self._worsen(case, rank, at, now)
            else:
                was_quiet = at - case.seen >= self.terms.quiet and not (is_same and self.terms.quiet)
                self._count(case, at)
                is_news = not self.terms.quiet or not case.reported or at >= case.since
                if case.state == "open" and was_quiet and is_news:
                    self._notify(case, "reoccurred", now)
                    self.changed_cases.append(case)
        self._look_again(report.key, now)

    def _look_again(self, key: str, now: int) -> None:
        latest = self.newest(key)
        if latest and latest.model_silence:
            latest.model_silence.look = now + SETTLED

    def _repeat(self, report: Report, now: int) -> None:
        """A sign of life. What was resolved too early opens again."""
        case, at = self.newest(report.key), report.at
        if case is None:
            self._open(case, report, now)
            self._look_again(report.key, now)
        elif case.state != "resolved":
            alert = case.alerts.named.get(report.name)
            if alert is None or not alert.ended or at - alert.seen > RETRY:
                case.seen = max(case.seen, at)
                self._fire(case, report)
        elif at > case.ended and (case.ended_by == "clock" or at - case.ended > RETRY):
            self._open(case, report, now)
            self._look_again(report.key, now)
        elif at > case.ended and case.seen <= case.ended:
            case.seen = at
            case.lines.append("still_reported")

    def _fire(self, case: Case, report: Report, *, opens: bool = False) -> None:
        if case.alerts.fire(report, self.terms.quiet, opens=opens):
            self.changed_cases.append(case)

    def _recover(self, report: Report, now: int) -> None:
        """It ends its alert wherever one is, and what has none that fires any more. It counts for the first."""
        first = self.newest(report.key)
        others = [case for case in self.cases if case is not first and report.name in case.alerts.named]
        is_counted = False
        for case in [*([first] if first else []), *others]:
            alert = case.alerts.named.get(report.name)
            if case.state == "resolved" or alert is None or (case.alerts.firing and not alert.fires):
                continue
            alert.take(report, is_counted=not is_counted)
            remain = case.alerts.firing and not self.terms.any_end
            if not remain:  # the end of flapping is left to its clock
                case.calm(report.at)
            self._count(case, report.at, 0 if is_counted else 1)
            if not is_counted:
                case.latest, case.latest_key = report.tags, report.key
            is_counted = True
            self.changed_cases.append(case)
            if remain:
                case.lines.append("alert_ended")
            else:
                case.ended_by = "event"
                self._end(case, report.at, now)

    def _count(self, case: Case, at: int, count: int = 1) -> None:
        case.count, case.seen = case.count + count, max(case.seen, at)

    def _open(self, before: Case | None, report: Report, now: int) -> None:
        at, rank, tags, count = report.at, report.rank or 0, report.tags, int(not report.again)
        case, reason, newest = before, "reopened", (before.latest, before.latest_key) if before else NO_EVENT
        if case is not None and self.terms.reopen and not report.again:
            ended = case.seen if case.ended_by == "event" else case.ended
            case = case if at - ended <= self.terms.reopen else None
        if case is None or not self.terms.reopen:
            case, reason, newest = Case(report.key, rank, at, now, own=tags, count=count), "opened", NO_EVENT
            self.cases.append(case)
            if before is not None:
                case.moves, case.flaps = list(before.moves), before.flaps
                case.calm(at)
                case.reported_rank = before.reported_rank
        else:
            case.calm(at)
            self._count(case, at, count)
            case.rank, case.opened, case.reopened = rank, now, case.reopened + 1
        case.fresh()
        until = now + report.put_off if report.put_off else None
        case.state, case.until = "snoozed" if until else "open", until
        case.latest, case.latest_key = tags, report.key
        self._cover(case, now)
        if report.again:
            case.latest, case.latest_key = newest
        self._fire(case, report, opens=True)
        flapping = before is not None and case.move(at) and case.state == "open"
        self._begin(case, now)
        self._notify(case, "flapping" if flapping else reason, now, quietly=case.state == "snoozed")

    def _worsen(self, case: Case, rank: int, at: int, now: int) -> None:
        self._count(case, at)
        case.rank = rank
        case.fresh()
        self.changed_cases.append(case)
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
