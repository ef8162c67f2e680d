"""The receiver itself: it verifies each webhook, with the signature time at its arrival."""

from __future__ import annotations

import socket
import time
import urllib.request
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from inbox.domain.deliveries import signing
from tests.stand_ins.receivers import SECRET, Receiver, Request

HOUR = timedelta(hours=1)
FLIPPED = 0b100
"""Of a byte. The two lowest bits of the last character of a signature in base64 say nothing."""


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
def test_a_signature_is_checked_against_the_time_of_its_call(ago: int, stamped: int, is_signed: bool) -> None:
    assert call(timedelta(minutes=ago), timedelta(minutes=stamped)).was_signed() is is_signed


def test_another_secret_or_another_body_was_not_signed() -> None:
    request = call(HOUR, HOUR)

    assert not request.was_signed("whsec_" + "A" * 32)
    assert not Request("POST", "/", request.headers, b"[]", request.at).was_signed()


def post(receiver: Receiver, headers: Mapping[str, str], body: bytes) -> None:
    urllib.request.urlopen(urllib.request.Request(receiver.url, body, dict(headers)), timeout=10).close()


def test_a_request_cut_off_in_its_body_is_not_processed() -> None:
    signed = call(HOUR, HOUR)
    headers = "".join(f"{name}: {value}\r\n" for name, value in signed.headers.items())
    with Receiver() as receiver:
        with socket.create_connection(("127.0.0.1", receiver.port), timeout=10) as connection:
            connection.sendall(f"POST /hook HTTP/1.1\r\nContent-Length: 2\r\n{headers}\r\n{{".encode())
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(1024) == b"", "nothing was answered"
        post(receiver, signed.headers, signed.body)
        receiver.wait_for(1)

    assert [each.body for each in receiver.requests] == [b"{}"]


def test_a_receiver_fails_at_its_end_when_a_webhook_was_signed_with_no_secret_that_it_knows() -> None:
    signed, other = call(HOUR, HOUR), "whsec_" + "A" * 32
    with Receiver() as receiver:
        post(receiver, signed.headers, signed.body)
        post(receiver, {}, b"a call of another kind")

    strange = Receiver(secrets=[other])
    strange.start()
    post(strange, signed.headers, signed.body)
    with pytest.raises(AssertionError, match="1 webhooks without a valid signature"):
        strange.stop()


def test_a_signature_is_invalid_after_one_changed_byte() -> None:
    body = '{"type":"incident.opened","data":{"title":"Disk f\u00fcll"}}'.encode()
    moment = datetime.now(UTC)
    headers = signing.headers([signing.parse_secret(SECRET)], "dlv_01h455vb4pex5vsknk084sn02q", moment, body)
    Webhook(SECRET).verify(body, headers)
    parts = {"body": body, **{name: value.encode() for name, value in headers.items()}}

    for name, whole in parts.items():
        for place in range(len(whole)):
            flipped = bytes([*whole[:place], whole[place] ^ FLIPPED, *whole[place + 1 :]])
            changed = {**parts, name: flipped}
            texts = {each: value.decode("latin-1") for each, value in changed.items() if each != "body"}
            with pytest.raises((WebhookVerificationError, ValueError)):
                Webhook(SECRET).verify(changed["body"], texts)
