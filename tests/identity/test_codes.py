"""Typed codes: TOTP codes (RFC 6238), recovery codes, and the QR code of an app."""

from __future__ import annotations

import re
from base64 import b32decode
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree

import pytest

from inbox.identity import qr, recovery, totp
from inbox.identity.safe_redirect import safe_return
from tests.cast import NOW
from tests.identity.test_passkeys import MIA

RFC = b"12345678901234567890"
PRESENT = int(NOW.timestamp()) // 30


@pytest.mark.parametrize(
    ("seconds", "code"),
    [
        (59, "287082"),
        (1111111109, "081804"),
        (1111111111, "050471"),
        (1234567890, "005924"),
        (2000000000, "279037"),
        (20000000000, "353130"),
    ],
)
def test_the_codes_match_the_standard(seconds: int, code: str) -> None:
    assert totp.matching_step(RFC, code, datetime.fromtimestamp(seconds, UTC)) == seconds // 30


@pytest.mark.parametrize(("steps", "is_taken"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
def test_a_clock_may_be_off_by_half_a_minute(steps: int, is_taken: bool) -> None:
    code = totp.code_of(RFC, PRESENT + steps)

    assert totp.matching_step(RFC, code, NOW) == (PRESENT + steps if is_taken else None)


def test_a_code_that_was_taken_and_all_before_it_are_refused() -> None:
    codes = {step: totp.code_of(RFC, step) for step in (PRESENT - 1, PRESENT, PRESENT + 1)}

    assert [totp.matching_step(RFC, codes[step], NOW, last_step=PRESENT) for step in codes] == [None, None, PRESENT + 1]
    assert totp.matching_step(RFC, codes[PRESENT], NOW + timedelta(seconds=30), last_step=PRESENT) is None


@pytest.mark.parametrize(
    "code", ["", "12345", "1234567", "abcdef", "１２３４５６", "-12345", "12345.", "1e5000", "0" * 10_000]
)
def test_a_malformed_code_is_refused(code: str) -> None:
    assert totp.matching_step(RFC, code, NOW) is None


def test_spaces_in_a_code_do_not_matter() -> None:
    code = totp.code_of(RFC, PRESENT)

    assert totp.matching_step(RFC, f" {code[:3]} {code[3:]} ", NOW) == PRESENT


def test_ten_thousand_guessed_codes_are_right_as_often_as_by_chance() -> None:
    right = {totp.code_of(RFC, PRESENT + step) for step in (-1, 0, 1)}
    guessed = [f"{number:06}" for number in range(0, 1_000_000, 100)]

    assert {code for code in guessed if totp.matching_step(RFC, code, NOW)} == right & set(guessed)


def test_an_app_is_reported_everything_it_needs() -> None:
    secret = totp.new_secret()
    uri = totp.provisioning_uri(secret, account="mia@example.org", issuer="Acme: Inbox & Söhne")

    parts = urlsplit(uri)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    assert (parts.scheme, parts.netloc) == ("otpauth", "totp")
    assert unquote(parts.path) == "/Acme  Inbox & Söhne:mia@example.org"
    assert query["issuer"] == "Acme  Inbox & Söhne" and "+" not in uri
    # An app takes SHA-1, 6 digits and 30 seconds where the address says nothing else.
    assert query.keys() == {"secret", "issuer"}
    assert b32decode(query["secret"]) == secret and len(secret) == 20
    assert totp.to_base32(secret) == query["secret"]


def test_ten_recovery_codes_are_shown_that_nobody_else_has() -> None:
    codes = recovery.new_codes()

    assert len(set(codes) | set(recovery.new_codes())) == 20
    assert all(re.fullmatch(r"([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}", code) for code in codes)


@pytest.mark.parametrize(
    "typed", ["ab01-cd2e-fg3h-jk1m", "AB01CD2EFG3HJK1M", " abO1 cd2e-fg3h jkIm ", "abolcd2efg3hjklm"]
)
def test_a_recovery_code_is_known_however_it_is_typed(typed: str) -> None:
    assert recovery.digest(MIA, typed) == recovery.digest(MIA, "ab01-cd2e-fg3h-jk1m")


def test_a_recovery_code_is_kept_as_a_hash_of_its_person() -> None:
    code = recovery.new_codes()[0]

    assert len(recovery.digest(MIA, code)) == 32
    assert recovery.digest(MIA, code) != recovery.digest(MIA.__class__(int=1), code)
    assert recovery.digest(MIA, code) != recovery.digest(MIA, code[:-1])
    assert recovery.digest(MIA, "é\ud800" * 1_000)


def test_a_qr_code_is_a_picture_and_nothing_else() -> None:
    drawn = qr.svg(totp.provisioning_uri(RFC, account="mia@example.org", issuer="Inbox"))

    tree = ElementTree.fromstring(drawn)
    assert tree.tag == "{http://www.w3.org/2000/svg}svg"
    assert {element.tag.partition("}")[2] for element in tree.iter()} <= {"svg", "g", "path", "rect"}
    assert "script" not in drawn and "href" not in drawn and "mia" not in drawn
    assert drawn != qr.svg("something else")


@pytest.mark.parametrize("path", ["/", "/w/acme/incidents/inc_1", "/w/acme?state=open&sort=a,b#top", "/a%20b"])
def test_a_return_path_of_the_dashboard_is_accepted(path: str) -> None:
    assert safe_return(path) == path


@pytest.mark.parametrize(
    "path",
    [
        *("//evil.example", "/\\evil.example", "https:evil.example", "https://evil.example", "javascript:alert(1)"),
        *("", "w/acme", " /w", "/\t/evil.example", "/\n/evil.example", "\\\\evil", "/w\r\nSet-Cookie: a=b", "///evil"),
        *("/https://evil.example", "/é", "/<script>", '/"', "/" + "a" * 600, None, 7, ["/"]),
    ],
)
def test_a_return_address_outside_the_service_is_replaced_by_the_first_page(path: object) -> None:
    assert safe_return(path) == "/"
