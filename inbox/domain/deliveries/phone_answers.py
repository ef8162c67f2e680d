"""Answers of people by phone: keys of a call, and replies to a text message (specification 23.21)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

ACKNOWLEDGE_KEY, ESCALATE_KEY, RESOLVE_KEY, REPEAT_KEY = "4", "5", "6", "*"


class PhoneAnswer(StrEnum):
    """What a person does by phone."""

    ACKNOWLEDGE = "acknowledge"
    """By 4 in a call, or `15a`."""

    ESCALATE = "escalate"
    """By 5 in a call, or `15e`: the next step now."""

    RESOLVE = "resolve"
    """By 6 in a call, or `15r`."""


KEYS: Mapping[str, PhoneAnswer] = {
    ACKNOWLEDGE_KEY: PhoneAnswer.ACKNOWLEDGE,
    ESCALATE_KEY: PhoneAnswer.ESCALATE,
    RESOLVE_KEY: PhoneAnswer.RESOLVE,
}
"""The answers by their keys. People learn keys, so they do not change."""

LETTERS: Mapping[str, PhoneAnswer] = {answer.value[0]: answer for answer in PhoneAnswer}

DONE: Mapping[PhoneAnswer, str] = {
    PhoneAnswer.ACKNOWLEDGE: "Acknowledged",
    PhoneAnswer.ESCALATE: "Escalated",
    PhoneAnswer.RESOLVE: "Resolved",
}

STOP_WORDS = frozenset({"stop", "stopall", "unsubscribe", "cancel", "end", "quit"})
START_WORDS = frozenset({"start", "yes", "unstop"})
"""What ends and begins messages to a number: the words of the carriers."""

HIGHEST_CODE = 999
"""The highest number of a reply. The next one is 1 again."""

_REPLY = re.compile(r"([0-9]{1,3})\s*([aer])", re.IGNORECASE)


class Reply(NamedTuple):
    """A reply such as `15a`: the number of the incident, and the answer."""

    code: int
    answer: PhoneAnswer


def reply_of(words: str) -> Reply | None:
    """Returns the reply in a text message; None when it is none."""
    found = _REPLY.fullmatch(words.strip())
    return None if found is None else Reply(int(found[1]), LETTERS[found[2].lower()])
