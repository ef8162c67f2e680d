"""The addresses at which a listening server of this machine is reached."""

from __future__ import annotations

import socket

ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""The hosts that listen on every address, with the loopback address of their family."""

_ELSEWHERE = {"0.0.0.0": (socket.AF_INET, "192.0.2.1"), "::": (socket.AF_INET6, "2001:db8::1")}
"""Addresses reserved for documentation (RFC 5737, RFC 3849)."""


def reached_at(host: str) -> str:
    """Returns the address for other machines. For a server on every address, it is this machine's network address."""
    if host not in ANYWHERE:
        return host
    family, elsewhere = _ELSEWHERE[host]
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((elsewhere, 9))  # chooses the address of the route, and sends nothing
            return str(probe.getsockname()[0])
    except OSError:
        return ANYWHERE[host]
