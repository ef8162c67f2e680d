"""The work of a function as a number of calls, which is the same on a busy machine."""

from __future__ import annotations

import sys
import threading
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
    if sys.version_info >= (3, 12):
        return _monitored_steps(act)
    return _traced_steps(act)


if sys.version_info >= (3, 12):

    def _monitored_steps(act: Callable[[], object]) -> int:
        # Tracing misses instructions of code that runs for the first time here: Python 3.12 and 3.13 prepare code late.
        monitoring, this_thread, steps = sys.monitoring, threading.get_ident(), 0

        def count(*_: object) -> None:
            nonlocal steps
            steps += threading.get_ident() == this_thread

        monitoring.use_tool_id(monitoring.PROFILER_ID, "steps")
        monitoring.register_callback(monitoring.PROFILER_ID, monitoring.events.INSTRUCTION, count)
        monitoring.set_events(monitoring.PROFILER_ID, monitoring.events.INSTRUCTION)
        try:
            act()
        finally:
            monitoring.set_events(monitoring.PROFILER_ID, 0)
            monitoring.free_tool_id(monitoring.PROFILER_ID)
        return steps


def _traced_steps(act: Callable[[], object]) -> int:
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
