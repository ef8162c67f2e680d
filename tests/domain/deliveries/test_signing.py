"""Signatures, verified by the Standard Webhooks library itself."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from inbox.domain.deliveries.signing import BadSecret, headers, hint, parse_secret, sign
from tests.stand_ins.outgoing_posts import BODY

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
KEY = parse_secret(SECRET)


def secret_of(length: int) -> str:
    return "whsec_" + base64.b64encode(bytes(range(length))).decode()


def test_the_known_case_of_the_scheme() -> None:
    signature = sign(KEY, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, b'{"test": 2432232314}')
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@given(st.text(), st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True), st.binary(min_size=24, max_size=64))
def test_an_independent_library_verifies_our_signatures(text: str, message_id: str, key: bytes) -> None:
    body = text.encode()
    secret = "whsec_" + base64.b64encode(key).decode()

    Webhook(secret).verify(body, headers([parse_secret(secret)], message_id, datetime.now(UTC), body), json_parse=False)


@pytest.mark.parametrize("change", [b" {}", b"{} ", b"{}\n", b"{]", b""])
def test_any_change_of_the_body_breaks_the_signature(change: bytes) -> None:
    signed = headers([KEY], "dlv_1", datetime.now(UTC), b"{}")
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(change, signed, json_parse=False)


@pytest.mark.parametrize("length", [1_024, 16_384, 100_000])
def test_a_long_body_is_signed_to_its_last_byte(length: int) -> None:
    body = b"a" * length + b"b"
    signed = headers([KEY], "dlv_1", datetime.now(UTC), body)

    Webhook(SECRET).verify(body, signed, json_parse=False)
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(body[:-1] + b"c", signed, json_parse=False)


def test_each_flipped_bit_of_a_body_breaks_the_signature() -> None:
    body = BODY.encode()
    signed = headers([KEY], "dlv_1", datetime.now(UTC), body)

    for place in range(len(body)):
        for bit in range(8):
            flipped = bytearray(body)
            flipped[place] ^= 1 << bit
            with pytest.raises((WebhookVerificationError, UnicodeDecodeError)):
                Webhook(SECRET).verify(bytes(flipped), signed, json_parse=False)


@pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_any_change_of_a_header_breaks_the_signature(name: str) -> None:
    signed = headers([KEY], "dlv_1", datetime.now(UTC), b"{}")
    other = headers([KEY], "dlv_2", datetime.fromtimestamp(int(signed["webhook-timestamp"]) - 1, UTC), b"{}")
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(b"{}", signed | {name: other[name]}, json_parse=False)


def test_another_secret_does_not_verify() -> None:
    signed = headers([KEY], "dlv_1", datetime.now(UTC), b"{}")
    with pytest.raises(WebhookVerificationError):
        Webhook(secret_of(32)).verify(b"{}", signed)


def test_the_timestamp_is_the_time_of_the_attempt_in_whole_seconds() -> None:
    at = datetime(2026, 3, 1, 12, 0, 0, 999_999, tzinfo=UTC)
    assert headers([KEY], "dlv_1", at, b"{}")["webhook-timestamp"] == "1772366400"


@pytest.mark.parametrize("message_id", ["", "a.b", "a b", "ä", "a\n", "a" * 65])
def test_an_id_that_would_make_the_signed_text_ambiguous_is_refused(message_id: str) -> None:
    with pytest.raises(ValueError, match="message id"):
        sign(KEY, message_id, 1, b"{}")


@pytest.mark.parametrize("length", [24, 25, 26, 32, 48, 64])
def test_a_secret_of_24_to_64_bytes_is_taken_with_or_without_padding(length: int) -> None:
    assert parse_secret(secret_of(length)) == parse_secret(secret_of(length).rstrip("=")) == bytes(range(length))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "whsec_",
        secret_of(23),
        secret_of(65),
        secret_of(32).removeprefix("whsec_"),
        secret_of(32).replace("whsec_", "WHSEC_"),
        " " + secret_of(32),
        secret_of(32) + "\n",
        secret_of(32) + " ",
        secret_of(32) + "=",
        secret_of(32)[:20] + "=" + secret_of(32)[20:],
        "whsec_" + "-_" * 20,
        "whsec_" + "ä" * 40,
        "whsec_" + "A" * 41,
        "whsec_" + "A" * 33 + "B=",
    ],
)
def test_an_invalid_secret_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(BadSecret) as refused:
        parse_secret(text)
    assert len(text) < 10 or text[6:] not in str(refused.value)


def test_the_hint_shows_the_last_four_characters() -> None:
    assert hint(SECRET) == "…LaSw"
    assert hint(secret_of(32)) == "…" + secret_of(32).rstrip("=")[-4:]
