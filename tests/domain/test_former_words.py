"""Rows of before are read in the words of today (decision 0042)."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.domain import former_words
from inbox.domain.event_transition import Disposition
from inbox.domain.notices import Cause, FallbackReason
from inbox.domain.quiet_hours import SkipCause
from inbox.domain.routing import with_incident
from inbox.domain.timeline import EntryKind


@pytest.mark.parametrize(
    ("former", "today"),
    [
        (former_words.CAUSES, Cause),
        (former_words.FALLBACK_REASONS, FallbackReason),
        (former_words.DELIVERY_CAUSES, SkipCause),
        (former_words.DISPOSITIONS, Disposition),
        (former_words.TIMELINE_KINDS, EntryKind),
    ],
)
def test_each_former_word_has_a_word_of_today(former: dict[str, str], today: Any) -> None:
    words = {str(each) for each in today}

    assert set(former.values()) <= words and not former.keys() & words


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        ({"decision": "sent_to"}, {"decision": "notify"}),
        ({"decision": "not_told"}, {"decision": "never_notified"}),
        ({"decision": "silenced:sil_1"}, {"decision": "silenced:sil_1"}),
        (
            {"decision": "sent_to", "because": "given_up"},
            {"decision": "notify", "fallbackReason": "retries_exhausted"},
        ),
        (
            {"decision": "mailed", "fallbackReason": "undelivered"},
            {"decision": "mailed", "fallbackReason": "undelivered"},
        ),
    ],
)
def test_a_decision_is_read_in_either_form(stored: dict[str, Any], read: dict[str, Any]) -> None:
    assert former_words.decision(stored) == read


def test_a_timeline_entry_is_read_in_either_form() -> None:
    assert former_words.timeline("calmed", {"from": "open"}) == ("flapping_ended", {"from": "open"})
    assert former_words.timeline("hold_ended", {}) == ("delay_ended", {})
    assert former_words.timeline("fallback", {"because": "unheard"}) == (
        "fallback",
        {"fallbackReason": "undelivered"},
    )
    assert former_words.timeline("opened", {"severity": "ERROR"}) == ("opened", {"severity": "ERROR"})


def test_a_record_of_routing_is_answered_in_the_words_of_today() -> None:
    stored = {"disposition": "suppressed", "rules": [{"name": "Broken", "fault": "no field"}, {"decided": True}]}
    today = {"disposition": "waiting", "rules": [{"name": "Broken", "error": "no field"}, {"decided": True}]}

    assert with_incident(stored, None) == {**today, "incidentId": None}
    assert with_incident(today, None) == {**today, "incidentId": None}


def test_a_cause_of_a_delivery_is_read_in_either_form() -> None:
    assert former_words.delivery_cause("over") == "resolved_meanwhile"
    assert [former_words.delivery_cause(each) for each in ("http_503", None)] == ["http_503", None]
