"""Ends of earlier runs that `wrap` could not report.

All of them become one ping, so that pings stay within the limit.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from agent.client import Away, Client
from agent.delivery import send_waiting
from agent.options import warn
from agent.spool import Spool

PINGS = "/v1/heartbeats"
TEXT_TYPE = "text/plain; charset=utf-8"
MOST_LISTED = 20
"""The list and the longest output fit into a ping, which keeps 10,000 bytes."""


def report_before_start(client: Client, spool: Spool, seconds: float) -> bool:
    """Reports waiting ends: a failure when the last run failed. Returns whether a new ping may follow. Never raises.

    A success is sent as log text. Sent as a success, it would count for the run that starts.
    """
    return _report(client, spool, seconds, may_fail=True)


def report_before_end(client: Client, spool: Spool, seconds: float) -> bool:
    """Reports waiting ends as text for the log, because the end of a later run follows. Never raises."""
    return _report(client, spool, seconds, may_fail=False)


def report_in_background(client: Client, spool: Spool, seconds: float) -> bool:
    """Reports waiting ends after the last run: its success counts, because no later run has reported yet. Never raises."""
    return _report(client, spool, seconds, may_fail=True, may_succeed=True)


def _report(client: Client, spool: Spool, seconds: float, *, may_fail: bool, may_succeed: bool = False) -> bool:
    try:
        if not spool.waiting():
            return True
        # A quarter of the time: the report and the ping that follows may both take as long as a request can.
        with spool.locked(seconds / 4) as alone:
            paths = spool.waiting() if alone else []
            ends = [end for end in map(spool.read, paths) if end is not None]
            if ends and send_waiting(client, together(ends, may_fail=may_fail, may_succeed=may_succeed)):
                for path in paths:
                    spool.remove(path)
    except Away:
        return False
    except OSError as fault:
        warn(f"the spool cannot be used: {fault.strerror}")
    return True


def together(ends: list[dict[str, Any]], *, may_fail: bool, may_succeed: bool = False) -> dict[str, Any]:
    """Returns one ping request for these ends, the oldest first, with the output of the last failed run."""
    failed = [end for end in ends if _code(end) != "0"]
    shown = failed[-1] if failed else ends[-1]
    lines = [f"{_time(end)} exit code {_code(end)}" for end in ends[-MOST_LISTED:]]
    text = "\n".join([f"Runs that ended while the instance was unreachable: {len(ends)}", *lines])
    if shown["body"]:
        text += f"\n\nOutput of {_time(shown)}:\n{shown['body']}"
    signal = _code(ends[-1]) if may_fail and shown is ends[-1] else "0"
    is_log = signal == "0" and not (may_succeed and _code(ends[-1]) == "0")
    return {"path": PINGS + ("/log" if is_log else f"/{signal}"), "body": text, "contentType": TEXT_TYPE}


def _code(end: dict[str, Any]) -> str:
    return str(end["path"][len(PINGS) + 1 :].partition("?")[0])


def _time(end: dict[str, Any]) -> str:
    return datetime.fromtimestamp(end["at"], timezone.utc).isoformat(timespec="seconds")
