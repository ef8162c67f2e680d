"""The next step after each answer of a receiver."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from inbox.domain.deliveries.delivery import (
    ATTEMPTS,
    RETRY_DELAYS,
    SECOND_TRY_AFTER,
    FailureReason,
    GiveUp,
    Receipt,
    Retry,
    Sent,
    Stop,
    next_step,
    parse_retry_after,
    refusals_after,
)

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SECONDS = [0, 5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800]


def expected(code: int) -> type:
    """Specification 9.7, row by row, in another form than the code's."""
    if code // 100 == 2:
        return Sent
    if code in (401, 403, 404, 410):
        return Stop
    if code in (408, 429) or code // 100 != 4:
        return Retry
    return GiveUp


@pytest.mark.parametrize("code", range(100, 600))
def test_every_status_of_an_answer_has_the_documented_result(code: int) -> None:
    assert type(next_step(Receipt(code), 1, 0, 0.0)) is expected(code)


@pytest.mark.parametrize(
    "trouble", sorted(set(FailureReason) - {FailureReason.MESSAGE_REFUSED, FailureReason.DESTINATION_REFUSED})
)
def test_a_call_without_an_answer_is_retried(trouble: FailureReason) -> None:
    assert next_step(Receipt(failure=trouble), 1, 0, 0.0) == Retry(timedelta(seconds=5), str(trouble))


@pytest.mark.parametrize(
    ("failure", "alike"),
    [
        (FailureReason.MESSAGE_REFUSED, 422),
        (FailureReason.DESTINATION_REFUSED, 404),
        (FailureReason.SERVICE_BUSY, 503),
    ],
)
@pytest.mark.parametrize("refusals", [0, 3, 4])
@pytest.mark.parametrize("attempt", [1, 9, 10])
def test_a_failure_named_in_the_body_counts_instead_of_the_status(
    failure: FailureReason, alike: int, refusals: int, attempt: int
) -> None:
    answered = Receipt(200, failure=failure)

    assert not answered.is_accepted
    assert type(next_step(answered, attempt, refusals, 0.0)) is type(next_step(Receipt(alike), attempt, refusals, 0.0))
    assert next_step(answered, attempt, refusals, 0.0).reason == failure  # type: ignore[union-attr]
    assert refusals_after(answered, refusals) == refusals_after(Receipt(alike), refusals)


@pytest.mark.parametrize("code", [401, 403, 404, 410])
@pytest.mark.parametrize(
    ("attempt", "last", "age_seconds", "step"),
    [
        (1, None, 0, Retry),
        (1, None, 86_400, Retry),
        (2, "http_404", 119, Retry),
        (2, "http_404", 120, Stop),
        (3, "http_401", 120, Stop),
        (4, "http_503", 155, Retry),
        (4, None, 155, Retry),
        (9, "timeout", 60_000, Retry),
        (10, "timeout", 60_000, Stop),
    ],
)
def test_a_service_stops_by_a_status_that_follows_such_a_status_only(
    code: int, attempt: int, last: str | None, age_seconds: int, step: type
) -> None:
    age = timedelta(seconds=age_seconds)

    found = next_step(Receipt(code), attempt, 0, 0.0, age_at_service=age, last_cause=last)

    assert found == (Retry(SECOND_TRY_AFTER, f"http_{code}") if step is Retry else Stop(f"http_{code}"))


def test_a_failure_stated_in_words_is_recognised() -> None:
    receipt = Receipt(404, failure=FailureReason.DESTINATION_REFUSED)

    assert next_step(receipt, 1, 0, 0.0, age_at_service=timedelta()) == Stop("destination_refused")


@pytest.mark.parametrize("code", [code for code in range(400, 500) if expected(code) is GiveUp])
def test_the_fifth_refusal_in_a_row_stops_the_destination(code: int) -> None:
    receipt = Receipt(code)
    refusals = 0
    for _ in range(4):
        assert next_step(receipt, 1, refusals, 0.0) == GiveUp(f"http_{code}")
        refusals = refusals_after(receipt, refusals)
    assert next_step(receipt, 1, refusals, 0.0) == Stop(f"http_{code}")


