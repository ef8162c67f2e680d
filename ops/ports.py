"""Checks that a port is free. Standard library only, because it runs before anything is installed."""

from __future__ import annotations

import argparse
import errno
import os
import socket
from collections.abc import Sequence


class PortRefused(Exception):
    """The port cannot be used. The text gives the reason and the remedy."""


def check(host: str, port: int) -> None:
    """Raises `PortRefused`. Gunicorn would only retry for a while and then log the failure."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, _, _, address = found[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as fault:
        if fault.errno == errno.EADDRINUSE:
            raise PortRefused(f"port {port} on {host} is in use by another program; choose another --port") from None
        raise PortRefused(f"port {port} on {host} cannot be used: {fault.strerror}") from None


def check_for(arguments: Sequence[str]) -> None:
    """Checks the port with which `bin/up` is started. Wrong options are left to `bin/up`."""
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    parser.add_argument("--host", default=os.environ.get("INBOX_HOST") or "127.0.0.1")
    parser.add_argument("--port", type=int, default=os.environ.get("INBOX_PORT") or "8080")
    parser.add_argument("--help", "-h", action="store_true")
    try:
        options, _ = parser.parse_known_args(arguments)
    except argparse.ArgumentError:
        return
    if not options.help and 1 <= options.port <= 65_535:
        check(options.host, options.port)
