"""Name look-ups with a time limit.

A resolver cannot be interrupted, so an expired look-up continues in its own thread.
"""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Callable, Sequence

Resolver = Callable[[str, int], Sequence[str]]
"""Returns the addresses of a host name, in order. It may be slow. Raises `OSError` when the name does not resolve."""


def system_resolver(host: str, port: int) -> Sequence[str]:
    """Return the addresses from the operating system's resolver, without duplicates."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def within(seconds: float, look_up: Callable[[], Sequence[str]]) -> Sequence[str]:
    """Return the addresses, or nothing for a name that does not resolve. Raises `TimeoutError` after `seconds`."""
    answers: queue.SimpleQueue[Sequence[str]] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(look_up())
        except (OSError, UnicodeError):
            answers.put(())

    threading.Thread(target=ask, name="look-up", daemon=True).start()
    try:
        return answers.get(timeout=max(0.0, seconds))
    except queue.Empty:
        raise TimeoutError from None