def test_only_a_delivered_notice_clears_the_count_of_refusals() -> None:
    retained = [Receipt(500), Receipt(302), Receipt(404), Receipt(429), Receipt(failure=FailureReason.TIMEOUT)]
    assert [refusals_after(receipt, 3) for receipt in retained] == [3] * len(retained)
    assert refusals_after(Receipt(204), 3) == 0
    assert refusals_after(Receipt(422), 3) == 4


@pytest.mark.parametrize("attempt", range(1, 10))
@pytest.mark.parametrize("jitter", [-1.0, -0.5, 0.0, 0.5, 1.0, -9.0, 9.0])
def test_retries_follow_the_ladder_within_a_fifth(attempt: int, jitter: float) -> None:
    answer = next_step(Receipt(503), attempt, 0, jitter)

    assert isinstance(answer, Retry)
    share = answer.after.total_seconds() / SECONDS[attempt]
    assert share == pytest.approx(1 + 0.2 * max(-1.0, min(1.0, jitter)))


def test_the_tenth_attempt_is_the_last() -> None:
    assert [wait.total_seconds() for wait in RETRY_DELAYS] == SECONDS
    assert ATTEMPTS == 10
    assert isinstance(next_step(Receipt(503), 9, 0, 0.0), Retry)
    assert next_step(Receipt(503), 10, 0, 0.0) == GiveUp("http_503")
    assert next_step(Receipt(failure=FailureReason.TIMEOUT), 10, 0, 0.0) == GiveUp("timeout")
    assert next_step(Receipt(200), 10, 0, 0.0) == Sent()
    assert next_step(Receipt(410), 10, 0, 0.0) == Stop("http_410")


@pytest.mark.parametrize("code", [429, 503, 500, 408])
@pytest.mark.parametrize(
    ("requested", "waited"),
    [
        (timedelta(0), timedelta(seconds=5)),
        (timedelta(seconds=3), timedelta(seconds=5)),
        (timedelta(seconds=90), timedelta(seconds=90)),
        (timedelta(hours=1), timedelta(hours=1)),
        (timedelta(days=30), timedelta(hours=1)),
    ],
)
def test_retry_after_is_respected_up_to_an_hour(code: int, requested: timedelta, waited: timedelta) -> None:
    assert next_step(Receipt(code, retry_after=requested), 1, 0, 0.0) == Retry(waited, f"http_{code}")


@pytest.mark.parametrize(
    ("text", "wait"),
    [
        ("120", timedelta(seconds=120)),
        (" 7 ", timedelta(seconds=7)),
        ("0", timedelta(0)),
        ("Sun, 01 Mar 2026 12:01:00 GMT", timedelta(minutes=1)),
        ("Sunday, 01-Mar-26 12:01:00 GMT", timedelta(minutes=1)),
        ("Sun, 01 Mar 2026 11:00:00 GMT", None),
        ("Sun, 01 Mar 2026 13:01:00 +0100", timedelta(minutes=1)),
        ("-5", None),
        ("1.5", None),
        ("１２", None),
        ("soon", None),
        ("", None),
        (None, None),
        ("9" * 4_000, None),
        ("Sun, 99 Mar 99999 12:01:00 GMT", None),
        ("Mon, 01 Jan 0001 00:00:00 +2359", None),
    ],
)
def test_retry_after_is_seconds_or_an_http_date(text: str | None, wait: timedelta | None) -> None:
    assert parse_retry_after(text, NOW) == wait


def test_reasons_of_notices_are_short_words() -> None:
    assert Receipt(404).reason == "http_404"
    assert Receipt(307).reason == "redirect_307"
    assert Receipt(failure=FailureReason.TLS_FAILED).reason == "tls_failed"
