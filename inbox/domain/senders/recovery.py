"""Recoveries in plain messages: a pattern finds the end of an alarm, and the key that alarm and end share.

Specification 19.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from inbox.domain.routing.matchers import patterns
from inbox.domain.routing.matchers.patterns import BadPattern

KEY_GROUPS = ("key", "key2")
"""The named groups whose texts, joined by `:`, are the dedup key."""

RECOVERY_GROUP = "recovery"

SEARCHED_FIRST, SEARCHED_LAST = 16_384, 8_192
"""The number of searched characters at the beginning and at the end of a message. The rest of a long message is a log."""


class RecoveryPreset(StrEnum):
    """A tool whose messages a built-in pattern reads."""

    UPTIME_KUMA = "uptime_kuma"
    HEALTHCHECKS = "healthchecks"
    NETDATA = "netdata"
    PROXMOX = "proxmox"


PRESETS: Mapping[RecoveryPreset, str] = {
    RecoveryPreset.UPTIME_KUMA: r"(?:^|\n)\[(?P<key>[^\n]+)\] \[(?:(?P<recovery>✅ Up)|🔴 Down)\]",
    RecoveryPreset.HEALTHCHECKS: r"^(?P<key>[^\n]+?) is (?:(?P<recovery>UP)|DOWN)\b",
    RecoveryPreset.NETDATA: r"^(?:(?P<recovery>CLEAR)|[A-Z]+), (?P<key>[^\n=]+?) = [^\n]*, on (?P<key2>\S+)",
    RecoveryPreset.PROXMOX: (
        r"^vzdump backup status \((?P<key>[^)\n]+)\): (?:(?P<recovery>backup successful)|backup failed)"
    ),
}
"""Each pattern matches the alarm and its end. The group `recovery` takes part only in a match of the end."""


class Reading(NamedTuple):
    """The result of a pattern: whether the message ends an alarm, and its key. An empty key is None."""

    recovers: bool
    key: str | None


def read(text: str, *, pattern: str | None, preset: RecoveryPreset | None) -> Reading | None:
    """Reads a message with the pattern of its source, else with the preset; None when neither matches.

    The keys of a preset begin with its name. A pattern without the group `recovery` matches only ends of alarms.
    """
    text = _searched(text)
    found = None if pattern is None else _groups(pattern, text)
    if found is not None:
        return Reading(found.get(RECOVERY_GROUP, "") is not None, _key(found))
    found = None if preset is None else _groups(PRESETS[preset], text)
    if found is not None:
        return Reading(found[RECOVERY_GROUP] is not None, f"{preset}:{_key(found)}")
    return None


def finds_keys(pattern: str) -> bool:
    """Returns whether the pattern of a source has a group whose text is the key of an alarm."""
    return not patterns.group_names(pattern).isdisjoint(KEY_GROUPS)


def check(pattern: str) -> str | None:
    """Returns the fault of a source's pattern, or None."""
    if len(pattern) > patterns.LENGTH_LIMIT:
        return f"must have at most {patterns.LENGTH_LIMIT} characters"
    try:
        size = patterns.size(pattern)
        _reader(pattern)
    except BadPattern as fault:
        return f"is no pattern: {fault}"
    return "is too complex" if size > patterns.LONG_TEXT_SIZE_LIMIT else None


def _searched(text: str) -> str:
    """Returns the beginning and the end of a text as two lines, or a short text whole.

    The engine takes seconds for megabytes.
    """
    if len(text) <= SEARCHED_FIRST + SEARCHED_LAST:
        return text
    return f"{text[:SEARCHED_FIRST]}\n{text[-SEARCHED_LAST:]}"


def _groups(pattern: str, text: str) -> Mapping[str, str | None] | None:
    return _reader(pattern)(text)


def _key(found: Mapping[str, str | None]) -> str | None:
    return ":".join(filter(None, map(found.get, KEY_GROUPS))) or None


_reader = lru_cache(maxsize=1_000)(patterns.group_reader)
