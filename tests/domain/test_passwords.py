"""Passwords: long enough, and not what is tried first (decision 2)."""

from __future__ import annotations

import pytest

from inbox.domain.passwords import COMMONEST, SHORTEST, canonical, weakness


@pytest.mark.parametrize("length", [10, 11, 255, 256])
def test_ten_to_two_hundred_and_fifty_six_characters_are_accepted(length: int) -> None:
    assert weakness(("quiet harbour " * 20)[:length]) is None


@pytest.mark.parametrize("length", [0, 1, 9, 257, 10_000])
def test_shorter_and_longer_ones_are_not(length: int) -> None:
    assert weakness(("quiet harbour " * 1000)[:length]) is not None


@pytest.mark.parametrize("password", ["password123", "PASSWORD123", "aaaaaaaaaaaa", "1234567890", "abababababab"])
def test_what_is_tried_first_is_refused_in_any_case(password: str) -> None:
    assert weakness(password) is not None


def test_the_address_itself_is_no_password() -> None:
    assert weakness("Olga@example.org", email="olga@Example.org") is not None


def test_the_list_holds_only_what_would_otherwise_be_accepted() -> None:
    assert [each for each in COMMONEST if len(each) < SHORTEST or each != each.lower()] == []


def test_two_spellings_of_one_letter_are_one_password() -> None:
    assert canonical("cafe\u0301 au lait") == canonical("caf\u00e9 au lait")
