"""Pairing codes: easy to read out, and accepted in every spelling (specification 11.10)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.people import pairing


def test_a_code_is_two_times_four_letters_that_are_not_mistaken_for_others() -> None:
    assert pairing.code(bytes(5)) == "0000-0000"
    assert pairing.code(b"\xff" * 5) == "ZZZZ-ZZZZ"
    assert not set("ILOU") & set(pairing.ALPHABET)
    assert len(set(pairing.ALPHABET)) == 32


@given(st.binary(min_size=5, max_size=5))
def test_forty_bits_make_forty_bits_of_code(random_bits: bytes) -> None:
    letters = pairing.parse(pairing.code(random_bits))

    assert letters is not None
    assert sum(pairing.ALPHABET.index(letter) << 5 * place for place, letter in enumerate(reversed(letters))) == (
        int.from_bytes(random_bits)
    )


@pytest.mark.parametrize("typed", ["K7QM-3XP0", "k7qm3xp0", " k7qm 3xpO ", "K7Q-M3X-P0", "k7qm-3xpo"])
def test_a_pairing_code_is_read_in_every_form_people_type(typed: str) -> None:
    assert pairing.parse(typed) == "K7QM3XP0"


def test_letters_that_do_not_exist_are_read_as_the_digits_they_look_like() -> None:
    assert pairing.parse("iIlL-oO00") == "11110000"


@pytest.mark.parametrize(
    "typed", ["", "K7QM-3XP", "K7QM-3XPDD", "K7QM-3XPU", "K7QM-3XP!", "Ｋ7QM-3XPD", "ı7QM-3XPD", "--------"]
)
def test_a_malformed_pairing_code_is_refused(typed: str) -> None:
    assert pairing.parse(typed) is None


def test_the_address_hides_the_code_from_servers() -> None:
    assert pairing.address("https://inbox.example.org/", "K7QM-3XPD") == "https://inbox.example.org/pair#K7QM-3XPD"
