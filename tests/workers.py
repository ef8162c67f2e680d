"""Delivery workers in threads of a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from inbox.database.base import db
from inbox.flow.delivery.deliver import deliver
from tests.cast import present


@contextmanager
def workers(count: int, act: Callable[[], Any] = lambda: deliver(present)) -> Iterator[list[Future[Any]]]:
    """Delivery workers, each in a thread with its own connection; a failure of one fails the test."""

    def work() -> Any:
        with db.connection_context():
            return act()

    with ThreadPoolExecutor(count) as threads:
        futures = [threads.submit(work) for _ in range(count)]
        yield futures
        for future in futures:
            future.result(40)
