"""Reads a line of a table of expectations (see `expectations`)."""

from __future__ import annotations

from dataclasses import dataclass

CREDENTIALS = {
    "none",
    "session",
    "device",
    "user",
    "sourceKey",
    "aliasToken",
    "heartbeatToken",
    "pingKey",
    "signature",
    "metricsToken",
}
ROLES = {"viewer", "member", "admin", "owner"}
STEP_UPS = {"recent", "reauth"}


@dataclass(frozen=True)
class Expected:
    """One line of the table; the fields are called as in the policy."""

    credential: str
    role: str | None = None
    step_up: str | None = None
    found_by: str = "none"
    instance_admin: bool = False
    heeds: str | None = None
    mfa: bool = True


def read(words: list[str]) -> Expected:
    credential, rest = words[0], words[1:]
    found_by, heeds = _after("of", rest) or "none", _after("heeds", rest)
    role = next((word for word in rest if word in ROLES), None)
    step_up = next((word for word in rest if word in STEP_UPS), None)
    assert {credential, heeds or credential} <= CREDENTIALS, words
    assert set(rest) <= {role, step_up, "instanceAdmin", "withoutFactor"}, words
    return Expected(
        credential, role, step_up, found_by, "instanceAdmin" in rest, heeds=heeds, mfa="withoutFactor" not in rest
    )


def _after(word: str, rest: list[str]) -> str | None:
    """The element after `word`. Both are removed from `rest`."""
    if word not in rest:
        return None
    place = rest.index(word)
    _, found = rest[place : place + 2]
    del rest[place : place + 2]
    return found


def table(text: str) -> dict[str, Expected]:
    """The expectations of a table by the name of the operation, which has one line."""
    found = {name: read(words) for name, *words in lines(text)}
    assert len(found) == len(lines(text)), "an operation has two lines"
    return found


def lines(table: str) -> list[list[str]]:
    """The words of each line; a line that begins with `#` names the sections of those below it."""
    return [line.split() for line in table.strip().splitlines() if not line.startswith("#")]
