"""A thread of a worker that works when it is woken, so that slow calls to the outside delay no job."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod

from inbox.flow.delivery.senders import Clock
from inbox.runtime import queue


class WokenThread(ABC):
    """A thread that works until nothing is due. A wake-up starts it, or makes it look again before it ends."""

    name: str
    """The name of the thread in lists of threads."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_woken = self._is_running = self._is_ending = False

    @abstractmethod
    def work(self) -> None:
        """Does what is due, and logs its faults."""

    def leave_wake_up(self) -> None:
        """Leaves a wake-up that comes when the process ends."""

    def wake(self) -> None:
        """Does what is due. Returns at once."""
        with self._lock:
            self._is_woken = True
            if not self._is_running:
                thread = threading.Thread(target=self._run, name=self.name, daemon=True)
                thread.start()  # raises without memory or a free process id; the next wake-up tries again
                self._thread, self._is_running = thread, True

    def wait(self) -> None:
        """Waits until nothing is due."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()

    def end(self) -> None:
        """Begins nothing more, and waits until the open calls have ended."""
        self._is_ending = True
        self.wait()

    def is_stopping(self) -> bool:
        """Returns whether the thread or the process ends."""
        return self._is_ending or queue.is_shutting_down()

    def _run(self) -> None:
        while self._takes_wake_up():
            self.work()

    def _takes_wake_up(self) -> bool:
        """Returns whether to look for work: there was a wake-up since the last look. Otherwise the thread ends."""
        with self._lock:
            is_woken, self._is_woken = self._is_woken, False
            self._is_running = is_woken and not self.is_stopping()
            is_running = self._is_running
        if is_woken and not is_running:
            self.leave_wake_up()
        return is_running
