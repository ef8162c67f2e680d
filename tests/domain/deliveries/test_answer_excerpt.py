"""Stored excerpts of answers: the beginning, from public addresses only, and no secret."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from inbox.domain.deliveries.answer_excerpt import excerpt
from inbox.domain.deliveries.delivery import answer_text
from inbox.domain.values.addresses import AddressClass, address_class
from tests.database.call_counts import calls_of


@pytest.mark.parametrize(
    ("address", "encoding", "retained"),
    [
        ("8.8.8.8", "identity", "a word"),
        ("2606:4700::1", "IDENTITY", "a word"),
        ("8.8.8.8", "gzip", ""),
        ("10.0.0.1", "identity", ""),
        ("100.64.0.1", "identity", ""),
        ("fd00::1", "identity", ""),
        ("127.0.0.1", "identity", ""),
        ("::1", "identity", ""),
        ("::ffff:127.0.0.1", "identity", ""),
        ("169.254.169.254", "identity", ""),
    ],
)
def test_the_excerpt_of_an_answer_is_kept_from_public_addresses_only(
    address: str, encoding: str, retained: str
) -> None:
    assert answer_text(b"a word", address_class(ip_address(address)), encoding) == retained


def test_an_excerpt_is_at_most_2_kib_and_ends_with_a_whole_character() -> None:
    retained = excerpt("€" * 5_000)
    assert retained == "€" * 682


def test_an_excerpt_holds_no_control_or_direction_characters() -> None:
    retained = answer_text("a\x00b\x1b[31m\u202ec\u200bd\r\ne\tf\xff".encode("utf-8") + b"\xff", AddressClass.PUBLIC)
    assert retained == "a b [31m c d \ne\tfÿ�"


@pytest.mark.parametrize(
    "secret", ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "svc_src_0123456789abcdefghijABCDEFGHIJ", "https://a:b@host/"]
)
@pytest.mark.parametrize("before", [0, 2_000, 2_040, 4_080])
def test_an_excerpt_holds_none_of_our_secrets(secret: str, before: int) -> None:
    retained = excerpt("x" * before + " " + secret + " echoed")
    assert secret[10:16] not in retained


def test_an_excerpt_holds_none_of_the_secrets_it_is_given() -> None:
    assert excerpt("POST /hooks/T0p/S3cret failed", ["T0p/S3cret", ""]) == "POST /hooks/[REDACTED] failed"


@pytest.mark.parametrize("before", range(2_030, 2_049))
def test_an_excerpt_ends_with_no_part_of_a_secret(before: int) -> None:
    retained = excerpt("x" * before + "T0p/S3cret and more", ["T0p/S3cret"])
    assert set(retained) <= set("x[REDACTED] and more")


@pytest.mark.parametrize("arrived", range(4, 10))
def test_a_response_that_breaks_off_in_a_secret_loses_that_part(arrived: int) -> None:
    assert excerpt("POST /hooks/" + "T0p/S3cret"[:arrived], ["T0p/S3cret"]) == "POST /hooks/[REDACTED]"


def test_secrets_that_are_a_part_of_another_or_of_the_mark_are_masked_once() -> None:
    assert excerpt("abc ab RED", ["ab", "abc", "RED"]) == "[REDACTED] [REDACTED] [REDACTED]"


def test_a_response_that_breaks_off_in_a_secret_loses_a_shorter_secret_in_that_part_too() -> None:
    assert excerpt("at T0p/S3cr", ["T0p/S3cret", "S3"]) == "at [REDACTED]"


@pytest.mark.parametrize("answer", ["a" * 65_536, "/".join(f"a{number:015}" for number in range(4_000))])
def test_many_forms_of_secrets_cost_a_long_answer_no_more_than_its_beginning(answer: str) -> None:
    secrets = [f"{'a' * 16}{number:04}&" for number in range(800)]

    assert len(excerpt(answer, secrets)) == 2_048
    assert calls_of(lambda: excerpt(answer, secrets)) < 100_000


def test_an_excerpt_of_an_answer_full_of_secrets_reads_on_until_it_is_full() -> None:
    secret = "T0p/S3cret" * 100

    assert len(excerpt((secret + ".") * 60 + "x" * 5_000, [secret])) == 2_048
