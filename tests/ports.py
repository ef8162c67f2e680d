"""Ports for servers that get theirs as an argument."""

from __future__ import annotations

import random
import socket

BELOW_THE_EPHEMERAL = range(11_000, 32_000)
"""Among those that the system gives away by itself, one that is free now may be an outgoing connection's a moment later."""


def free_port() -> int:
    """A port on which nobody listens, and which nobody is given by chance."""
    chance = random.SystemRandom()
    while True:
        port = chance.choice(BELOW_THE_EPHEMERAL)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
