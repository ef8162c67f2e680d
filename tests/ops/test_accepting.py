"""Waiting connections that a web process accepts in one turn of its loop."""

from __future__ import annotations

import socket
from contextlib import ExitStack

from gunicorn.workers import ggevent

from ops.web import ACCEPTED_AT_ONCE, Server


def test_many_connections_that_wait_are_accepted_in_one_turn() -> None:
    assert ggevent.StreamServer is Server  # gunicorn's worker builds its server by this name
    accepted: list[object] = []
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=200))
        for _ in range(ACCEPTED_AT_ONCE + 10):
            stack.enter_context(socket.create_connection(listener.getsockname()))
        server = Server(listener, handle=lambda sock, address: None)
        server.max_accept = 1  # as gunicorn does with several processes
        server.do_handle = lambda *connection: accepted.append(connection)
        server._do_read()

    assert len(accepted) == ACCEPTED_AT_ONCE
