import hashlib
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.senders import keys
from inbox.domain.senders.keys import KeyKind

ENTROPY = st.binary(min_size=32, max_size=32)
KINDS = st.sampled_from(KeyKind)
FORMS = {
    KeyKind.SOURCE: r"svc_src_[0-9A-Za-z]{49}",
    KeyKind.PING: r"svc_ping_[0-9A-Za-z]{49}",
    KeyKind.HEARTBEAT: r"svc_hb_[0-9A-Za-z]{49}",
    KeyKind.BADGE: r"svc_badge_[0-9A-Za-z]{49}",
    KeyKind.CALENDAR: r"svc_cal_[0-9A-Za-z]{49}",
    KeyKind.WALL: r"svc_wall_[0-9A-Za-z]{49}",
    KeyKind.ALIAS: r"A[0-9A-Za-z._-]{14}",
    KeyKind.MAIL: r"svc_mail_[a-z2-7]{26}",
}


@given(KINDS, ENTROPY)
def test_a_new_key_has_the_form_of_its_kind_and_of_no_other(kind: KeyKind, entropy: bytes) -> None:
    key = keys.mint(kind, entropy)

    assert re.fullmatch(FORMS[kind], key)
    assert [other for other in KeyKind if keys.well_formed(other, key)] == [kind]


@pytest.mark.parametrize("entropy", [b"\x00" * 32, b"\xff" * 32])
@pytest.mark.parametrize("kind", KeyKind)
def test_keys_of_the_smallest_and_largest_entropy_have_the_same_form(kind: KeyKind, entropy: bytes) -> None:
    assert re.fullmatch(FORMS[kind], keys.mint(kind, entropy))


def test_different_entropy_gives_different_keys() -> None:
    dice = random.Random(1)

    for kind in KeyKind:
        assert len({keys.mint(kind, dice.randbytes(32)) for _ in range(5_000)}) == 5_000


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_key_takes_32_random_bytes_and_no_other_number(length: int) -> None:
    with pytest.raises(ValueError):
        keys.mint(KeyKind.SOURCE, b"\x00" * length)


@given(
    st.sampled_from([KeyKind.SOURCE, KeyKind.HEARTBEAT, KeyKind.BADGE]),
    ENTROPY,
    st.integers(0),
    st.sampled_from("09AZaz"),
)
def test_a_mistyped_character_makes_a_key_malformed(kind: KeyKind, entropy: bytes, place: int, character: str) -> None:
    key = keys.mint(kind, entropy)
    place = len(kind) + place % (len(key) - len(kind))
    mistyped = key[:place] + character + key[place + 1 :]

    assert keys.well_formed(kind, mistyped) == (mistyped == key)


@given(KINDS, ENTROPY, st.integers(0, 70))
def test_a_truncated_paste_is_no_key(kind: KeyKind, entropy: bytes, length: int) -> None:
    key = keys.mint(kind, entropy)

    assert keys.well_formed(kind, key[:length]) == (length >= len(key))


@pytest.mark.parametrize("kind", KeyKind)
@pytest.mark.parametrize(
    "text",
    ["", "A", "é" * 15, "A" + "é" * 14, "svc_src_", "svc_src_" + "é" * 49, "\xff", "\ud800" * 57, "A" * 8192, "\x00" * 57,
     None, 7, b"A23456789012345", ["svc_src_"]],
)  # fmt: skip
def test_odd_input_is_no_key_and_no_error(kind: KeyKind, text: object) -> None:
    assert keys.well_formed(kind, text) is False


@given(ENTROPY)
def test_a_key_with_something_around_it_is_no_key(entropy: bytes) -> None:
    key = keys.mint(KeyKind.SOURCE, entropy)

    assert not any(keys.well_formed(KeyKind.SOURCE, odd) for odd in (key + "\n", " " + key, key + " ", key.upper()))


def test_a_stored_key_is_its_sha_256_and_four_characters() -> None:
    key = keys.mint(KeyKind.SOURCE, bytes(range(32)))

    assert keys.digest(key) == hashlib.sha256(key.encode()).digest()
    assert keys.hint(key) == key[-4:]


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_has_a_digest(text: str) -> None:
    assert len(keys.digest(text)) == 32
