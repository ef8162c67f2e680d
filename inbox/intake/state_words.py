"""Words in titles that name the state of an alarm, such as `is WARNING`, `[FIRING:2]` or `RECOVERY:`.

The state changes while the incident keeps its title, and the severity already names it. So titles leave these words out.
"""

from __future__ import annotations

import re
from typing import NamedTuple

ENDS = "resolved recovery recovered ok up cleared clear flappingstop flappingend"
"""Words that name the end of an alarm."""

ALARMS = (
    "firing problem alert alerting alarm triggered re-triggered critical crit warning warn unknown down unreachable unreach"
    " no.?data flappingstart"
)
"""Words that name an alarm."""

LONGEST = 1_000
"""The number of characters of the longest title that is read. Titles are cut at fewer."""

_SIGN = r"(?:[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?\s{0,3})"
_WORD = f"(?:{ALARMS} {ENDS}".replace(" ", "|") + ")"
_IN_BRACKETS = rf"{_SIGN}?{_WORD}(?::\s?\d{{1,9}})?"
_BRACKETS = re.compile(rf"\s?\[({_IN_BRACKETS}(?:,\s?{_IN_BRACKETS}){{0,3}})\]", re.IGNORECASE)
_STARS = re.compile(r"^\*\*\s?(.{1,990}?)\s?\*\*$")
"""Matches the subject of a mail of Nagios: `** PROBLEM Service Alert: web1/disk is CRITICAL **`."""

_BEFORE_ALERT = re.compile(rf"^({_WORD})\s(?=(?:host|service) alert:)", re.IGNORECASE)
_FIRST = re.compile(rf"^{_SIGN}?({_WORD})(?:\sin\s[\d\w ]{{1,30}}?)?:\s", re.IGNORECASE)
"""Matches a first word with a colon, as in `Resolved in 2m 3s: High load` of Zabbix."""

_FIRST_IN_CAPITALS = re.compile(rf"^{_SIGN}?({_WORD.upper()})(?:,|\s[-|\u2013\u2014])\s")
_SIGNS = re.compile(rf"^{_SIGN}+")
_LAST = re.compile(rf"\s(?:is|has)\s(?:now\s|back\s|still\s)?({_WORD})(?:\sagain)?\s?[!.]?$", re.IGNORECASE)
_LAST_IN_CAPITALS = re.compile(
    rf"(?:\s[-|>\u2013\u2014]{{1,2}}|\s=>|:)\s({_WORD.upper()})[!.]?$|\s\(({_WORD.upper()})\)$"
)
_END = re.compile(f"(?:{ENDS.replace(' ', '|')})", re.IGNORECASE)
_EVERY_WORD = re.compile(_WORD, re.IGNORECASE)


class Stated(NamedTuple):
    """A title without its state words. `has_ended` is None without such a word."""

    title: str
    has_ended: bool | None


def without_state(title: str) -> str:
    """Returns the title without its state words; the title itself if it has no other word."""
    return read(title).title


def read(title: str) -> Stated:
    """Returns the title without its state words, and whether they name the end of the alarm.

    `[FIRING:1, RESOLVED:2]` names no end, because one alarm goes on.
    """
    if len(title) > LONGEST:
        return Stated(title, None)
    found: list[str] = []

    def taken(match: re.Match[str]) -> str:
        found.append(next(text for text in match.groups() if text))
        return ""

    rest = _STARS.sub(r"\1", title.strip())
    rest = _BRACKETS.sub(taken, rest).strip()
    for pattern in (_BEFORE_ALERT, _FIRST, _FIRST_IN_CAPITALS, _LAST, _LAST_IN_CAPITALS):
        rest = pattern.sub(taken, rest).strip()
    if not found:
        return Stated(title, None)
    rest = _SIGNS.sub("", rest).strip()
    words = [word for text in found for word in _EVERY_WORD.findall(text)]
    has_ended = all(_END.fullmatch(word) for word in words)
    return Stated(rest if any(character.isalnum() for character in rest) else title, has_ended)
