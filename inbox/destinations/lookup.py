"""Name look-ups with a time limit.

A resolver cannot be interrupted, so an expired look-up continues in its own thread. Under gevent these threads are real and
few. Names of users and names of the operator have threads of their own, because a zone of somebody can be slow on purpose. One
zone holds a part of the threads at most.
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
"""The threads for names that users give, and for names in the settings. The gevent resolver of the process uses neither."""


MOST_OF_ZONE = 4
"""Threads that look up names of one zone at the same time. More of its names wait, and other zones have the other threads."""


def zone_of(host: str) -> str:
    """The last two labels of a name: its owner can make any name below them slow."""
    return ".".join(host.rstrip(".").lower().rsplit(".", 2)[-2:])


def system_resolver(host: str, port: int) -> Sequence[str]:
    """Return the addresses from the operating system's resolver, without duplicates. It blocks the thread, also under gevent."""
    found = monkey.get_original("socket", "getaddrinfo")(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def within(seconds: float, look_up: Callable[[], Sequence[str]], threads: RealThreads, zone: str = "") -> Sequence[str]:
    """Return the addresses, or nothing for a name that does not resolve. Raises `TimeoutError` after `seconds`.

    With a `zone`, the look-up is one of `MOST_OF_ZONE`.
    """
    answers: queue.SimpleQueue[Sequence[str]] = queue.SimpleQueue()
    until = time.monotonic() + seconds

    def answer() -> Sequence[str] | None:
        """The addresses; None when a thread was free only after the caller gave up."""
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
    """The look-ups of each zone that hold or want a thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: dict[str, tuple[threading.Semaphore, int]] = {}

    @contextmanager
    def place(self, zone: str, until: float) -> Iterator[bool]:
        """Wait for a place among the look-ups of a zone, and say whether there was one in time."""
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
