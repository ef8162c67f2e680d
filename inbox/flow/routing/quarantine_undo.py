"""What was counted before a try that an outage then cut short: it was no try, so it is taken back as soon as that can be done.

Whoever counts before it tries counts its own death. It lives on after an outage, and remembers until the database answers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from inbox.flow.retries import OUTAGES, is_outage
from inbox.models.sql.base import connection_released, db

_pending: deque[Callable[[], None]] = deque()


@contextmanager
def undo_on_outage(undo: Callable[[], None]) -> Iterator[None]:
    """Around counting and trying: what an outage ends is taken back, now over a new connection or by `run_pending_undos`."""
    try:
        yield
    except Exception as fault:
        if is_outage(fault):
            _pending.append(undo)
            with suppress(*OUTAGES):
                with connection_released():
                    pass
                run_pending_undos()
        raise


def run_pending_undos() -> None:
    """Take back what this process owes; what the database does not let it take back it owes still."""
    while _pending:
        undo = _pending.popleft()
        try:
            with db.atomic():
                undo()
        except BaseException:
            _pending.appendleft(undo)
            raise
