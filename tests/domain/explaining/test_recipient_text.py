"""Each cause and each state of a notice has a sentence with its subject and reason."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from inbox.domain.deliveries.delivery import Status
from inbox.domain.deliveries.fallback_reasons import FallbackReason
from inbox.domain.deliveries.notices import Cause
from inbox.domain.deliveries.quiet_hours import SkipCause
from inbox.domain.explaining.page_text import FALLBACK
from inbox.domain.explaining.recipient_text import (
    NO_RECIPIENT,
    DeliveryRef,
    DestinationDecision,
    SilenceRef,
    TextContext,
    of_destination,
    of_notice,
)

NIGHT = datetime(2026, 11, 21, 22, 30, tzinfo=UTC)
MORNING = datetime(2026, 11, 22, 6, 0, tzinfo=UTC)
SCENE = TextContext(NIGHT, "ERROR", ZoneInfo("Europe/Berlin"))
INTENDED = (Cause.NOTIFY, Cause.QUIET_HOURS, Cause.STOPPED)


def stated(cause: Cause, sending: DeliveryRef | None = None, **more: Any) -> str:
    return of_destination(DestinationDecision("Pager", cause, delivery=sending, **more), SCENE)


@pytest.mark.parametrize("cause", Cause)
def test_every_cause_has_a_distinct_sentence(cause: Cause) -> None:
    assert stated(cause).endswith(".")
    assert len({stated(each) for each in Cause}) == len(Cause)


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (Cause.NOTIFY, "Pager was notified."),
        (Cause.BELOW_MIN_SEVERITY, "it, or its step, takes only higher severities; this was ERROR"),
        (Cause.UPDATES_OFF, '"Send recovery and state updates" is off for Pager.'),
        (Cause.NEVER_NOTIFIED, "Pager was never notified of this incident, so it gets no updates about it."),
        (Cause.DISABLED, "Pager was not notified: it was disabled."),
        (Cause.STOPPED, "The notification to Pager was held: the destination was stopped."),
        (Cause.SILENCED, "a silence that was deleted since covered the incident"),
        (Cause.FLAPPING, "the incident was flapping, and open/resolve notifications were paused"),
        (Cause.MAILED, "The owners were notified by email"),
    ],
)
def test_a_cause_is_notified_in_words(cause: Cause, words: str) -> None:
    assert words in stated(cause)


def test_a_silence_is_named_with_its_author_and_comment() -> None:
    assert stated(Cause.SILENCED, silence=SilenceRef("Upgrade, OPS-7", "Mia")) == (
        'Pager was not notified: silence "Upgrade, OPS-7" by Mia covered the incident.'
    )
    assert 'silence "Upgrade" covered the incident' in stated(Cause.SILENCED, silence=SilenceRef("Upgrade", None))


def test_quiet_hours_follow_the_clock_on_the_wall() -> None:
    held = DeliveryRef(Status.HELD, "quiet_hours", due_at=MORNING)

    assert stated(Cause.QUIET_HOURS, held, until=MORNING) == (
        "Pager was not notified: quiet hours until 07:00 Europe/Berlin."
    )
    far = MORNING + timedelta(days=2)
    assert "quiet hours until Tue 24 Nov 2026 07:00 Europe/Berlin" in stated(Cause.QUIET_HOURS, held, until=far)
    assert stated(Cause.QUIET_HOURS, until=MORNING) == (
        "The notification to Pager was held: quiet hours until 07:00 Europe/Berlin."
    )


@pytest.mark.parametrize(
    ("cause", "sending", "words"),
    [
        (Cause.NOTIFY, DeliveryRef(Status.PENDING), "Pager is being notified."),
        (Cause.NOTIFY, DeliveryRef(Status.SENDING), "Pager is being notified."),
        (
            Cause.NOTIFY,
            DeliveryRef(Status.RETRYING, "http_503", NIGHT + timedelta(minutes=10)),
            "Pager is not notified yet: the last attempt failed (HTTP 503); next attempt at 23:40 Europe/Berlin.",
        ),
        (Cause.NOTIFY, DeliveryRef(Status.SENT, settled_at=NIGHT), "Pager was notified at 23:30 Europe/Berlin."),
        (Cause.NOTIFY, DeliveryRef(Status.FAILED, "http_400"), "Pager's endpoint rejected it (HTTP 400); not retried."),
        (Cause.NOTIFY, DeliveryRef(Status.SKIPPED, "disabled"), "it was disabled before the notification was sent."),
        (
            Cause.NOTIFY,
            DeliveryRef(Status.HELD, "stopped"),
            "Not sent: Pager is stopped. Fix or test the destination to resume.",
        ),
        (Cause.NOTIFY, DeliveryRef(Status.EXPIRED, "stopped"), "it was stopped for more than 24 hours."),
        (
            Cause.QUIET_HOURS,
            DeliveryRef(Status.SENT, settled_at=MORNING),
            "Pager was notified at 07:00 Europe/Berlin, after the quiet hours.",
        ),
        (
            Cause.STOPPED,
            DeliveryRef(Status.SENT, settled_at=MORNING),
            "Pager was notified at 07:00 Europe/Berlin, when the destination resumed.",
        ),
        (
            Cause.QUIET_HOURS,
            DeliveryRef(Status.SKIPPED, SkipCause.SUPERSEDED),
            "Pager was not notified: held by quiet hours, then replaced by a newer notification.",
        ),
        (
            Cause.QUIET_HOURS,
            DeliveryRef(Status.SKIPPED, SkipCause.RESOLVED_MEANWHILE),
            "held by quiet hours, and the incident was resolved in the meantime",
        ),
        (
            Cause.QUIET_HOURS,
            DeliveryRef(Status.SKIPPED, SkipCause.SILENCED),
            "held by quiet hours, and a silence covered the incident in the meantime.",
        ),
        (Cause.NOTIFY, DeliveryRef(Status.SKIPPED, "a word of later"), "the notification was skipped."),
        (
            Cause.NOTIFY,
            DeliveryRef(Status.FAILED, "http_400", replayed_at=MORNING),
            "Pager was notified at 07:00 Europe/Berlin, by a replay.",
        ),
    ],
)
def test_the_text_of_a_recipient_states_the_result_of_its_delivery(
    cause: Cause, sending: DeliveryRef, words: str
) -> None:
    assert words in stated(cause, sending)


@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("cause", INTENDED)
def test_every_delivery_status_has_a_sentence(cause: Cause, status: Status) -> None:
    assert "Pager" in stated(cause, DeliveryRef(status))


def test_a_notice_says_who_was_notified_who_waits_and_who_was_not() -> None:
    decided = [
        DestinationDecision("Chat", Cause.NOTIFY, delivery=DeliveryRef(Status.SENT)),
        DestinationDecision("Pager", Cause.QUIET_HOURS, delivery=DeliveryRef(Status.HELD, "quiet_hours")),
        DestinationDecision("Mail", Cause.NOTIFY, delivery=DeliveryRef(Status.FAILED)),
        DestinationDecision("Off", Cause.DISABLED, delivery=DeliveryRef(Status.SKIPPED, "disabled")),
    ]

    assert of_notice(decided, SCENE) == "Notified: Chat. Pending: Pager. Not notified: Mail and Off."
    assert of_notice([], SCENE) == NO_RECIPIENT
    assert (
        of_notice([DestinationDecision(str(n), Cause.NOTIFY) for n in range(7)], SCENE)
        == "Notified: 0, 1, 2, 3 and 3 more."
    )


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (Cause.SILENCED, 'silence "Upgrade" covered the incident'),
        (Cause.FLAPPING, "the incident was flapping"),
    ],
)
def test_a_notice_withheld_from_every_destination_says_why(cause: Cause, words: str) -> None:
    decided = [DestinationDecision(name, cause, silence=SilenceRef("Upgrade", None)) for name in ("Pager", "Chat")]

    assert of_notice(decided, SCENE).startswith(f"Nobody was notified: {words}")


@pytest.mark.parametrize("because", FallbackReason)
def test_every_fallback_says_why_it_was_needed(because: FallbackReason) -> None:
    reported = of_notice([DestinationDecision("Last", Cause.NOTIFY, fallback_reason=because)], SCENE)

    assert reported == f"{FALLBACK[because]} Notified: Last."
    assert len(set(FALLBACK.values())) == len(FallbackReason)
