"""Reads a whole set-up from the API of a tool: all pages, and the parts of each entry, within limits (specification 22.12)."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from urllib.parse import urlsplit

import orjson

from inbox.destinations.http import CallResult
from inbox.domain.deliveries.delivery import Receipt
from inbox.domain.values.refusals import Fault, ValidationFailed
from inbox.intake.importers.answers import MOST_BYTES
from inbox.intake.importers.import_kind import ImportKind
from inbox.runtime import work_budget

OK, UNAUTHORIZED, FORBIDDEN, TOO_MANY_REQUESTS = 200, 401, 403, 429

UNREAD = frozenset({400, 402, FORBIDDEN, 404, 405, 422})
"""The statuses by which a server refuses a part of the set-up, such as one beyond the plan of the customer."""

PAUSE = timedelta(seconds=2)
"""The pause after too many requests, when the server names none."""

USE_FILE = "Read it with `bin/inbox import KIND URL --save FILE` and import the file."

Call = Callable[[str], CallResult]


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of reading one set-up."""

    seconds: float = 40.0
    """The time until the last call begins. A proxy ends a request after 60 s."""

    requests: int = 2_000
    total_bytes: int = MOST_BYTES


UNHURRIED = Limits(seconds=3_600, requests=50_000)
"""The limits of `bin/inbox import --save`, which waits for servers that admit few requests a minute."""


def fetch(kind: ImportKind, call: Call, now: datetime, limits: Limits) -> dict[str, bytes]:
    """Return the answers by path, an empty one where the server refuses a part.

    Raises `ValidationFailed`, and `TooCostly` when reading the answers needs too much of the budget of the request.

    1. The first paths are called in order. 2. Each answer names further paths, which come after those that are known.
    3. Too many requests end in a pause, and the path is called again.
    """
    until, total = time.monotonic() + limits.seconds, 0
    paths = deque(kind.first_paths(now) if kind.first_paths else kind.paths)
    answers: dict[str, bytes] = {}
    while paths:
        path = paths.popleft()
        if path in answers:
            continue
        if len(answers) >= limits.requests:
            raise _refused("/address", f"Its set-up needs more than {limits.requests:,} requests. {USE_FILE}")
        body = _answer(kind, call, path, until, limits)
        total += len(body)
        if total > limits.total_bytes:
            raise _refused("/address", f"Its answers have more than {limits.total_bytes:,} bytes.")
        answers[path] = body
        if body:
            work_budget.spend(USE_FILE)
            paths.extend(islice(kind.further_paths(path, _parsed(path, body), now), limits.requests))
    return answers


def check_status(path: str, receipt: Receipt) -> None:
    """Raise `ValidationFailed` unless the server answered with 200."""
    if receipt.status_code in (UNAUTHORIZED, FORBIDDEN):
        raise _refused("/token", f"The server answered {receipt.status_code}: it does not accept this token.")
    if receipt.status_code != OK:
        raise _refused("/address", f"The server answered {receipt.status_code} to {shown(path)}.")


def shown(path: str) -> str:
    """Return a path for people, without its query, which may be long."""
    return urlsplit(path.partition("\n")[0]).path[:200]


def _answer(kind: ImportKind, call: Call, path: str, until: float, limits: Limits) -> bytes:
    """Return the answer to one path, empty when the server refuses this part. Raises `ValidationFailed`."""
    while True:
        if time.monotonic() > until:
            raise _refused("/address", f"Reading it takes more than {limits.seconds:g} s. {USE_FILE}")
        result = call(path)
        if result.receipt.status_code != TOO_MANY_REQUESTS:
            break
        pause = (result.receipt.retry_after or PAUSE).total_seconds()
        work_budget.rest()
        time.sleep(max(0.0, min(pause, until - time.monotonic() + 0.1)))
    if result.receipt.status_code in UNREAD and path not in kind.paths:
        return b""
    check_status(path, result.receipt)
    return result.body


def _parsed(path: str, body: bytes) -> object:
    try:
        return orjson.loads(body)
    except ValueError:
        raise _refused("/address", f"The answer to {shown(path)} is no JSON.") from None


def _refused(pointer: str, detail: str) -> ValidationFailed:
    return ValidationFailed(errors=[Fault(pointer, detail)])
