"""The receiver itself: a call counts as signed by when it came, not by when it is looked at."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks import Webhook

from tests.receivers import SECRET, Request

HOUR = timedelta(hours=1)


def call(ago: timedelta, stamped: timedelta) -> Request:
    """One that came so long ago, with a time from so long ago."""
    moment = datetime.now(UTC) - stamped
    signature = Webhook(SECRET).sign("msg_1", moment, "{}")
    headers = {"webhook-id": "msg_1", "webhook-timestamp": str(int(moment.timestamp()))}
    return Request(
        "POST", "/", headers | {"webhook-signature": signature}, b"{}", time.monotonic() - ago.total_seconds()
    )


@pytest.mark.parametrize(
    ("ago", "stamped", "is_signed"),
    [(0, 0, True), (60, 60, True), (60, 62, True), (60, 0, False), (0, 60, False)],
)
def test_what_came_long_ago_was_signed_when_its_time_was_right_then(ago: int, stamped: int, is_signed: bool) -> None:
    assert call(timedelta(minutes=ago), timedelta(minutes=stamped)).was_signed() is is_signed


def test_another_secret_or_another_body_was_not_signed() -> None:
    request = call(HOUR, HOUR)

    assert not request.was_signed("whsec_" + "A" * 32)
    assert not Request("POST", "/", request.headers, b"[]", request.at).was_signed()
