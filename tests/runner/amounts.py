"""Numbers of random and repeated cases: a usual one in a build, a larger one with `bin/test --long`."""

from __future__ import annotations

import os

from ops.run_tests import LONG

IS_LONG = os.environ.get(LONG) == "1"


def amount(variable: str, *, usual: int, long: int) -> int:
    """The number in this variable of the environment. Without the variable it is the usual one, or the long one."""
    return int(os.environ.get(variable, long if IS_LONG else usual))
