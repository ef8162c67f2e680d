"""The answer table of specification 9.7 under parallel workers: what they do together, one of them could have done alone.

Three workers send whatever is due, and each call has its own answer. Some order of the results must lead to the stored state. A
fourth worker freezes with a claim, and wakes before or after its lease has ended. The model shares nothing with the product but the words
of its statuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from inbox.domain.deliveries.delivery import Receipt
from inbox.domain.values import ids
from inbox.flow.delivery.deliver import claim_due, deliver
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import AttemptOutcome
from inbox.models.deliveries.tables import Delivery, DeliveryAttempt
from inbox.services.deliveries import destinations
from tests.cast import NOW, Cast
from tests.stand_ins.outgoing_posts import fresh, make_destination, owe
from tests.stand_ins.receivers import Answer, Receiver, Request
from tests.workers import workers

pytestmark = pytest.mark.slow

SECOND = timedelta(seconds=1)
WAITS = [0, 5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800]
"""Seconds before each attempt."""

LONGEST_STORY = timedelta(hours=20)
MOST_WAITING, WORKERS = 4, 3
CODES = st.sampled_from([200, 204, 302, 400, 401, 404, 408, 410, 422, 422, 429, 500, 503])


@dataclass
class Waiting:
    """A delivery of the model, due between two moments: jitter decides when."""

    status: str
    created: datetime
    earliest: datetime
    latest: datetime
    attempts: int = 0

    @property
    def is_unsettled(self) -> bool:
        return self.status in ("pending", "retrying", "sending")

    @property
    def is_open(self) -> bool:
        return self.is_unsettled or self.status == "held"


@dataclass
class Model:
    """A webhook destination as specification 9.7 has it, for results one after another."""

    is_stopped: bool = False
    refusals: int = 0
    deliveries: dict[UUID, Waiting] = field(default_factory=dict)

    def answer(self, id: UUID, code: int, now: datetime) -> None:
        """One result."""
        each = self.deliveries[id]
        if 200 <= code <= 299:
            each.status, self.refusals = "sent", 0
        elif code in (401, 403, 404, 410):
            each.status, self.is_stopped = "held", True
        elif 400 <= code <= 499 and code not in (408, 429):
            self.refusals += 1
            each.status = "failed" if self.refusals < 5 else "held"
            self.is_stopped = self.is_stopped or self.refusals >= 5
        elif each.attempts >= len(WAITS):
            each.status = "failed"
        else:
            usual = WAITS[each.attempts] * SECOND
            each.status = "held" if self.is_stopped else "retrying"
            each.earliest, each.latest = now + usual * 0.8, now + usual * 1.2

    def after(self, id: UUID, code: int, now: datetime) -> Model:
        """A separate model, one result later."""
        other = Model(self.is_stopped, self.refusals, {key: replace(each) for key, each in self.deliveries.items()})
        other.answer(id, code, now)
        return other

    def hold(self, now: datetime) -> None:
        """Deliveries that wait for a stopped destination are held. A running call is not, until its lease has ended."""
        for each in self.deliveries.values():
            if self.is_stopped and each.is_unsettled and (each.status != "sending" or each.latest <= now):
                each.status = "held"

    def edit(self, now: datetime) -> None:
        """An edit resumes the destination. What was held leaves five a second, the oldest first."""
        self.is_stopped, self.refusals = False, 0
        held = [(each.created, id) for id, each in self.deliveries.items() if each.status == "held"]
        for place, (_, id) in enumerate(sorted(held)):
            each = self.deliveries[id]
            each.status = "retrying" if each.attempts else "pending"
            each.earliest = each.latest = now + place // 5 * SECOND


class Workers(RuleBasedStateMachine):
    """The stored destination beside the model.

    A rule whose condition does not hold does nothing. What workers do together differs between runs of a story, and a
    precondition would make what Hypothesis draws depend on it.
    """

    def __init__(self, cast: Cast, receiver: Receiver) -> None:
        super().__init__()
        self.destination: Any = make_destination(cast.workspace, receiver)
        self.receiver, self.now, self.model = receiver, NOW, Model()
        self.frozen: list[tuple[Any, Any]] = []

    def teardown(self) -> None:
        Delivery.delete().where(Delivery.destination_id == self.destination.id).execute()

    @rule(count=st.integers(1, MOST_WAITING))
    def owe_some(self, count: int) -> None:
        if sum(each.is_open for each in self.model.deliveries.values()) >= MOST_WAITING:
            return
        for _ in range(count):
            made = owe(self.destination, due_at=self.now, created_at=self.now)
            self.model.deliveries[made.id] = Waiting("pending", self.now, self.now, self.now)

    @rule(seconds=st.sampled_from([1, 7, 36, 60, 144, 720, 2_200, 4_400, 20_000]))
    def wait(self, seconds: int) -> None:
        self.now = min(self.now + seconds * SECOND, NOW + LONGEST_STORY)

    @rule()
    def edit(self) -> None:
        destinations.edit(fresh(self.destination), {"name": "Edited"}, expected_rev=None, now=self.now)
        self.model.edit(self.now)

    @rule()
    def freeze_a_worker_with_a_claim(self) -> None:
        if self.frozen:
            return
        self.frozen = claim_due(self.now, 1, [self.destination.id]).calls
        for claimed, _ in self.frozen:
            each = self.model.deliveries[claimed.id]
            each.status, each.attempts = "sending", each.attempts + 1
            each.earliest = each.latest = fresh(claimed_row(claimed.id)).lease_until
            assert claimed.attempt == each.attempts
        self.model.hold(self.now)
        self._compare([self.model])

    @rule(code=CODES)
    def wake_the_frozen_worker(self, code: int) -> None:
        if not self.frozen:
            return
        ((claimed, state),) = self.frozen
        self.frozen = []
        each = self.model.deliveries[claimed.id]
        is_its_own = each.status == "sending" and each.attempts == claimed.attempt
        if is_its_own and state.generation != fresh(self.destination).generation:
            self.frozen = [(claimed, state)]  # results for an earlier generation have their own tests
            return
        record_results([AttemptOutcome(claimed, state.generation, Receipt(code), self.now)], self.now)
        if is_its_own:
            had_stopped = self.model.is_stopped
            self.model.answer(claimed.id, code, self.now)
            if not had_stopped:  # what came after an earlier stop is held when somebody looks for what is due
                self.model.hold(self.now)
        self._compare([self.model])

    @rule(codes=st.lists(CODES, min_size=8, max_size=8))
    def send_what_is_due(self, codes: list[int]) -> None:
        codes_by_id = {
            id: codes[place % len(codes)] for place, id in enumerate(sorted(self.model.deliveries, reverse=True))
        }
        names = {ids.encode("dlv", id): id for id in self.model.deliveries}
        self.receiver.answer = lambda request: Answer(codes_by_id[names[request.id]])
        self.receiver.forget()
        with workers(WORKERS, lambda: deliver(lambda: self.now)):
            pass
        called = [names[request.id] for request in self.receiver.requests]
        self._check_calls(called)
        self._check_bytes(self.receiver.requests)
        self._compare(self._outcomes(called, codes_by_id))

    @rule(codes=st.lists(CODES, min_size=8, max_size=8), code=CODES)
    def overtake_a_frozen_worker(self, codes: list[int], code: int) -> None:
        """It wakes when the others have sent again what it had."""
        if self.frozen:
            return
        self.freeze_a_worker_with_a_claim()
        self.now += 60 * SECOND
        self.send_what_is_due(codes)
        self.wake_the_frozen_worker(code)

    def _check_calls(self, called: list[UUID]) -> None:
        """No call is made twice, or before its time; each that is due is made, unless the destination stops."""
        each_due = self.model.deliveries.items()
        assert len(called) == len(set(called))
        assert set(called) <= {id for id, each in each_due if each.is_unsettled and each.earliest <= self.now}
        must = {id for id, each in each_due if each.is_unsettled and each.latest <= self.now}
        assert (not called) if self.model.is_stopped else (must <= set(called) or fresh(self.destination).stopped_at)

    def _check_bytes(self, requests: list[Request]) -> None:
        for request in requests:
            body = Delivery.get_by_id(ids.decode("dlv", request.id)).notice.body
            assert request.body == body.encode()

    def _outcomes(self, called: list[UUID], codes: Mapping[UUID, int]) -> Iterator[Model]:
        """The states to which the orders of the results lead."""
        for id in called:
            self.model.deliveries[id].attempts += 1
        for found in reachable(self.model, frozenset(called), codes, self.now):
            found.hold(self.now)
            yield found

    def _compare(self, possible: Any) -> None:
        """The stored state is one of the possible states. The model continues from it."""
        rows = {row.id: row for row in Delivery.select().where(Delivery.destination_id == self.destination.id)}
        now = fresh(self.destination)
        stored = (now.stopped_at is not None, now.rejections_in_a_row, {id: row.status for id, row in rows.items()})
        models = list(possible)
        matching = [each for each in models if stored == state_of(each)]
        assert matching, f"stored: {stored}, possible: {[state_of(each) for each in models]}"
        self.model = matching[0]
        for id, each in self.model.deliveries.items():
            if each.is_unsettled:
                assert each.earliest <= rows[id].due_at <= each.latest
            assert rows[id].attempt == each.attempts
            recorded = DeliveryAttempt.select().where(DeliveryAttempt.delivery == id).count()
            assert recorded <= each.attempts


def reachable(model: Model, called: frozenset[UUID], codes: Mapping[UUID, int], now: datetime) -> Iterable[Model]:
    """The different models after these results in any order. Equal models go on as one: ten results have 3.6 million orders."""
    found = {(called, ""): model}
    for _ in called:
        steps = [
            (left - {id}, each.after(id, codes[id], now)) for (left, _), each in found.items() for id in sorted(left)
        ]
        found = {(left, repr(state_of(each))): each for left, each in steps}
    return found.values()


def state_of(model: Model) -> tuple[bool, int, dict[UUID, str]]:
    """What is stored of the model."""
    return model.is_stopped, model.refusals, {id: each.status for id, each in model.deliveries.items()}


def claimed_row(id: UUID) -> Any:
    """The stored delivery."""
    return Delivery.get_by_id(id)


def test_concurrent_workers_match_the_table_of_answers(cast: Cast, receiver: Receiver) -> None:
    run_state_machine_as_test(
        lambda: Workers(cast, receiver),
        settings=settings(
            max_examples=12,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.reuse, Phase.generate),  # to shorten a story of real calls takes minutes
        ),
    )


def test_a_late_refusal_of_a_stopped_destination_holds_nothing_that_came_since(cast: Cast, receiver: Receiver) -> None:
    story = Workers(cast, receiver)
    story.owe_some(2)
    story.freeze_a_worker_with_a_claim()
    story.send_what_is_due([401] * 8)
    story.owe_some(1)
    story.wake_the_frozen_worker(404)
    assert sorted(each.status for each in story.model.deliveries.values()) == ["held", "held", "pending"]

    story.send_what_is_due([200] * 8)
    assert {each.status for each in story.model.deliveries.values()} == {"held"}
