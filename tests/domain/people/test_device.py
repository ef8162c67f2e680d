"""Results of a presented refresh token (specification 11.10)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.domain.people.device import RefreshTokenUse, classify
from tests.cast import NOW


@pytest.mark.parametrize(
    ("seconds_ago", "expected"),
    [
        (None, RefreshTokenUse.NEWEST),
        (0, RefreshTokenUse.LOST_RESPONSE),
        (60, RefreshTokenUse.LOST_RESPONSE),
        (60.001, RefreshTokenUse.REUSED),
        (86_400, RefreshTokenUse.REUSED),
        (-1, RefreshTokenUse.LOST_RESPONSE),  # clocks of two processes, a moment apart
    ],
)
def test_a_replaced_token_is_a_lost_answer_for_a_minute_and_a_theft_from_then_on(
    seconds_ago: float | None, expected: RefreshTokenUse
) -> None:
    replaced_at = None if seconds_ago is None else NOW - timedelta(seconds=seconds_ago)

    assert classify(replaced_at, NOW) is expected
