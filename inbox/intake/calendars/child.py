"""Program that reads an iCalendar file in a child process, within limits (decision 0036).

`flow/oncall/calendar_files` starts it with `python -I`. Standard input has one line of JSON, the order, and then the
file. Standard output gets one JSON object: the occurrences, or the reason why there are none.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import orjson

from inbox.intake.calendars.reading import read
from inbox.intake.calendars.repetition import UnreadableCalendar
from inbox.runtime import child_process

PRIORITY = 10
"""Added to the niceness, so that requests and jobs are computed first."""

TOO_LARGE = "Reading it takes too much memory."


def main() -> None:
    """Reads the file, and writes the result."""
    order = orjson.loads(sys.stdin.buffer.readline())
    child_process.limit(memory_bytes=order["memoryBytes"], cpu_seconds=order["cpuSeconds"])
    with suppress(OSError):
        os.nice(PRIORITY)
    try:
        result = _result(order, sys.stdin.buffer.read())
    except MemoryError:
        result = {"unreadable": TOO_LARGE}
    sys.stdout.buffer.write(orjson.dumps(result))


def _result(order: dict[str, Any], content: bytes) -> dict[str, Any]:
    start, end = (datetime.fromisoformat(order[name]) for name in ("start", "end"))
    try:
        found = read(content, ZoneInfo(order["timezone"]), start, end)
    except UnreadableCalendar as fault:
        return {"unreadable": str(fault)}
    return {
        "occurrences": [
            [each.starts_at.timestamp(), each.ends_at.timestamp(), each.level, each.names, each.addresses]
            for each in found
        ]
    }
