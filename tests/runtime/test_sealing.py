"""Sealed secrets: the keys that open them, and the keys that cannot."""

from __future__ import annotations

import base64
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.runtime import sealing
from inbox.runtime.sealing import CannotUnseal, InvalidKeyRing, KeyRing, associated_data

ROW, OTHER_ROW, WORKSPACE = UUID(int=1), UUID(int=2), UUID(int=3)
HERE = associated_data("destinations", ROW, WORKSPACE, "sealed")


def key(key_id: str, byte: int) -> str:
    return f"{key_id}:{base64.b64encode(bytes([byte]) * 32).decode()}"


OLD = KeyRing.parse(key("k1", 1))
RING = KeyRing.parse(f"{key('k2', 2)}, {key('k1', 1)}")


@given(st.binary(max_size=500))
def test_a_sealed_secret_opens_in_its_own_context(plain: bytes) -> None:
    sealed = RING.seal(plain, HERE)
    assert RING.open(sealed, HERE) == RING.open(memoryview(sealed), HERE) == plain


def test_the_plain_value_is_not_in_the_sealed_one_and_twice_is_not_the_same() -> None:
    first, second = RING.seal(b"whsec_topsecret", HERE), RING.seal(b"whsec_topsecret", HERE)
    assert b"topsecret" not in first
    assert first != second


@pytest.mark.parametrize(
    "elsewhere",
    [
        associated_data("destinations", OTHER_ROW, WORKSPACE, "sealed"),
        associated_data("destinations", ROW, OTHER_ROW, "sealed"),
        associated_data("sources", ROW, WORKSPACE, "sealed"),
        associated_data("destinations", ROW, WORKSPACE, "other"),
        b"",
    ],
)
def test_a_value_moved_to_another_place_does_not_open(elsewhere: bytes) -> None:
    with pytest.raises(CannotUnseal):
        RING.open(RING.seal(b"secret", HERE), elsewhere)


def test_any_changed_byte_is_noticed() -> None:
    sealed = RING.seal(b"secret", HERE)
    for position in range(len(sealed)):
        changed = bytearray(sealed)
        changed[position] ^= 1
        with pytest.raises(CannotUnseal):
            RING.open(bytes(changed), HERE)
        with pytest.raises(CannotUnseal):
            RING.open(sealed[:position], HERE)


@given(st.binary(max_size=80))
def test_bytes_that_were_never_sealed_do_not_open(noise: bytes) -> None:
    with pytest.raises(CannotUnseal):
        RING.open(noise, HERE)


def test_an_older_key_opens_and_its_values_want_the_newest() -> None:
    sealed = OLD.seal(b"secret", HERE)

    assert RING.open(sealed, HERE) == b"secret"
    assert (RING.needs_reseal(sealed), RING.needs_reseal(RING.seal(b"secret", HERE))) == (True, False)


def test_a_removed_key_opens_no_secret_and_the_error_only_names_it() -> None:
    with pytest.raises(CannotUnseal, match="k2") as refused:
        OLD.open(RING.seal(b"topsecret", HERE), HERE)
    assert "topsecret" not in str(refused.value)


def test_another_key_under_the_same_id_does_not_open() -> None:
    with pytest.raises(CannotUnseal):
        KeyRing.parse(key("k1", 9)).open(OLD.seal(b"secret", HERE), HERE)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "k1",
        "k1:",
        ":" + key("k", 1)[2:],
        "k1:!!!!",
        "k1:c2hvcnQ=",
        key("k 1", 1),
        key("k1", 1) + ",",
        key("k" * 65, 1),
    ]
    + [f"{key('k1', 1)},{key('k1', 2)}"],
)
def test_an_invalid_key_ring_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(InvalidKeyRing) as refused:
        KeyRing.parse(text)
    assert base64.b64encode(b"\1" * 32).decode() not in str(refused.value)


def test_the_repr_of_a_key_ring_hides_its_keys() -> None:
    assert "AESGCM" not in repr(RING)
    assert base64.b64encode(b"\2" * 32).decode() not in repr(RING)


def test_the_ring_of_the_process_is_the_one_that_was_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "_current", None)
    with pytest.raises(RuntimeError):
        sealing.current()

    sealing.bind(RING)
    assert sealing.current() is RING
