"""What was counted before a try that an outage then cut short: it was no try, so it is taken back as soon as that can be done.

Whoever counts before it tries counts its own death. It lives on after an outage, and remembers until the database answers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from inbox.flow.again import OUTAGES, is_outage
from inbox.models.sql.base import connection_released, db

_owed: deque[Callable[[], None]] = deque()


@contextmanager
def unless_cut_short(take_back: Callable[[], None]) -> Iterator[None]:
    """Around counting and trying: what an outage ends is taken back, now over a new connection or by `settle`."""
    try:
        yield
    except Exception as fault:
        if is_outage(fault):
            _owed.append(take_back)
            with suppress(*OUTAGES):
                with connection_released():
                    pass
                settle()
        raise


def settle() -> None:
    """Take back what this process owes; what the database does not let it take back it owes still."""
    while _owed:
        take_back = _owed.popleft()
        try:
            with db.atomic():
                take_back()
        except BaseException:
            _owed.appendleft(take_back)
            raise
