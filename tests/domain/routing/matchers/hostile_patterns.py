"""Patterns and texts made to be slow or large, run to their end: `python -m tests.domain.routing.matchers.hostile_patterns`."""

from __future__ import annotations

import json
import random
import resource

from inbox.domain.routing import matchers
from tests.domain.routing.matchers.matching import Seen, clause

MEMORY = 512 * 1024 * 1024
"""Bytes of address space: an engine without bounds does not get far."""

BODY = 16_384
"""Characters of the longest body."""

SEARCHED = [
    r"(a+)+$",
    r"^(a+)+$",
    r"(a|a)*$",
    r"(a|aa)+$",
    r"(.*a){12}$",
    r"([a-zA-Z]+)*$",
    r"((((((a*)*)*)*)*)*)*b",
    r"(a?){60}a{60}$",
    r"^(([a-z])+.)+[A-Z]([a-z])+$",
    r"(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)=",
    r"(a|b)*a(a|b){200}c",
    r"([ab]*a[ab]{7}){20}c",
    "(a|b)*a" + "(a|b)" * 48 + "c",
    "(?:" * 60 + "a" + ")*" * 60,
    r"(?i)[а-г]*а[а-г]{30}x",
    r"(?:[😀😁]*😀[😀😁]{40})x",
    r"\w+@\w+\.\w+",
    r"x*" * 60,
    r"(?s).*.*.*.*.*.*x",
    r"\p{Cyrillic}+\d+$",
    r"[\x{1F600}-\x{1F64F}]+!",
]
"""A backtracking engine needs up to 2^16384 steps for these; ours instructions times bytes."""

REFUSED = {
    r"(x{1000}){1000}": "must be simpler",
    r"x{1001}": "invalid repetition size",
    r"(((x{10}){10}){10}){10}": "must be simpler",
    r"x{1000}": "must be simpler",
    r"(a?){300}a{300}": "must be simpler",
    r"[ab]{0,1000}c": "must be simpler",
    r".{1000}c": "must be simpler",
    r"\pL": "must be simpler",
    r"\pL{400}": "must be simpler",
    r"\PN{900}": "must be simpler",
    r"(\pL\pN?\pP?){100}": "must be simpler",
    r"(?:\pL{0}){201}": "must be simpler",
    r"\pL" * 100: "pattern too large",
    r"(?i)[а-яё]{500}": "must be simpler",
    r"\pL|" * 100 + "x": "must be simpler",
    "(" * 512: "missing )",
    "[" * 512: "missing ]",
    "(a)" * 170 + r"\1": "invalid escape sequence",
    r"(?=a)": "invalid perl operator",
    r"(?<!a)b": "invalid perl operator",
    r"a**": "bad repetition operator",
    r"a*+b": "bad repetition operator",
    r"(?>a+)b": "invalid perl operator",
    r"\p{Nothing}": "invalid character class range",
    r"[z-a]": "invalid character class range",
}
"""What is said to each of these at once."""


def texts() -> list[str]:
    chance = random.Random(7)
    return [
        "a" * (BODY - 1) + "!",
        "ab" * (BODY // 2),
        *("".join(chance.choices(letters, k=BODY)) for letters in ("ab", "абвг", "😀😁", "aB1 .@\n", "xé日😀")),
    ]


def verdicts() -> dict[str, str]:
    """By pattern: what is said to it, or how many of the texts it was found in."""
    stated = {}
    for pattern in (*SEARCHED, *REFUSED):
        tree = clause("body", "matches", pattern)
        faults = matchers.check(tree)
        if faults:
            stated[pattern] = faults[0].detail
        else:
            found = matchers.compile_match(tree)
            stated[pattern] = f"found in {sum(found(Seen(body=text)) for text in texts())}"
    return stated


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    print(json.dumps(verdicts()))
