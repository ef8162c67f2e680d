"""Passkeys whose decoding would cost much: tags of CBOR, and large parts."""

from __future__ import annotations

from typing import Any

import cbor2
import pytest

from inbox.identity import cbor_scan, passkeys
from inbox.identity.passkeys import PasskeyRefused
from tests.identity.authenticators import Authenticator
from tests.identity.providers import b64
from tests.identity.test_passkeys import SITE, made, requested, verified

SHARED_HASH = 2**61 - 1


@pytest.mark.parametrize(
    "extension",
    [
        cbor2.dumps({number * SHARED_HASH: 0 for number in range(9, 20)}),
        cbor2.dumps({"a": cbor2.CBORTag(35, "(a)")}),
        cbor2.dumps({"a": [1, {"b": cbor2.CBORTag(258, [1])}]}),
    ],
    ids=["keys of one hash", "pattern", "nested set"],
)
def test_a_tag_in_the_data_of_an_authenticator_is_refused(extension: bytes) -> None:
    authenticator = Authenticator()
    key = made(authenticator)
    authenticator.extensions = extension

    with pytest.raises(PasskeyRefused):
        made(authenticator)
    with pytest.raises(PasskeyRefused):
        verified(authenticator, key)


def test_a_tag_beside_the_data_of_an_authenticator_is_refused_before_it_is_decoded() -> None:
    answer = Authenticator().make(requested(), fmt=cbor2.CBORTag(35, "("))

    with pytest.raises(PasskeyRefused) as refused:
        passkeys.verify_registration(SITE, b"c" * 32, answer)

    assert refused.value.__cause__ is None


def test_a_public_key_with_a_tag_is_refused() -> None:
    authenticator = Authenticator()
    key = made(authenticator)
    public_key = cbor2.dumps(cbor2.loads(key.public_key) | {9: cbor2.CBORTag(35, "a")})

    with pytest.raises(PasskeyRefused):
        passkeys.verify_assertion(SITE, b"c" * 32, authenticator.show(requested()), public_key=public_key, sign_count=0)


def test_extensions_without_tags_are_accepted() -> None:
    authenticator = Authenticator(extensions=cbor2.dumps({"credProtect": 2, "hmac-secret": True, "minPinLength": 4.5}))

    assert verified(authenticator, made(authenticator)).user_verified


@pytest.mark.parametrize(
    ("encoded", "found"),
    [
        (b"", False),
        (b"\xa1\x01\x02", False),
        (b"\x42\xc1\xc1", False),
        (b"\x62\xc3\xa4", False),
        (b"\x58\x01\xc1", False),
        (b"\x58\x01\xc1\xc1\x00", True),
        (b"\x9f\x01\xff", False),
        (b"\x5f\x41\xc1\xff\xc1\x00", True),
        (b"\x81\xd8\x23\x61a", True),
        (b"\xfb\xc1\xc1\xc1\xc1\xc1\xc1\xc1\xc1", False),
        (b"\x5b\xff", False),
    ],
)
def test_tags_are_found_outside_of_texts_and_numbers(encoded: bytes, found: bool) -> None:
    assert cbor_scan.has_tags(encoded) is found


def answer_with(attestation: int, more: int = 0) -> dict[str, Any]:
    """A response whose attestation has so many bytes, with so many more bytes beside it."""
    return {"id": "a", "response": {"attestationObject": text_of(attestation)}, "more": "x" * more}


def text_of(size: int) -> str:
    return b64(bytes(size))


@pytest.mark.parametrize(("size", "is_refused"), [(16_383, False), (16_384, False), (16_388, True)])
def test_a_part_of_a_response_has_a_largest_size(size: int, is_refused: bool) -> None:
    fault = passkeys.fault_of_size(answer_with(size))

    assert (fault == "A part of `response` must have at most 16,384 bytes.") is is_refused


@pytest.mark.parametrize(("beyond", "is_refused"), [(-1, False), (0, False), (1, True)])
def test_a_response_has_a_largest_size(beyond: int, is_refused: bool) -> None:
    room = passkeys.LONGEST_RESPONSE - len('{"id":"a","response":{"attestationObject":"AAAA"},"more":""}')

    fault = passkeys.fault_of_size(answer_with(3, room + beyond))

    assert (fault == "Must have at most 65,536 bytes as JSON.") is is_refused
