"""The client socket of a stream. It detects a disconnect at once and can close the connection."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable
from typing import Any

from gevent import get_hub, monkey, spawn

CLOSE_CHECK_MS = 30_000
"""The TCP user timeout in milliseconds. A client that acknowledges nothing for so long counts as disconnected."""

UNSENT_BYTES = 64 * 1024
"""The kernel's send buffer for a client that does not read. The default would be megabytes."""

_Socket = monkey.get_original("socket", "socket")


class ClientSocket:
    """The socket of a stream, as gunicorn passes it. None for a server that passes no socket.

    Watching needs gevent's event loop. Without it, the next failed ping reveals a disconnect.
    """

    __slots__ = ("_on_disconnect", "_socket", "_watcher")

    def __init__(self, sock: socket.socket | None, on_disconnect: Callable[[], None]) -> None:
        """Call `on_disconnect` once when the client disconnects. Data that the client sends is ignored."""
        self._socket = sock
        self._on_disconnect = on_disconnect
        self._watcher: Any = None
        become_stream = getattr(sock, "become_stream", None)
        if become_stream is not None:
            become_stream()
        if sock is None or not monkey.is_module_patched("socket"):
            return
        with contextlib.suppress(OSError, AttributeError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNSENT_BYTES)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, CLOSE_CHECK_MS)
        self._watcher = get_hub().loop.io(sock.fileno(), 1)
        self._watcher.start(self._on_readable)

    def disconnect(self) -> None:
        """Shut the connection down while a send blocks. The sender gets a broken pipe.

        The method bypasses gevent, whose own shutdown would report a closed file, which the server logs as a fault.
        """
        if self._socket is not None:
            with contextlib.suppress(OSError), _Socket(fileno=os.dup(self._socket.fileno())) as same:
                same.shutdown(socket.SHUT_RDWR)

    def stop_watching(self) -> None:
        """Stop watching, before the server closes the socket.

        No further request is read from it. A second call is allowed.
        """
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher.close()
            self._watcher = None
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RD)
            self._socket = None

    def _on_readable(self) -> None:
        self._watcher.stop()  # this runs in the event loop, which must not block
        spawn(self._check_disconnect, self._socket)

    def _check_disconnect(self, sock: socket.socket) -> None:
        try:
            hung_up = not sock.recv(1, socket.MSG_PEEK)
        except OSError:
            hung_up = True
        if hung_up:
            self._on_disconnect()
