"""Recoveries in plain messages: a pattern finds the end of an alarm, and the key that alarm and end share.

Specification 19.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from inbox.domain.routing.matchers import patterns
from inbox.domain.routing.matchers.patterns import BadPattern
from inbox.domain.senders.recovery_presets import PRESETS, RecoveryPreset

KEY_GROUPS = ("key", "key2", "key3")
"""The named groups whose texts, joined by `:`, are the dedup key."""

RECOVERY_GROUP = "recovery"
NOTICE_GROUP = "notice"
"""The group of a preset that takes part in a match of what is neither an alarm nor an end, such as a test."""

SEARCHED_FIRST, SEARCHED_LAST = 16_384, 8_192
"""The number of searched characters at the beginning and at the end of a message. The rest of a long message is a log."""


class Reading(NamedTuple):
    """The result of a pattern: whether the message ends an alarm, and its key. An empty key is None.

    A notice is neither an alarm nor an end.
    """

    recovers: bool
    key: str | None
    is_notice: bool = False


def read(text: str, *, pattern: str | None, presets: Iterable[RecoveryPreset] = ()) -> Reading | None:
    """Reads a message with the pattern of its source, else with the presets; None when none matches.

    The keys of a preset begin with its name. A pattern without the group `recovery` matches only ends of alarms.
    """
    text = _searched(text)
    found = None if pattern is None else _groups(pattern, text)
    if found is not None:
        return Reading(found.get(RECOVERY_GROUP, "") is not None, _key(found))
    for preset in presets:
        for each in PRESETS[preset]:
            found = _groups(each, text)
            if found is not None:
                return _of_preset(preset, found)
    return None


def _of_preset(preset: RecoveryPreset, found: Mapping[str, str | None]) -> Reading:
    recovers = found.get(RECOVERY_GROUP) is not None
    if not recovers and found.get(NOTICE_GROUP) is not None:
        return Reading(recovers=False, key=None, is_notice=True)
    return Reading(recovers, f"{preset}:{_key(found)}")


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
