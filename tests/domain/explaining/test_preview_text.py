"""Sentences about previews of rules: numbers agree with their words."""

from __future__ import annotations

import pytest

from inbox.domain.explaining import preview_text


@pytest.mark.parametrize(
    ("events", "matched", "changed", "begins"),
    [
        (0, 0, 0, "0 of 0 events match. 0 events would have a different outcome."),
        (1, 1, 0, "1 of 1 event matches. 0 events would have a different outcome."),
        (2, 1, 1, "1 of 2 events match. 1 event would have a different outcome."),
        (25_400, 412, 12, "412 of 25,400 events match. 12 events would have a different outcome."),
    ],
)
def test_the_totals_of_a_preview_agree_with_their_words(events: int, matched: int, changed: int, begins: str) -> None:
    assert preview_text.of_preview(events, matched, changed, (14, 7)) == f"{begins} Notifications: 7 instead of 14."
