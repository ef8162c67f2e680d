"""Name look-ups with a time limit.

A resolver cannot be interrupted, so an expired look-up continues in its thread. Under gevent these are real threads,
and few. Names from users and names from the settings use separate threads, because a user's zone can be slow on
purpose. One zone uses only a part of the threads.
"""

from __future__ import annotations

import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from gevent import monkey

from inbox.runtime.real_threads import RealThreads

Resolver = Callable[[str, int], Sequence[str]]
"""Returns the addresses of a host name, in order. It may be slow. Raises `OSError` when the name does not resolve."""

OF_USERS, OF_OPERATOR = RealThreads(16), RealThreads(4)
"""The threads for names from users and for names from the settings. The gevent resolver uses neither."""


MOST_OF_ZONE = 4
"""The maximum number of concurrent look-ups per zone.

Further names of the zone wait, so other zones find a free thread.
"""


def zone_of(host: str) -> str:
    """Returns the last two labels of a name: the owner of a zone can make any name below slow."""
    return ".".join(host.rstrip(".").lower().rsplit(".", 2)[-2:])


def system_resolver(host: str, port: int) -> Sequence[str]:
    """Returns the addresses from the resolver of the operating system, without duplicates.

    It blocks the thread, also under gevent.
    """
    found = monkey.get_original("socket", "getaddrinfo")(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def within(seconds: float, look_up: Callable[[], Sequence[str]], threads: RealThreads, zone: str = "") -> Sequence[str]:
    """Returns the addresses, or nothing for a name that does not resolve. Raises `TimeoutError` after `seconds`.

    With a `zone`, the look-up counts towards `MOST_OF_ZONE`.
    """
    answers: queue.SimpleQueue[Sequence[str]] = queue.SimpleQueue()
    until = time.monotonic() + seconds

    def answer() -> Sequence[str] | None:
        """Returns the addresses; None when a thread became free only after the caller gave up."""
        if time.monotonic() >= until:
            return None
        try:
            return look_up()
        except (OSError, UnicodeError):
            return ()

    def ask() -> None:
        with _zones.place(zone if threads.are_used else "", until) as has_place:
            found = threads.run(answer) if has_place else None
        if found is not None:
            answers.put(found)

    threading.Thread(target=ask, name="look-up", daemon=True).start()
    try:
        return answers.get(timeout=max(0.0, seconds))
    except queue.Empty:
        raise TimeoutError from None


class _Zones:
    """Counts the look-ups of each zone that use a thread or wait for one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: dict[str, tuple[threading.Semaphore, int]] = {}

    @contextmanager
    def place(self, zone: str, until: float) -> Iterator[bool]:
        """Waits for a free look-up of the zone, and yields whether one was free in time."""
        if not zone:
            yield True
            return
        with self._lock:
            places, count = self._places.get(zone) or (threading.Semaphore(MOST_OF_ZONE), 0)
            self._places[zone] = places, count + 1
        has_place = places.acquire(timeout=max(0.0, until - time.monotonic()))
        try:
            yield has_place
        finally:
            if has_place:
                places.release()
            with self._lock:
                _, count = self._places.pop(zone)
                if count > 1:
                    self._places[zone] = places, count - 1


_zones = _Zones()
