"""The fallback: whether any destination could be notified of an alarm, and when that is certain."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from inbox.domain.deliveries.fallback import GRACE, RECHECK_INTERVAL, DeliveryState, fallback_reason, watched_since
from inbox.domain.deliveries.fallback_reasons import FallbackReason
from inbox.domain.values.severity import Severity

AT = datetime(2026, 11, 21, 9, tzinfo=UTC)
FAILED, STOPPED, DISABLED = (
    DeliveryState("failed", "http_400"),
    DeliveryState("held", "stopped"),
    DeliveryState("skipped", "disabled"),
)


@pytest.mark.parametrize(
    ("ways", "because"),
    [
        ([], FallbackReason.NO_DESTINATION),
        ([DISABLED, DeliveryState("skipped", "deleted")], FallbackReason.NO_DESTINATION),
        ([DISABLED, STOPPED], FallbackReason.ALL_STOPPED),
        ([DeliveryState("expired", "stopped")], FallbackReason.ALL_STOPPED),
        ([FAILED, STOPPED, DISABLED], FallbackReason.RETRIES_EXHAUSTED),
    ],
)
@pytest.mark.parametrize("severity", [Severity.WARNING, Severity.CRITICAL])
def test_the_fallback_has_a_reason_when_no_destination_is_left(
    ways: list[DeliveryState], because: FallbackReason, severity: Severity
) -> None:
    assert fallback_reason(ways, severity, None, AT) is because


@pytest.mark.parametrize(
    "way",
    [
        DeliveryState("sent"),
        DeliveryState("held", "quiet_hours"),
        DeliveryState("skipped", "superseded"),
        DeliveryState("skipped", "resolved_meanwhile"),
    ],
)
def test_one_destination_that_was_or_will_be_notified_prevents_the_fallback(way: DeliveryState) -> None:
    assert fallback_reason([FAILED, way], Severity.CRITICAL, AT, AT + timedelta(days=1)) is None


@pytest.mark.parametrize("status", ["pending", "sending", "retrying"])
def test_a_pending_delivery_defers_the_fallback_except_for_critical(status: str) -> None:
    ways = [FAILED, DeliveryState(status)]
    assert fallback_reason(ways, Severity.ERROR, AT, AT + timedelta(days=1)) is None
    assert fallback_reason(ways, Severity.CRITICAL, AT, AT + GRACE - timedelta(seconds=1)) == AT + GRACE
    assert fallback_reason(ways, Severity.CRITICAL, AT, AT + GRACE) is FallbackReason.UNDELIVERED
    assert fallback_reason(ways, Severity.CRITICAL, None, AT) == AT + RECHECK_INTERVAL


@pytest.mark.parametrize(
    ("ways", "first", "since"),
    [
        ([DeliveryState("pending", is_blocked=True), FAILED], None, AT),
        ([DeliveryState("pending", is_blocked=True), DeliveryState("pending")], None, None),
        ([DeliveryState("pending")], None, None),
        ([STOPPED], None, None),
        ([DeliveryState("retrying", is_blocked=True)], AT + GRACE, AT + GRACE),
    ],
)
def test_an_alert_is_watched_from_its_first_attempt_or_while_it_can_have_none_from_its_creation(
    ways: list[DeliveryState], first: datetime | None, since: datetime | None
) -> None:
    assert watched_since(ways, first, AT) == since
