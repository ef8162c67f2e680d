"""Any sequence of answers, waits and edits does to a service's deliveries what specification 9.7 says, with a model beside it.

The model has the rules of services: a second try before a stop, the schedule of attempts with its jitter, `Retry-After`, the pace, and the
pause for which a service asks. It shares nothing with the product but the words of its statuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.flow.delivery.deliver import claim_due
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import AttemptOutcome
from inbox.models.deliveries.tables import Delivery
from inbox.services.deliveries import destinations
from tests.cast import NOW, Cast
from tests.stand_ins.outgoing_posts import fresh, make_destination, owe

SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)
WAITS = [0, 5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800]
"""Seconds before each attempt."""

PACE_OF = {"discord": 2.0, "pagerduty": 0.5, "gotify": 0.0}
HAVE_SUMMARIES = {"discord"}
"""These get what was held at once, others five a second. The notices here are in no summary: they have the last place."""

LONGEST_STORY = 20 * HOUR
"""After a day, what is held expires, which is another story."""

ANSWERS = st.one_of(
    st.sampled_from([200, 204, 302, 400, 401, 403, 404, 408, 410, 413, 422, 500, 503]).map(lambda code: Receipt(code)),
    st.sampled_from([FailureReason.TIMEOUT, FailureReason.CONNECTION_LOST]).map(lambda failure: Receipt(None, failure)),
    st.sampled_from([FailureReason.MESSAGE_REFUSED, FailureReason.DESTINATION_REFUSED, FailureReason.SERVICE_BUSY]).map(
        lambda failure: Receipt(200, failure)
    ),
    st.builds(
        lambda answer, seconds: Receipt(*answer, retry_after=seconds * SECOND),
        st.sampled_from([(200, None), (429, None), (503, None), (200, FailureReason.SERVICE_BUSY)]),
        st.sampled_from([1, 61, 600, 5_000]),
    ),
)


@dataclass
class Waiting:
    """A delivery of the model, which is due between two moments: jitter decides when."""

    created: datetime
    earliest: datetime
    latest: datetime
    attempts: int = 0
    status: str = "pending"
    is_in_doubt: bool = False

    @property
    def is_open(self) -> bool:
        return self.status in ("pending", "retrying")


class Service(RuleBasedStateMachine):
    """A destination of a service, and what should become of its deliveries."""

    def __init__(self, cast: Cast, kind: str) -> None:
        super().__init__()
        self.destination: Any = make_destination(cast.workspace, "http://127.0.0.1:9/", kind=kind)
        self.pace, self.now = PACE_OF[kind] * SECOND, NOW
        self.resumes_at_once = kind in HAVE_SUMMARIES
        self.deliveries: dict[UUID, Waiting] = {}
        self.is_stopped, self.refusals, self.rests_until = False, 0, NOW

    @precondition(lambda self: len(self.deliveries) < 8)
    @rule()
    def owe_one(self) -> None:
        made = owe(self.destination, due_at=self.now, created_at=self.now)
        self.deliveries[made.id] = Waiting(self.now, self.now, self.now)

    @precondition(lambda self: self.now - NOW < LONGEST_STORY)
    @rule(seconds=st.sampled_from([1, 2, 6, 36, 119, 121, 720, 2_200, 4_400, 20_000]))
    def wait(self, seconds: int) -> None:
        self.now = min(self.now + seconds * SECOND, NOW + LONGEST_STORY)

    @rule()
    def edit(self) -> None:
        destinations.edit(fresh(self.destination), {"name": "Edited"}, expected_rev=None, now=self.now)
        self.is_stopped, self.refusals = False, 0
        held = [(each.created, id) for id, each in self.deliveries.items() if each.status == "held"]
        for place, (_, id) in enumerate(sorted(held)):
            each = self.deliveries[id]
            each.status = "retrying" if each.attempts else "pending"
            each.is_in_doubt = False
            each.earliest = each.latest = self.now + (0 if self.resumes_at_once else place // 5) * SECOND

    @rule(answer=ANSWERS)
    def answer_whatever_is_due(self, answer: Receipt) -> None:
        calls = claim_due(self.now, 10, [self.destination.id]).calls
        self._expect(calls)
        for each in self.deliveries.values():
            if self.is_stopped and each.is_open and each.latest <= self.now:
                each.status = "held"
        for claimed, _ in calls:
            self.rests_until = max(self.rests_until, self.now + self.pace)
            each = self.deliveries[claimed.id]
            each.attempts += 1
            each.status = "sending"
            assert claimed.attempt == each.attempts
        outcomes = [AttemptOutcome(claimed, state.generation, answer, self.now) for claimed, state in calls]
        if outcomes:
            record_results(outcomes, self.now)
        for claimed, _ in calls:
            self._answered(self.deliveries[claimed.id], answer)

    def _expect(self, calls: list[Any]) -> None:
        """What is claimed is due, and what is due is claimed: one where there is a pace, else all."""
        called = {claimed.id for claimed, _ in calls}
        may_call = not self.is_stopped and self.rests_until <= self.now
        may = {id for id, each in self.deliveries.items() if each.is_open and each.earliest <= self.now}
        must = {id for id, each in self.deliveries.items() if each.is_open and each.latest <= self.now}
        assert called <= (may if may_call else set())
        if may_call and self.pace:
            assert len(called) <= 1
            assert called or not must
        elif may_call:
            assert must <= called

    def _answered(self, each: Waiting, answer: Receipt) -> None:
        code, failure = answer.status_code, answer.failure
        was_in_doubt, each.is_in_doubt = each.is_in_doubt, code in (401, 403, 404, 410)
        if code in (200, 204) and failure is None:
            each.status, self.refusals = "sent", 0
            self._rest(answer.retry_after)
        elif failure is FailureReason.DESTINATION_REFUSED:
            self._stop(each)
        elif code in (401, 403, 404, 410):
            if (was_in_doubt and self.now - each.created >= 120 * SECOND) or each.attempts >= len(WAITS):
                self._stop(each)
            else:
                self._retry(each, 120 * SECOND, 120 * SECOND)
        elif failure is FailureReason.MESSAGE_REFUSED or code in (400, 413, 422):
            self.refusals += 1
            each.status = "failed"
            if self.refusals >= 5:
                self._stop(each)
        else:
            self._try_again(each, answer)

    def _try_again(self, each: Waiting, answer: Receipt) -> None:
        requested = min(answer.retry_after or 0 * SECOND, HOUR)
        if answer.status_code == 429 or answer.failure is FailureReason.SERVICE_BUSY:
            unnamed = min(WAITS[min(each.attempts, 9)], 120) * SECOND if self.pace else None
            self._rest(requested or unnamed)
        if each.attempts >= len(WAITS):
            each.status = "failed"
            return
        usual = WAITS[each.attempts] * SECOND
        self._retry(each, max(usual * 0.8, requested), max(usual * 1.2, requested))

    def _rest(self, time: timedelta | None) -> None:
        if time:
            self.rests_until = max(self.rests_until, self.now + min(time, HOUR))

    def _retry(self, each: Waiting, least: timedelta, most: timedelta) -> None:
        each.status, each.earliest, each.latest = "retrying", self.now + least, self.now + most
        if self.is_stopped:
            each.status = "held"

    def _stop(self, stopping: Waiting) -> None:
        self.is_stopped = True
        stopping.status = "held"
        for each in self.deliveries.values():
            if each.is_open:
                each.status = "held"

    @invariant()
    def the_service_is_as_the_model_says(self) -> None:
        stored = {row.id: row for row in Delivery.select().where(Delivery.destination_id == self.destination.id)}
        for id, each in self.deliveries.items():
            row = stored[id]
            assert row.status == each.status
            if each.is_open:
                assert each.earliest <= row.due_at <= each.latest
        now = fresh(self.destination)
        assert (now.stopped_at is not None, now.rejections_in_a_row) == (self.is_stopped, self.refusals)


@pytest.mark.parametrize("kind", PACE_OF)
def test_any_sequence_of_answers_of_a_service_equals_the_model(cast: Cast, kind: str) -> None:
    run_state_machine_as_test(
        lambda: Service(cast, kind),
        settings=settings(
            max_examples=30, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
