"""Limits of calls, with the answers that the documentation of each service describes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.stand_ins.receivers import Answer

if TYPE_CHECKING:
    from tests.destinations.kinds.stand_in import Case

SECOND = timedelta(seconds=1)


def limited(fields: Any = None, **headers: object) -> Answer:
    """A refusal with JSON. Underscores of the headers are hyphens."""
    body = b"" if fields is None else json.dumps(fields).encode()
    named = {name.replace("_", "-"): str(value) for name, value in headers.items()}
    return Answer(429, body, {"Content-Type": "application/json", **named})


def whole(wait: timedelta) -> int:
    """The wait in whole seconds, as most services state it."""
    return math.ceil(wait / SECOND)


@dataclass
class Budget:
    """So many calls in the window of a case, which begins with the first of them. A call beyond is refused.

    `early` are the times of calls before the end of a wait. Where a service names no time, the wait is `unnamed`.
    """

    case: Case
    calls: int
    clock: Callable[[], datetime]
    unnamed: timedelta = 5 * SECOND
    refused: list[datetime] = field(default_factory=list)
    early: list[datetime] = field(default_factory=list)
    _left: int = 0
    _ends_at: datetime | None = None
    _free_at: datetime | None = None

    def refusal(self) -> Answer | None:
        """Count a call. It returns the answer to a call beyond the limit."""
        now = self.clock()
        if self._free_at is not None and now < self._free_at:
            self.early.append(now)
        if self._ends_at is None or now >= self._ends_at:
            self._ends_at, self._left = now + self.case.window, self.calls
        if self._left:
            self._left -= 1
            return None
        self.refused.append(now)
        wait = self._ends_at - now
        self._free_at = now + (wait if self.case.names_wait else self.unnamed)
        assert self.case.too_many is not None
        return self.case.too_many(wait)

    def with_allowance(self, answer: Answer) -> Answer:
        """The answer to a call within the limit. The headers of some services have what is left."""
        if self.case.allowance is None or self._ends_at is None:
            return answer
        allowance = self.case.allowance(self._left, self._ends_at - self.clock())
        return replace(answer, headers={**answer.headers, **{name: str(value) for name, value in allowance.items()}})
