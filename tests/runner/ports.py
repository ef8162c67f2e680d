"""Ports for servers that take them as an argument."""

from __future__ import annotations

import os
import random
import re
import socket

BELOW_THE_EPHEMERAL = range(11_000, 32_000)
"""Among those that the system gives away by itself, one that is free now may be an outgoing connection's a moment later."""

PROCESSES = 8
"""Each process of the tests has a part of the ports: a server takes its port seconds after it was chosen."""

_given: set[int] = set()


def free_port() -> int:
    """A port on which nobody listens, and which nobody is given by chance."""
    number = int("".join(re.findall(r"\d+", os.environ.get("PYTEST_XDIST_WORKER", ""))) or 0) % PROCESSES
    chance = random.SystemRandom()
    while True:
        port = chance.choice(BELOW_THE_EPHEMERAL[number::PROCESSES])
        if port in _given:
            continue
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            _given.add(port)
            return port
