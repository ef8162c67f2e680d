"""Every sequence of answers and edits leads to the destination state of specification 9.7."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.flow.delivery.deliver import claim_due
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import AttemptOutcome
from inbox.models.deliveries.tables import Delivery
from inbox.services.deliveries import destinations
from tests.cast import NOW, Cast
from tests.stand_ins.outgoing_posts import fresh, make_destination, owe

STEPS = st.lists(st.sampled_from([200, 204, 302, 400, 401, 404, 408, 422, 429, 500, "timeout", "edit"]), max_size=14)


class Table:
    """Specification 9.7, the rows of the webhook destination, as plainly as can be."""

    def __init__(self) -> None:
        self.is_stopped, self.refusals = False, 0

    def step(self, step: int | str) -> str:
        """The delivery's status after this answer."""
        if step == "edit":
            self.is_stopped, self.refusals = False, 0
            return ""
        if isinstance(step, int) and 200 <= step <= 299:
            self.refusals = 0
            return "sent"
        if step in (401, 403, 404, 410):
            self.is_stopped = True
            return "held"
        if isinstance(step, int) and 400 <= step <= 499 and step not in (408, 429):
            self.refusals += 1
            self.is_stopped = self.refusals >= 5
            return "held" if self.is_stopped else "failed"
        return "retrying"


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_any_sequence_of_answers_matches_the_table(cast: Cast, steps: list[int | str]) -> None:
    destination, table = make_destination(cast.workspace, "http://127.0.0.1:9/"), Table()
    for step in steps:
        if step == "edit":
            destinations.edit(destination, {"name": "Edited"}, expected_rev=None, now=NOW)
            table.step(step)
            continue
        # What an edit released would be claimed first, and a destination has no more than eight calls open.
        Delivery.delete().where(Delivery.destination_id == destination.id).execute()
        delivery = owe(destination, due_at=NOW, created_at=NOW)
        calls = [call for call in claim_due(NOW, 50).calls if call[0].id == delivery.id]
        if table.is_stopped:
            assert calls == []
            assert fresh(delivery).status == "held"
            continue
        ((claimed, addressee),) = calls
        receipt = Receipt(failure=FailureReason.TIMEOUT) if step == "timeout" else Receipt(status_code=int(step))
        record_results([AttemptOutcome(claimed, addressee.generation, receipt, NOW)], NOW)

        assert fresh(delivery).status == table.step(step)
        now = fresh(destination)
        assert (now.stopped_at is not None, now.rejections_in_a_row) == (table.is_stopped, table.refusals)
