"""The receiver of the sample workspace: an HTTP server on 127.0.0.1 that answers by the table of destinations."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

from inbox.models.deliveries.destinations import Destination
from inbox.models.workspaces.tables import Workspace
from ops.demo.company import ANSWERS, BOARD, TARGETS

HOST = "127.0.0.1"
MAX_BYTES = 1024 * 1024
_TARGETS = {target.path: target for target in TARGETS}


class NoReceiver(Exception):
    """The receiver cannot start. The text gives the reason."""


def address(port: int) -> str:
    """Returns the address of the receiver, to which the paths of the destinations are added."""
    return f"http://{HOST}:{port}"


def port_of(workspace: Workspace) -> int:
    """Returns the port of the workspace's destinations. Raises `NoReceiver` when they lead elsewhere."""
    own = (Destination.workspace == workspace.id) & (Destination.name == BOARD) & Destination.deleted_at.is_null()
    board: Destination | None = Destination.get_or_none(own)
    parts = urlsplit(str(board.config.get("url", ""))) if board is not None else urlsplit("")
    if parts.hostname != HOST or parts.port is None:
        raise NoReceiver(f"The destination {BOARD} does not lead to {HOST}.")
    return parts.port


@contextmanager
def running(port: int, say: Callable[[str], None]) -> Iterator[Counter[str]]:
    """Runs the receiver within the block. It counts requests by destination, and reports each with `say`.

    Raises `NoReceiver` when the port is in use.
    """
    received: Counter[str] = Counter()

    class Receiver(BaseHTTPRequestHandler):
        """Answers each destination by its behaviour, and 404 elsewhere."""

        def do_POST(self) -> None:
            """Reads the notice, counts it, and answers."""
            body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), MAX_BYTES))
            target = _TARGETS.get(urlsplit(self.path).path)
            status = 404 if target is None else ANSWERS[target.behaviour]
            if target is not None:
                received[target.name] += 1
                say(f"{target.name:<14} {status}  {_summary(body)}")
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Logs nothing, because only notices are reported."""

    try:
        server = ThreadingHTTPServer((HOST, port), Receiver)
    except OSError as fault:
        raise NoReceiver(f"The port {port} on {HOST} cannot be used: {fault.strerror}.") from None
    thread = Thread(target=server.serve_forever, name="demo-receiver", daemon=True)
    thread.start()
    try:
        yield received
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _summary(body: bytes) -> str:
    try:
        notice = json.loads(body)
        return f"{notice['type']}  {notice['data']['title']}"
    except (ValueError, KeyError, TypeError):
        return "not a notice"
