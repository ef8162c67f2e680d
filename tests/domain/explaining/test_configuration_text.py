"""Sentences for rules, routing profiles and the times of silences (specification 6.2, 6.7, 8.4)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from inbox.domain.explaining import profile_text, recurrence_text, rule_text
from inbox.domain.explaining.rule_text import RuleNames, RuleParts
from inbox.domain.routing.profiles import Profile, Step
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import OpenAfter, RuleActions
from inbox.domain.values.severity import Severity

PAGER, CHAT, GONE = UUID(int=1), UUID(int=2), UUID(int=3)
NAMES = RuleNames({PAGER: "Prometheus"}, {PAGER: "Pager", CHAT: "Chat"}, {PAGER: "On call"})
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
INCIDENT = RuleActions(RuleAction.INCIDENT)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (RuleParts("any event", RuleActions(RuleAction.DROP)), "Every event: drop the event."),
        (
            RuleParts("severity >= ERROR", RuleActions(RuleAction.INCIDENT, destination_ids=(PAGER, CHAT))),
            "When severity >= ERROR: open an incident and notify Pager and Chat.",
        ),
        (
            RuleParts("any event", INCIDENT, source_ids=[PAGER], open_after=OpenAfter(3, timedelta(minutes=5))),
            "Every event, from Prometheus, from the third one within 5 minutes on: open an incident.",
        ),
        (
            RuleParts("any event", RuleActions(routing_profile_id=PAGER, destination_ids=(GONE,)), continues=True),
            "Every event: notify a deleted one and use the profile On call. Later rules apply too.",
        ),
        (
            RuleParts("type = x", RuleActions(severity=Severity.INFO, add_tags=("a", "b")), at_set_times=True),
            "When type = x, at set times: set the severity INFO and add the tags a and b.",
        ),
        (
            RuleParts("any event", RuleActions(RuleAction.INCIDENT, snooze=timedelta(minutes=1)), enabled=False),
            "Every event: open an incident and snooze it for 1 minute. The rule is disabled.",
        ),
        (RuleParts("any event", RuleActions(group_by=("type",)), continues=True),
         "Every event: group by type. Later rules apply too."),
        (RuleParts("any event", RuleActions(), continues=True), "Every event: change nothing. Later rules apply too."),
        (RuleParts("any event", RuleActions(RuleAction.LOG)), "Every event: log the event only."),
        (RuleParts("any event", RuleActions(RuleAction.NOTIFY)), "Every event: send a notice without an incident."),
    ],
)  # fmt: skip
def test_the_text_of_a_rule_states_its_events_and_its_actions(rule: RuleParts, text: str) -> None:
    assert rule_text.of_rule(rule, NAMES) == text


def test_a_profile_says_who_is_notified_and_when() -> None:
    steps = (
        Step(timedelta(0), None, (PAGER,)),
        Step(timedelta(minutes=10), Severity.ERROR, (CHAT, GONE), number=2),
    )
    profile = Profile(
        PAGER, "On call", timedelta(seconds=90), steps, repeat=2, ack_timeout=timedelta(minutes=30),
        auto_resolve=timedelta(minutes=60), obeys_quiet_hours=False, fallback_destination_id=CHAT,
    )  # fmt: skip

    assert profile_text.of_profile(profile, NAMES.destinations) == (
        "At once: Pager. After 10 minutes, from ERROR on: Chat and a deleted one. The steps run again twice."
        " An incident that ends within 90 seconds sends nothing. An acknowledgement expires after 30 minutes."
        " After 60 minutes without an event it is resolved. Quiet hours do not apply. Fallback: Chat."
    )
    assert (
        profile_text.of_profile(Profile(PAGER, "P", timedelta(0), steps[:1]), NAMES.destinations) == "At once: Pager."
    )


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("FREQ=DAILY", "Every day"),
        ("freq=weekly;byday=su", "Every week on Sunday"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR;COUNT=10", "Every 2 weeks on Monday, Wednesday and Friday, 10 times"),
        ("FREQ=MONTHLY;BYDAY=1SU,-1FR", "Every month on the first Sunday and the last Friday"),
        ("FREQ=MONTHLY;BYDAY=-2MO;COUNT=1", "Every month on the second last Monday, 1 time"),
        ("FREQ=YEARLY;BYMONTH=3,4;BYMONTHDAY=1,-1", "Every year in March and April on the first day and last day"),
    ],
)
def test_a_recurrence_is_a_sentence(rule: str, text: str) -> None:
    assert recurrence_text.of_rule(rule) == text


@pytest.mark.parametrize(
    ("recurrence", "text"),
    [
        (None, "From 12:30 UTC until Wed 25 Nov 2026 12:00 UTC."),
        (
            {"rrule": "FREQ=WEEKLY;BYDAY=SU", "timezone": "Europe/Berlin", "durationMinutes": 120},
            "Every week on Sunday at 13:30 Europe/Berlin for 120 minutes, from Mon 23 Nov 2026 until Wed 25 Nov 2026.",
        ),
        (
            {"rrule": "FREQ=DAILY", "timezone": "Europe/Lemuria", "durationMinutes": 1},
            "Its recurrence cannot be read, so it covers nothing.",
        ),
        (
            {"rrule": "FREQ=YEARLY;BYSETPOS=1", "timezone": "UTC", "durationMinutes": 1},
            "Its recurrence cannot be read, so it covers nothing.",
        ),
    ],
)
def test_the_times_of_a_silence_are_a_sentence(recurrence: dict[str, Any] | None, text: str) -> None:
    found = recurrence_text.of_times(
        NOW + timedelta(minutes=30), NOW + timedelta(days=2), recurrence, ZoneInfo("UTC"), NOW
    )

    assert found == text
