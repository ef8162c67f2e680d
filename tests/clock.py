"""The wall clock, for tests of code that reads the clock."""

from __future__ import annotations

import time
from datetime import timedelta

from tests.cast import present

MARGIN = timedelta(seconds=30)
"""So long a test may take that must not see the next hour or day begin."""


def well_before_the_end_of(unit: timedelta) -> None:
    """Where the next hour or day (of UTC) is about to begin, let it begin; `unit` is the one or the other."""
    left = unit - timedelta(seconds=present().timestamp() % unit.total_seconds())
    if left < MARGIN:
        time.sleep(left.total_seconds())
