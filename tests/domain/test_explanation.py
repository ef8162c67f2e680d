"""Every decision and every outcome has its words."""

from __future__ import annotations

import itertools

import pytest

from inbox.domain import explanation
from inbox.domain.moves import Act, Reason
from inbox.domain.notices import Because, Cause
from inbox.domain.occurrence import Disposition


@pytest.mark.parametrize("cause", Cause)
def test_every_cause_has_a_sentence_of_its_own(cause: Cause) -> None:
    assert explanation.of_decision(cause).endswith(".")
    assert len({explanation.of_decision(each) for each in Cause}) == len(Cause)


@pytest.mark.parametrize("disposition", Disposition)
def test_every_outcome_has_a_sentence(disposition: Disposition) -> None:
    for act, reason in itertools.product((None, *Act), (None, *Reason)):
        assert explanation.of_event(disposition, act, reason).endswith(".")


def test_a_silence_that_is_named_is_still_a_silence() -> None:
    assert explanation.of_decision("silenced:sil_x") == explanation.of_decision(Cause.SILENCED)


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ((Disposition.OPENED, Act.TRIGGER, Reason.OPENED), "It opened the incident."),
        ((Disposition.OPENED, Act.TRIGGER, Reason.REOPENED), "opened the incident again"),
        ((Disposition.OPENED, Act.TRIGGER_SILENCED, Reason.OPENED), "under a silence"),
        ((Disposition.OPENED, Act.TRIGGER_SILENCED, Reason.REOPENED), "under a silence"),
        ((Disposition.OPENED, Act.TRIGGER_SNOOZED, None), "a rule puts off"),
        ((Disposition.OPENED, Act.TRIGGER, Reason.FLAPPING), "once too often"),
        ((Disposition.RESOLVED, Act.RECOVER, Reason.FLAPPING), "once too often"),
        ((Disposition.UPDATED, Act.TRIGGER_HIGHER, Reason.ESCALATED), "more severe than the incident had been"),
        ((Disposition.UPDATED, Act.TRIGGER, Reason.REOCCURRED), "quiet for a while, which was told"),
        ((Disposition.UPDATED, Act.TRIGGER, None), "It was counted"),
        ((Disposition.UNMATCHED, Act.RECOVER, None), "none was unresolved"),
    ],
)
def test_the_words_say_what_happened_and_whether_it_was_told(
    outcome: tuple[Disposition, Act, Reason | None], words: str
) -> None:
    assert words in explanation.of_event(*outcome)


@pytest.mark.parametrize("because", Because)
def test_every_fallback_says_why_it_was_needed(because: Because) -> None:
    assert explanation.of_fallback(because).endswith(".")
    assert len({explanation.of_fallback(each) for each in Because}) == len(Because)
