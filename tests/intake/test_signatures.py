"""Signatures of tools: requests signed with the secret pass, and all others fail (specification 19.13)."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import UTC, datetime

import pytest

from inbox.intake.registry import SIGNING, TOOLS
from inbox.intake.signatures import SignedRequest

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
SECRET = "whsec_" + base64.b64encode(b"s" * 32).decode()
OTHER = "whsec_" + base64.b64encode(b"o" * 32).decode()
BODY = b'{"a": "\xc3\xa9"}'


def digest(secret: str, body: bytes = BODY) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def standard(secret: str, *, at: datetime = NOW, body: bytes = BODY, before: str = "") -> dict[str, str]:
    """The headers of Standard Webhooks, computed as its specification says."""
    sent_at = str(int(at.timestamp()))
    signed = f"msg-1.{sent_at}.".encode() + body
    made = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), signed, hashlib.sha256).digest()
    signature = f"{before}v1,{base64.b64encode(made).decode()}"
    return {"webhook-id": "msg-1", "webhook-timestamp": sent_at, "webhook-signature": signature}


def is_valid(tool: str, headers: dict[str, str], secret: str = SECRET) -> bool:
    scheme = TOOLS[tool].signing
    assert scheme is not None
    return scheme.is_valid(secret, SignedRequest(headers, BODY, NOW))


GOOD = [
    ("github", {"x-hub-signature-256": f"sha256={digest(SECRET)}"}),
    ("sentry", {"sentry-hook-signature": digest(SECRET)}),
    ("gitlab", {"x-gitlab-token": SECRET}),
    ("gitlab", standard(SECRET)),
    ("gitlab", standard(SECRET, before="v1,AAAA v2,BBBB ")),
]


def test_the_example_of_github_passes() -> None:
    request = SignedRequest(
        {"x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"},
        b"Hello, World!",
        NOW,
    )
    scheme = TOOLS["github"].signing

    assert scheme is not None and scheme.is_valid("It's a Secret to Everybody", request)


@pytest.mark.parametrize(("tool", "headers"), GOOD)
def test_a_request_passes_with_its_own_secret_alone(tool: str, headers: dict[str, str]) -> None:
    assert is_valid(tool, headers)
    assert not is_valid(tool, headers, OTHER)


@pytest.mark.parametrize(
    ("tool", "headers"),
    [("github", {"x-hub-signature-256": digest(SECRET)}),
     ("github", {"x-hub-signature-256": f"sha1={digest(SECRET)}"}),
     ("github", {"x-hub-signature-256": f"sha256={digest(SECRET, BODY + b' ')}"}),
     ("github", {"x-hub-signature-256": "sha256="}),
     ("github", {"x-hub-signature-256": "sha256=\u00e9\ud800"}),
     ("github", {}),
     ("sentry", {"sentry-hook-signature": digest(SECRET)[:-1]}),
     ("sentry", {}),
     ("gitlab", {"x-gitlab-token": SECRET[:-1]}),
     ("gitlab", {"x-gitlab-token": ""}),
     ("gitlab", {}),
     ("gitlab", standard(SECRET, body=b"{}")),
     ("gitlab", standard(SECRET, at=datetime(2026, 11, 22, 11, 54, 59, tzinfo=UTC))),
     ("gitlab", standard(SECRET, at=datetime(2026, 11, 22, 12, 5, 1, tzinfo=UTC))),
     ("gitlab", {**standard(SECRET), "webhook-timestamp": "\u0661"}),
     ("gitlab", {**standard(SECRET), "webhook-timestamp": "-1"}),
     ("gitlab", {**standard(SECRET), "webhook-id": "msg.1"}),
     ("gitlab", {**standard(SECRET), "webhook-signature": "v1,AAAA", "x-gitlab-token": SECRET}),
     ("gitlab", standard(SECRET, before="v1,A " * 10))],
)  # fmt: skip
def test_a_wrong_signature_fails(tool: str, headers: dict[str, str]) -> None:
    assert not is_valid(tool, headers)


def test_a_secret_of_another_form_fails_as_signing_token() -> None:
    assert not is_valid("gitlab", standard(SECRET), "no base64 of ours")


def grafana(secret: str = SECRET, *, at: str = "", body: bytes = BODY) -> dict[str, str]:
    """The headers of a contact point with a secret, with a time where the name of its header is entered."""
    made = hmac.new(secret.encode(), f"{at}:".encode() + body if at else body, hashlib.sha256).hexdigest()
    times = {"x-grafana-alerting-timestamp": at} if at else {}
    return {"x-grafana-alerting-signature": made, **times}


PRESENT = str(int(NOW.timestamp()))


@pytest.mark.parametrize("at", ["", PRESENT, str(int(PRESENT) - 300), str(int(PRESENT) + 300)])
def test_a_flipped_bit_of_a_request_of_grafana_fails(at: str) -> None:
    headers = grafana(at=at)
    scheme = TOOLS["grafana"].signing
    assert scheme is not None and is_valid("grafana", headers) and not is_valid("grafana", headers, OTHER)

    for index in range(len(BODY)):
        flipped = BODY[:index] + bytes([BODY[index] ^ 1]) + BODY[index + 1 :]
        assert not scheme.is_valid(SECRET, SignedRequest(headers, flipped, NOW))
    for name, value in headers.items():
        for index, character in enumerate(value):
            flipped_value = value[:index] + chr(ord(character) ^ 1) + value[index + 1 :]
            assert not is_valid("grafana", {**headers, name: flipped_value})


@pytest.mark.parametrize(
    "headers",
    [{}, {"x-grafana-alerting-signature": ""}, grafana(at=str(int(PRESENT) - 301)), grafana(at=str(int(PRESENT) + 301)),
     grafana(at=f"+{PRESENT}"), grafana(at=f"{PRESENT}.0"), grafana(at="9" * 13),
     {**grafana(at=PRESENT), "x-grafana-alerting-timestamp": ""},
     {**grafana(), "x-grafana-alerting-timestamp": PRESENT}],
)  # fmt: skip
def test_a_wrong_time_or_a_missing_part_of_a_request_of_grafana_fails(headers: dict[str, str]) -> None:
    assert not is_valid("grafana", headers)


def test_four_tools_sign_their_webhooks() -> None:
    assert SIGNING == ("github", "gitlab", "grafana", "sentry")
