"""Acceptance of passwords: a minimum length and a blocklist of common ones (specification 11.6, NIST SP 800-63B)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterator
from dataclasses import dataclass

MIN_LENGTH, MAX_LENGTH = 10, 256
FEWEST_CHARACTERS = 3
MAX_DECORATION = 6
"""A common word with up to this number of digits and signs around it is a common password: `Password2024!`."""

COMMON = "This is one of the passwords that are tried first. Choose another, for example several words."
DECORATED = (
    "This is a common word or password with digits or signs around it, which is tried early."
    " Choose another, for example several words."
)
REPEATED = "This repeats a short text, which is tried early. Choose another, for example several words."
ADDRESS = "Must not be the email address."
NAMED = "This is the email address or the name of this service with digits or signs around it. Choose another."

SEQUENCES = tuple(way for row in ("0123456789" * 2, "abcdefghijklmnopqrstuvwxyz") for way in (row, row[::-1]))
EXTRA_COMMON_PASSWORDS = frozenset(
    [
        "a1b2c3d4e5f6",
        "aa12345678",
        "abc1234567",
        "abcd123456",
        "change_me_now",
        "changeme",
        "correcthorsebatterystaple",
        "defaultpassword",
        "passphrase",
        "pleasechange",
        "rootpassword",
        "superuser",
        "zaq12wsxcde3",
    ]
)
"""Common passwords of servers and of textbooks, which lists of people's passwords lack."""

SERVICE_WORDS = frozenset({"incident", "incidents", "inbox", "incidentinbox", "incident-inbox", "incident inbox"})
# Attackers try the usual signs for letters first. A one stands for two letters.
_LETTERS = tuple(str.maketrans("@4830$57!1", f"aabeosst{one}{one}") for one in "il")
_REPEATED = re.compile(r"(.{1,9}?)\1+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Blocklist:
    """Common passwords in lower case: `passwords` as people choose them, and `words` of languages and names."""

    passwords: Container[str]
    words: Container[str]

    def has(self, text: str) -> bool:
        """Returns whether the text is in the blocklist."""
        return text in self.passwords or text in self.words or text in EXTRA_COMMON_PASSWORDS


def canonical(password: str) -> str:
    """Returns the normalized spelling (NFKC) that is hashed, because keyboards encode the same letters differently."""
    return unicodedata.normalize("NFKC", password)


def rejection_reason(password: str, blocklist: Blocklist, *, email: str = "") -> str | None:
    """Returns the reason why a password is rejected, as a sentence without the password; None when it is accepted.

    Only length and common passwords count. No rule requires digits, signs or capitals.
    """
    if not MIN_LENGTH <= len(canonical(password)) <= MAX_LENGTH:
        return f"Must have {MIN_LENGTH} to {MAX_LENGTH} characters."
    lowered = canonical(password).lower()
    if email and lowered == email.lower():
        return ADDRESS
    if blocklist.has(lowered) or any(blocklist.has(lowered.translate(letters)) for letters in _LETTERS):
        return COMMON
    if len(set(lowered)) < FEWEST_CHARACTERS or _REPEATED.fullmatch(lowered):
        return REPEATED
    if any(lowered in sequence for sequence in SEQUENCES):
        return COMMON
    return _core_rejection(lowered, blocklist, email.lower())


def _core_rejection(lowered: str, blocklist: Blocklist, email: str) -> str | None:
    """Returns the reason why the text without its digits and signs is rejected."""
    own = {*SERVICE_WORDS, email, email.partition("@")[0]} - {""}
    for core in _cores(lowered, blocklist.passwords):
        if core in own:
            return NAMED
        if blocklist.has(core) or _REPEATED.fullmatch(core):
            return DECORATED
    return None


def _cores(lowered: str, passwords: Container[str]) -> Iterator[str]:
    """Yields the text without a few or common digits and signs at its ends.

    Also yields it with signs read as letters.
    """
    yield lowered
    start = next((place for place, sign in enumerate(lowered) if sign.isalpha()), len(lowered))
    end = next((place for place in range(len(lowered), 0, -1) if lowered[place - 1].isalpha()), 0)
    for left in {0, start}:
        core, around = lowered[left:end], (lowered[:left], lowered[end:])
        is_usual = all(each == "" or each in passwords for each in around)
        if not core or not (is_usual or sum(map(len, around)) <= MAX_DECORATION):
            continue
        yield core
        yield from (core.translate(letters) for letters in _LETTERS)
