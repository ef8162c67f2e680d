"""Limits of calls, with the answers that the documentation of each service describes."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from tests.stand_ins.receivers import Answer

SECOND = timedelta(seconds=1)


def _limited(fields: Any = None, **headers: object) -> Answer:
    """A refusal with JSON. Underscores of the headers are hyphens."""
    body = b"" if fields is None else json.dumps(fields).encode()
    named = {name.replace("_", "-"): str(value) for name, value in headers.items()}
    return Answer(429, body, {"Content-Type": "application/json", **named})


def whole(wait: timedelta) -> int:
    """The wait in whole seconds, as most services state it."""
    return math.ceil(wait / SECOND)


def slack_bot(wait: timedelta) -> Answer:
    return _limited({"ok": False, "error": "ratelimited"}, Retry_After=whole(wait))


def slack_webhook(wait: timedelta) -> Answer:
    return Answer(429, b"", {"Retry-After": str(whole(wait))})


def discord(wait: timedelta) -> Answer:
    """The body has the time as a number with a fraction."""
    fields = {"message": "You are being rate limited.", "retry_after": wait / SECOND, "global": False}
    return _limited(fields, Retry_After=whole(wait), X_RateLimit_Scope="user", **discord_allowance(0, wait))


def discord_allowance(left: int, wait: timedelta) -> dict[str, object]:
    """The headers of each answer: how many calls are left, and the time until there are more."""
    return {
        "X-RateLimit-Limit": 5,
        "X-RateLimit-Remaining": left,
        "X-RateLimit-Reset": f"{time.time() + wait / SECOND:.3f}",
        "X-RateLimit-Reset-After": f"{wait / SECOND:.3f}",
        "X-RateLimit-Bucket": "abcd1234",
    }


def telegram(wait: timedelta) -> Answer:
    """The body alone has the time."""
    description = f"Too Many Requests: retry after {whole(wait)}"
    fields = {"ok": False, "error_code": 429, "description": description}
    return _limited({**fields, "parameters": {"retry_after": whole(wait)}})


def mattermost(wait: timedelta) -> Answer:
    headers = {"X-Ratelimit-Limit": "10", "X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": str(whole(wait))}
    return Answer(429, b"limit exceeded\n", headers)


def teams(wait: timedelta) -> Answer:
    error = {"code": "WorkflowTriggerRequestRateLimited", "message": "Too many requests."}
    return _limited({"error": error}, Retry_After=whole(wait))


def google_chat(wait: timedelta) -> Answer:
    """No time is named."""
    return _limited({"error": {"code": 429, "message": "Resource exhausted", "status": "RESOURCE_EXHAUSTED"}})


def matrix(wait: timedelta) -> Answer:
    """As older servers answer: the time is in milliseconds, and in the body alone."""
    fields = {"errcode": "M_LIMIT_EXCEEDED", "error": "Too Many Requests"}
    return _limited({**fields, "retry_after_ms": math.ceil(wait / SECOND * 1_000)})


def ntfy(wait: timedelta) -> Answer:
    """No time is named."""
    error, link = "limit reached: too many requests", "https://ntfy.sh/docs/publish/#limitations"
    return _limited({"code": 42901, "http": 429, "error": error, "link": link})


def pushover(wait: timedelta) -> Answer:
    """The header has the time at which there are messages again, in seconds of the epoch."""
    fields = {"status": 0, "errors": ["application is over its message quota"], "request": "r1"}
    reset = math.ceil(time.time() + wait / SECOND)
    return _limited(fields, X_Limit_App_Limit=10_000, X_Limit_App_Remaining=0, X_Limit_App_Reset=reset)


def pagerduty(wait: timedelta) -> Answer:
    """No time is named."""
    message = "Requests for this service are arriving too quickly. Please retry later."
    return _limited({"status": "throttle exceeded", "message": message})


def opsgenie(wait: timedelta) -> Answer:
    fields = {"message": "You are making too many requests!", "took": 0.0, "requestId": "r1"}
    limit = {"X_RateLimit_State": "THROTTLED", "X_RateLimit_Reason": "ACCOUNT"}
    return _limited(fields, X_RateLimit_Period_In_Sec=whole(wait), **limit)


def twilio_sms(wait: timedelta) -> Answer:
    """No time is named."""
    link = "https://www.twilio.com/docs/errors/20429"
    return _limited({"code": 20429, "message": "Too Many Requests", "more_info": link, "status": 429})


ANSWERS: Mapping[str, Callable[[timedelta], Answer]] = MappingProxyType(
    {
        "slack_webhook": slack_webhook,
        "slack_bot": slack_bot,
        "discord": discord,
        "telegram": telegram,
        "mattermost_webhook": mattermost,
        "mattermost_bot": mattermost,
        "teams": teams,
        "google_chat": google_chat,
        "matrix": matrix,
        "ntfy": ntfy,
        "pushover": pushover,
        "pagerduty": pagerduty,
        "opsgenie": opsgenie,
        "twilio_sms": twilio_sms,
    }
)
"""The answers by the names of cases. Gotify has no limit."""

WITHOUT_A_TIME = frozenset({"google_chat", "ntfy", "pagerduty", "twilio_sms"})
"""The services that do not say how long to wait."""


@dataclass
class Budget:
    """So many calls in a window of time, which begins with the first of them. A call beyond is refused.

    `early` are the times of calls before the end of a wait. Where a service names no time, the wait is `unnamed`.
    """

    case: str
    calls: int
    window: timedelta
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
            self._ends_at, self._left = now + self.window, self.calls
        if self._left:
            self._left -= 1
            return None
        self.refused.append(now)
        wait = self._ends_at - now
        self._free_at = now + (self.unnamed if self.case in WITHOUT_A_TIME else wait)
        return ANSWERS[self.case](wait)

    def with_allowance(self, answer: Answer) -> Answer:
        """The answer to a call within the limit. The headers of Discord have what is left."""
        if self.case != "discord" or self._ends_at is None:
            return answer
        allowance = discord_allowance(self._left, self._ends_at - self.clock())
        return replace(answer, headers={**answer.headers, **{name: str(value) for name, value in allowance.items()}})
