"""Reverts attempt counts after an outage. An attempt that an outage interrupted does not count.

An attempt is counted before it starts, so that the death of the process counts. A process that survives an outage keeps
the undo in memory until the database answers.
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
    """Around an attempt with its count: an outage reverts the count, on a new connection or by `run_pending_undos`."""
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
    """Run the pending undos of this process. An undo that fails stays pending."""
    while _pending:
        undo = _pending.popleft()
        try:
            with db.atomic():
                undo()
        except BaseException:
            _pending.appendleft(undo)
            raise
