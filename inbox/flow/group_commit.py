"""Group commit: one transaction or query handles all requests that wait in a process.

A group starts as soon as a thread is free. No request waits for a fixed interval.
"""

from __future__ import annotations

import _thread
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from inbox.database.base import db
from inbox.domain.values.refusals import Unavailable

Made = TypeVar("Made")
Outcome = TypeVar("Outcome")

TIMEOUT_SECONDS = 20.0
"""The longest wait of a request for its outcome."""

MAX_SINGLES = 8
"""The number of requests that a process handles alone at the same time."""

YIELDS = 2
"""The number of yields to the event loop after a group. Answers are then written, and new requests join the next group."""


class Waiting(Generic[Outcome]):
    """A waiting request. `release_lock` is locked until it is released.

    The outcome is a value, or an exception that `submit` raises. None: the request must be handled alone.
    """

    __slots__ = ("abandoned", "outcome", "release_lock")

    def __init__(self) -> None:
        self.outcome: Outcome | Exception | None = None
        self.abandoned = False
        self.release_lock = _thread.allocate_lock()
        self.release_lock.acquire()

    def release(self, outcome: Outcome | Exception | None) -> None:
        """Gives the request its outcome."""
        self.outcome = outcome
        self.release_lock.release()


Request = TypeVar("Request", bound="Waiting[Any]")


class GroupCommit(Generic[Request]):
    """Handles waiting requests in groups. Each thread repeats these steps:

    1. It takes the waiting requests up to the limits of a group, without the abandoned ones.
    2. It handles them together and releases each with its outcome (`_commit`).
    3. It yields to the event loop.
    """

    def __init__(self, thread_names: Sequence[str], *, max_group: int, timeout: float = TIMEOUT_SECONDS) -> None:
        self._timeout = timeout
        self._max_group = max_group
        self._waiting: deque[Request] = deque()
        self._lock = threading.Lock()
        self._wake_events = [threading.Event() for _ in thread_names]
        self._single_slots = threading.Semaphore(MAX_SINGLES)
        for number, name in enumerate(thread_names):
            threading.Thread(target=self._run, args=(number,), name=name, daemon=True).start()

    def _wait(self, request: Request) -> None:
        """Waits until the request has its outcome. Raises `Unavailable` when the time is up first."""
        with self._lock:
            self._waiting.append(request)
            needed = self._threads_needed(request)
        for wake in self._wake_events[:needed]:
            wake.set()
        if not request.release_lock.acquire(timeout=self._timeout):
            request.abandoned = True
            raise Unavailable()

    def _threads_needed(self, request: Request) -> int:
        """Returns the number of threads to wake for one more request. The caller holds the lock."""
        return 1

    def _run(self, number: int) -> None:
        wake = self._wake_events[number]
        while True:
            wake.wait()
            wake.clear()
            while self._waiting:
                group = self._next_group()
                if group:
                    self._commit(group, number)
                for _ in range(YIELDS):
                    time.sleep(0)

    def _next_group(self) -> list[Request]:
        with self._lock:
            taken = [self._waiting.popleft() for _ in range(min(self._max_group, len(self._waiting)))]
        return [request for request in taken if not request.abandoned]

    def _commit(self, group: Sequence[Request], number: int) -> None:
        """Handles the group in the thread of this number, and releases every request. Raises nothing."""
        raise NotImplementedError

    @contextmanager
    def _single(self) -> Iterator[None]:
        """Provides a pooled connection for a request that is handled alone. Other requests do not wait for it."""
        if not self._single_slots.acquire(timeout=self._timeout):
            raise Unavailable()
        connected = False
        try:
            connected = db.connect(reuse_if_open=True)
            yield
        finally:
            if connected:
                db.close()
            self._single_slots.release()


class PerProcess(Generic[Made]):
    """Holds one object per process, created by the first call. A forked child creates another, because a fork ends
    threads.
    """

    _made: Made | None
    _creation_lock: _thread.LockType

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._forget()
        os.register_at_fork(after_in_child=self._forget)

    def __call__(self) -> Made:
        """Returns the object of this process."""
        made = self._made
        if made is None:
            with self._creation_lock:
                made = self._made = self._made or self._make()
        return made

    def _forget(self) -> None:
        self._made = None
        self._creation_lock = _thread.allocate_lock()
