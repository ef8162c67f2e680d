"""Answers of other services: sent, retry after a pause, message refused, or destination refused."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from tests.destinations import ntfy
from tests.destinations.kinds.cases import with_table
from tests.destinations.kinds.stand_in import RETRY, SENT, Stage, given, outcome
from tests.stand_ins.receivers import Answer

ANSWERS = [row for module in with_table("ANSWERS") if not hasattr(module, "GONE") for row in module.ANSWERS]


@pytest.mark.parametrize(
    ("stage", "answer", "expected", "pause"),
    ANSWERS,
    indirect=["stage"],
    ids=[f"{name}-{answer.status}-{answer.body[:60].decode()}" for name, answer, _, _ in ANSWERS],
)
def test_an_answer_of_the_service_gives_its_receipt(
    stage: Stage, answer: Answer, expected: str, pause: float | None
) -> None:
    stage.receiver.script(answer)
    receipt = stage.send()

    assert outcome(receipt) == expected
    assert (receipt.retry_after.total_seconds() if receipt.retry_after else None) == pause


def test_a_broken_connection_is_tried_again(stage: Stage) -> None:
    stage.receiver.script(Answer(reset=True))

    assert outcome(stage.send()) == RETRY


def test_server_errors_and_a_named_pause_are_tried_again(stage: Stage) -> None:
    stage.receiver.script(Answer(503, b"", {"Retry-After": "77"}))
    receipt = stage.send()

    assert outcome(receipt) == RETRY
    assert receipt.retry_after is not None
    assert receipt.retry_after.total_seconds() == 77


@pytest.mark.parametrize("stage", ["pushover"], indirect=True)
def test_the_end_of_the_messages_of_a_month_is_a_pause_until_the_next(stage: Stage) -> None:
    stage.receiver.script(given(429, {"status": 0}, **{"X-Limit-App-Reset": str(int(time.time()) + 86_400)}))
    receipt = stage.send()

    assert outcome(receipt) == RETRY
    assert receipt.retry_after is not None
    assert 80_000 < receipt.retry_after.total_seconds() <= 86_400


@pytest.mark.parametrize("stage", ["ntfy"], indirect=True)
def test_the_end_of_the_messages_of_a_day_is_a_pause_until_midnight(stage: Stage) -> None:
    stage.receiver.script(ntfy.refused(42908))
    before = datetime.now(UTC)
    receipt = stage.send()

    assert outcome(receipt) == RETRY
    assert receipt.retry_after is not None
    ends_at = before + receipt.retry_after
    assert abs(ends_at - ends_at.replace(hour=12, minute=0, second=0)) > timedelta(hours=11, minutes=59)
    assert timedelta() < receipt.retry_after <= timedelta(days=1)


@pytest.mark.parametrize("stage", ["opsgenie"], indirect=True)
def test_an_alert_that_is_gone_needs_no_end(stage: Stage) -> None:
    assert outcome(stage.send("resolved")) == SENT
    assert stage.receiver.requests[0].path.endswith("/close?identifierType=alias")
