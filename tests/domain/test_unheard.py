"""Whether nobody could be told of an alarm, and when that is known."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from inbox.domain.notices import FallbackReason
from inbox.domain.severity import Severity
from inbox.domain.unheard import LOOK_AGAIN, PATIENCE, Way, verdict

AT = datetime(2026, 11, 21, 9, tzinfo=UTC)
FAILED, STOPPED, DISABLED = Way("failed", "http_400"), Way("held", "stopped"), Way("skipped", "disabled")


@pytest.mark.parametrize(
    ("ways", "because"),
    [
        ([], FallbackReason.NO_DESTINATION),
        ([DISABLED, Way("skipped", "deleted")], FallbackReason.NO_DESTINATION),
        ([DISABLED, STOPPED], FallbackReason.ALL_STOPPED),
        ([Way("expired", "stopped")], FallbackReason.ALL_STOPPED),
        ([FAILED, STOPPED, DISABLED], FallbackReason.RETRIES_EXHAUSTED),
    ],
)
@pytest.mark.parametrize("severity", [Severity.WARNING, Severity.CRITICAL])
def test_when_no_way_is_left_there_is_a_reason(ways: list[Way], because: FallbackReason, severity: Severity) -> None:
    assert verdict(ways, severity, None, AT) is because


@pytest.mark.parametrize(
    "way", [Way("sent"), Way("held", "quiet_hours"), Way("skipped", "superseded"), Way("skipped", "resolved_meanwhile")]
)
def test_one_who_heard_or_will_hear_is_enough(way: Way) -> None:
    assert verdict([FAILED, way], Severity.CRITICAL, AT, AT + timedelta(days=1)) is None


@pytest.mark.parametrize("status", ["pending", "sending", "retrying"])
def test_what_is_on_its_way_is_waited_for_unless_it_is_critical(status: str) -> None:
    ways = [FAILED, Way(status)]
    assert verdict(ways, Severity.ERROR, AT, AT + timedelta(days=1)) is None
    assert verdict(ways, Severity.CRITICAL, AT, AT + PATIENCE - timedelta(seconds=1)) == AT + PATIENCE
    assert verdict(ways, Severity.CRITICAL, AT, AT + PATIENCE) is FallbackReason.UNDELIVERED
    assert verdict(ways, Severity.CRITICAL, None, AT) == AT + LOOK_AGAIN
