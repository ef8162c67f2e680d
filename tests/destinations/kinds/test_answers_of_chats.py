"""Answers of chat services: sent, retry after a pause, message refused, or destination refused."""

from __future__ import annotations

import pytest

from tests.destinations.kinds.cases import EDITING, rows, with_table
from tests.destinations.kinds.stand_in import SENT, Stage, outcome
from tests.stand_ins.receivers import Answer

CHATS = tuple(with_table("GONE"))
"""The services whose messages can be gone."""

ANSWERS = [row for module in CHATS for row in module.ANSWERS]
stage_first = pytest.mark.parametrize(
    ("stage", "answer", "expected", "pause"),
    ANSWERS,
    indirect=["stage"],
    ids=[f"{name}-{answer.status}-{answer.body[:60].decode()}" for name, answer, _, _ in ANSWERS],
)


@stage_first
def test_an_answer_of_the_service_gives_its_receipt(
    stage: Stage, answer: Answer, expected: str, pause: float | None
) -> None:
    stage.receiver.script(answer)
    receipt = stage.send()

    assert outcome(receipt) == expected
    assert receipt.reference is None
    assert (receipt.retry_after.total_seconds() if receipt.retry_after else None) == pause
    assert len(stage.calls()) == 1


@stage_first
def test_an_answer_to_a_change_has_the_same_meaning(
    stage: Stage, answer: Answer, expected: str, pause: float | None
) -> None:
    if stage.case.name in EDITING:
        stage.send()
    stage.receiver.script(answer)
    receipt = stage.send("resolved")

    assert outcome(receipt) == expected


@pytest.mark.parametrize(("stage", "answer"), rows("GONE"), indirect=["stage"])
def test_a_message_that_cannot_be_changed_is_posted_again(stage: Stage, answer: Answer) -> None:
    stage.send()
    before = dict(stage.reference)
    stage.receiver.script(answer)
    receipt = stage.send("resolved")

    assert outcome(receipt) == SENT
    assert len(stage.calls()) == 3
    assert stage.reference != before
    assert "RESOLVED" in list(stage.service.messages.values())[-1]
