"""Name look-ups with a time limit.

A resolver cannot be interrupted, so an expired look-up continues in its own thread. Under gevent these threads are real and
few. Names of users and names of the operator have threads of their own, because a zone of somebody can be slow on purpose.
"""

from __future__ import annotations

import queue
import socket
import threading
import time
from collections.abc import Callable, Sequence

from gevent import monkey

from inbox.real_threads import RealThreads

Resolver = Callable[[str, int], Sequence[str]]
"""Returns the addresses of a host name, in order. It may be slow. Raises `OSError` when the name does not resolve."""

OF_USERS, OF_OPERATOR = RealThreads(16), RealThreads(4)
"""The threads for names that users give, and for names in the settings. The gevent resolver of the process uses neither."""


def system_resolver(host: str, port: int) -> Sequence[str]:
    """Return the addresses from the operating system's resolver, without duplicates. It blocks the thread, also under gevent."""
    found = monkey.get_original("socket", "getaddrinfo")(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def within(seconds: float, look_up: Callable[[], Sequence[str]], threads: RealThreads) -> Sequence[str]:
    """Return the addresses, or nothing for a name that does not resolve. Raises `TimeoutError` after `seconds`."""
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
        found = threads.run(answer)
        if found is not None:
            answers.put(found)

    threading.Thread(target=ask, name="look-up", daemon=True).start()
    try:
        return answers.get(timeout=max(0.0, seconds))
    except queue.Empty:
        raise TimeoutError from None
