"""Name look-ups that end: a resolver cannot be interrupted, only left alone."""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Callable, Sequence

Resolver = Callable[[str, int], Sequence[str]]
"""The addresses of a host's name, in order. May be slow; raises `OSError` when the name is not found."""


def system_resolver(host: str, port: int) -> Sequence[str]:
    """The answer of the machine's own resolver, each address once."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def within(seconds: float, look_up: Callable[[], Sequence[str]]) -> Sequence[str]:
    """The addresses, none for a name that is not found. Raises `TimeoutError` when the look-up takes longer."""
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
