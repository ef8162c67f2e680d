"""Generated requests meet what is there: ids that nobody has give way to those of the instance that is tried.

Loaded by schemathesis, in its own process. `GENERATED` is a JSON object: `existing` ids, `protected` ids which must outlive
the run, and the `log`, a file that gets a line with operation and status for each answer.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections import defaultdict, deque
from pathlib import Path
from typing import Any

import schemathesis
from schemathesis.core import NotSet

TYPEID = re.compile(r"([a-z]{3,4})_[0-7][0-9a-hjkmnp-tv-z]{25}")
LEARNED = frozenset(
    {
        "src",
        "key",
        "evt",
        "inc",
        "sil",
        "rul",
        "prf",
        "dst",
        "dlv",
        "mon",
        "wat",
        "view",
        "inv",
        "psk",
        "sch",
        "ovr",
        "fwd",
        "cme",
    }
)
"""The prefixes of ids that requests take from earlier answers. Ids of people, sessions and workspaces are given at the start."""

_given: dict[str, Any] = json.loads(os.environ["GENERATED"])
_existing: dict[str, deque[str]] = defaultdict(lambda: deque(maxlen=6))
_issued: set[str] = set(_given["protected"])
for _each in _given["known"]:
    _existing[_each.partition("_")[0]].append(_each)


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    """Put the case where it has something to act on. What is wrong on purpose stays wrong."""
    for part in (case.path_parameters, case.query, case.body):
        _settle(part, case.body)
    if case.method != "GET" and isinstance(case.body, NotSet):
        case.headers["Content-Type"] = "application/json"  # the guard wants it of browsers, also without a body
    if zlib.crc32(str(case.headers.get("If-Match")).encode()) % 4:
        case.headers.pop("If-Match", None)  # a revision that was made up fits nothing
    path = case.path_parameters or {}
    for name, value in path.items():
        alone = case.method == "DELETE" and len(path) == 1
        person = case.method != "GET" and str(value).startswith("usr_")
        if value in _given["protected"] and (alone or person):
            path[name] = f"{value[:-4]}0000"


def _settle(part: Any, body: Any) -> None:
    """Replace ids that nothing has issued, or leave them out; a fourth of them stays, so that 404 is met too."""
    for place, value in list(
        part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    ):
        if isinstance(value, dict | list):
            _settle(value, body)
        elif isinstance(value, str) and (match := TYPEID.fullmatch(value)) and value not in _issued:
            choice, among = zlib.crc32(value.encode()), _existing[match[1]]
            if among and choice % 4:
                part[place] = among[choice % len(among)]
            elif not among and choice % 4 and part is body and isinstance(part, dict):
                del part[place]


@schemathesis.hook
def after_call(context: Any, case: Any, response: Any) -> None:
    """Learn what there is, and keep what came of it."""
    with Path(_given["log"]).open("a") as log:
        log.write(f"{case.method} {case.operation.path} {response.status_code}\n")
    if response.status_code < 300:
        for match in TYPEID.finditer(response.text if response.content else ""):
            if match[0] not in _issued and match[1] in LEARNED:
                _issued.add(match[0])
                _existing[match[1]].append(match[0])
