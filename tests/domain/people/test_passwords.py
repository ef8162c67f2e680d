"""Passwords: minimum length, and no commonly guessed ones (specification 11.6)."""

from __future__ import annotations

import pytest

from inbox.domain.people.passwords import (
    ADDRESS,
    COMMON,
    DECORATED,
    EXTRA_COMMON_PASSWORDS,
    MAX_DECORATION,
    NAMED,
    REPEATED,
    Blocklist,
    canonical,
    rejection_reason,
)

BLOCKLIST = Blocklist(
    frozenset({"password", "tinkerbell", "qwertyuiop12", "12345678", "1234567890"}), frozenset({"kangaroo", "summer"})
)


def stated(password: str, email: str = "") -> str | None:
    return rejection_reason(password, BLOCKLIST, email=email)


@pytest.mark.parametrize("length", [10, 11, 255, 256])
def test_ten_to_two_hundred_and_fifty_six_characters_are_accepted(length: int) -> None:
    assert stated(("quiet harbour bright lantern " * 20)[:length]) is None


@pytest.mark.parametrize("length", [0, 1, 9, 257, 10_000])
def test_shorter_and_longer_passwords_are_refused(length: int) -> None:
    assert stated(("quiet harbour bright lantern " * 1000)[:length]) == "Must have 10 to 256 characters."


@pytest.mark.parametrize("password", ["tinkerbell", "TinkerBell", "t1nkerbell", "Qwertyuiop12", "0123456789"])
@pytest.mark.parametrize("form", ["{}", "\uff34{}"])
def test_common_passwords_are_refused_in_any_case(password: str, form: str) -> None:
    full_width = form.format(password[1:]) if "\uff34" in form and password[0] in "tT" else password

    assert stated(full_width) == COMMON


@pytest.mark.parametrize(
    "password", ["3210987654", "9876543210", "bcdefghijkl", "zyxwvutsrqp", "correcthorsebatterystaple"]
)
def test_runs_of_digits_and_letters_are_refused(password: str) -> None:
    assert stated(password) == COMMON


@pytest.mark.parametrize(
    "password",
    [
        "Password2024",
        "P@ssw0rd2024!",
        "!!kangaroo!!",
        "Summer2026!",
        "2024summer#",
        "kangaroo1234567890",
        "12345678summer",
    ],
)
def test_a_common_word_with_few_or_usual_signs_around_it_is_refused(password: str) -> None:
    assert stated(password) == DECORATED


@pytest.mark.parametrize("signs", ["8" * 7 + "1", "77441852963", "1" * (MAX_DECORATION - 3) + "!" * 4])
def test_a_word_with_many_unusual_signs_around_it_is_accepted(signs: str) -> None:
    assert stated("kangaroo" + signs) is None


def test_six_signs_around_a_word_are_few_and_seven_are_not() -> None:
    assert stated("kangaroo" + "847261"[:MAX_DECORATION]) == DECORATED
    assert stated("kangaroo" + "8472619"[: MAX_DECORATION + 1]) is None


@pytest.mark.parametrize(
    "password", ["aaaaaaaaaaaa", "abababababab", "abcabcabcabc", "hunter2hunter2", "lanternlantern"]
)
def test_a_short_text_again_and_again_is_refused(password: str) -> None:
    assert stated(password) == REPEATED


def test_a_text_of_ten_characters_twice_is_long_enough() -> None:
    assert stated("bright sea" * 2) is None


def test_the_address_itself_is_no_password() -> None:
    assert stated("Olga@example.org", email="olga@Example.org") == ADDRESS


@pytest.mark.parametrize("password", ["olga123456", "Olga2026!!", "incident2026", "Incident-Inbox1", "incidentinbox"])
def test_the_name_of_the_person_or_service_with_signs_around_it_is_refused(password: str) -> None:
    assert stated(password, email="olga@example.org") == NAMED


@pytest.mark.parametrize(
    "password",
    ["tRy7#x9Lm2", "correct horse battery staple", "kangaroo in summer", "zuverlässig und ruhig", "19870412123"],
)
def test_no_mixture_of_characters_is_wanted(password: str) -> None:
    assert stated(password) is None


@pytest.mark.parametrize("password", ["Password2024", "tinkerbell", "hunter2hunter2", "olga123456"])
def test_a_refusal_does_not_repeat_the_password(password: str) -> None:
    sentence = stated(password, email="olga@example.org")
    assert sentence is not None and "olga" not in sentence.lower() and "tinker" not in sentence.lower()
    assert password.lower() not in sentence.lower()


def test_the_further_list_is_in_lower_case() -> None:
    assert [each for each in EXTRA_COMMON_PASSWORDS if each != each.lower()] == []


def test_two_spellings_of_one_letter_are_one_password() -> None:
    assert canonical("cafe\u0301 au lait") == canonical("caf\u00e9 au lait")
