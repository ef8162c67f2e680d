"""The client at the other end of a stream: its going is noticed at once, and it can be cut off."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable
from typing import Any

from gevent import get_hub, monkey, spawn

CLOSE_CHECK_MS = 30_000
"""A client that acknowledges nothing for so long is gone, though no packet said so."""

UNSENT_BYTES = 64 * 1024
"""What the kernel may hold for a client that does not read; else it would be megabytes."""

_Socket = monkey.get_original("socket", "socket")


class ClientSocket:
    """The socket of a stream, as gunicorn hands it over; None in front of a server that does not.

    Watching needs gevent's event loop: elsewhere a client's going shows when the next ping cannot be sent.
    """

    __slots__ = ("_gone", "_socket", "_watch")

    def __init__(self, sock: socket.socket | None, gone: Callable[[], None]) -> None:
        """`gone` is called when the client hangs up, once; what it sends besides is ignored."""
        self._socket = sock
        self._gone = gone
        self._watch: Any = None
        become_stream = getattr(sock, "become_stream", None)
        if become_stream is not None:
            become_stream()
        if sock is None or not monkey.is_module_patched("socket"):
            return
        with contextlib.suppress(OSError, AttributeError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNSENT_BYTES)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, CLOSE_CHECK_MS)
        self._watch = get_hub().loop.io(sock.fileno(), 1)
        self._watch.start(self._readable)

    def disconnect(self) -> None:
        """End the connection under a send that does not come to its end; the sender finds a broken pipe.

        Past gevent, whose own shutdown would tell the sender of a closed file, which the server logs as a fault.
        """
        if self._socket is not None:
            with contextlib.suppress(OSError), _Socket(fileno=os.dup(self._socket.fileno())) as same:
                same.shutdown(socket.SHUT_RDWR)

    def forget(self) -> None:
        """Stop watching, before the socket is closed; no further request is read from it. May be called twice."""
        if self._watch is not None:
            self._watch.stop()
            self._watch.close()
            self._watch = None
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RD)
            self._socket = None

    def _readable(self) -> None:
        self._watch.stop()  # called in the event loop, which must not wait
        spawn(self._look, self._socket)

    def _look(self, sock: socket.socket) -> None:
        try:
            hung_up = not sock.recv(1, socket.MSG_PEEK)
        except OSError:
            hung_up = True
        if hung_up:
            self._gone()
