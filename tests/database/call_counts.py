"""The work of a function as a number of calls, which is the same on a busy machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls_of(act: Callable[[], object]) -> int:
    """The number of calls and returns, of Python and of C, in `act`."""
    events = 0

    def count(*_: object) -> None:
        nonlocal events
        events += 1

    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(None)
    return events


def steps_of(act: Callable[[], object]) -> int:
    """The number of instructions of Python in `act`. It also counts the rounds of comprehensions, and is slower."""
    steps = 0

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal steps
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        steps += event == "opcode"
        return count

    former = sys.gettrace()
    sys.settrace(count)
    try:
        act()
    finally:
        sys.settrace(former)
    return steps
