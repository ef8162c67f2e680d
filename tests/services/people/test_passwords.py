"""The lists of commonly guessed passwords."""

from __future__ import annotations

from functools import partial

import pytest

from inbox.services.people.passwords import weakness
from tests.database.call_counts import calls_of

# From the list that passwords were compared with before, of every sort one.
BEFORE = [
    "1234567890",
    "0987654321",
    "12345678910",
    "123456789a",
    "a123456789",
    "1122334455",
    "1q2w3e4r5t",
    "1qaz2wsx3edc",
    "zaq12wsxcde3",
    "qwertyuiop",
    "qwerty123456",
    "azertyuiop",
    "asdfghjkl123",
    "zxcvbnm123",
    "1234qwerty",
    "abcdefghij",
    "abc123456789",
    "a1b2c3d4e5",
    "password123",
    "password1!",
    "passwordpassword",
    "p@ssw0rd123",
    "pa55word12",
    "mypassword1",
    "newpassword",
    "changeme123",
    "letmein1234",
    "welcome2025",
    "iloveyou!!",
    "superman123",
    "spiderman1",
    "starwars123",
    "football12",
    "basketball",
    "liverpool123",
    "barcelona1",
    "manchester1",
    "jennifer12",
    "princess123",
    "sunshine12",
    "butterfly1",
    "chocolate1",
    "computer123",
    "samsung1234",
    "facebook123",
    "microsoft1",
    "dragon1234",
    "blink182182",
    "summer2026",
    "winter2026",
    "administrator",
    "admin123456",
    "admin123!@#",
    "adminadmin",
    "rootroot12",
    "superuser1",
    "guest12345",
    "testtesttest",
    "testing1234",
    "temppassword",
    "username123",
    "company123",
    "monitoring1",
    "incident123",
    "incident-inbox",
    "correcthorsebatterystaple",
]
NEW = [
    "Password2024",
    "tinkerbell",
    "TINKERBELL",
    "Tinkerbell1",
    "P@ssw0rd2024",
    "blackberry",
    "Berlin2024!!",
    "dragonball",
]


@pytest.mark.parametrize("password", [*BEFORE, *NEW])
def test_common_passwords_are_refused(password: str) -> None:
    assert weakness(password) is not None


@pytest.mark.parametrize(
    "password",
    ["a quiet harbour at night", "another long phrase of hers", "correct horse battery staple", "tRy7#x9Lm2"],
)
def test_phrases_and_random_texts_are_accepted(password: str) -> None:
    assert weakness(password) is None


def test_every_password_is_checked_in_bounded_work() -> None:
    """The estimate of zxcvbn took 12 s of processor time for such a text."""
    weakness("a first look loads the lists")
    for text in ("4@8({[</369&#!1/|0$5+7%2" * 10, "a" * 255 + "b", "ab" * 128, "1" * 256, "4" * 128 + "@" * 128):
        assert calls_of(partial(weakness, text[:256])) < 100_000
