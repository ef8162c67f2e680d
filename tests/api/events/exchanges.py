"""Raw messages that are sent to two web processes, of which one reads plain requests itself (decision 0007)."""

from __future__ import annotations

import re
import select
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from inbox.config.settings import Settings
from ops import plain_requests
from ops.client_connection import ClientConnection
from tests.live.web import Web

PROBE = b"GET /healthz HTTP/1.1\r\nHost: inbox\r\n\r\n"
SHORT = 400
"""Messages up to so many bytes are also sent byte by byte."""

PAUSE = 0.003
"""Between the parts of a message, so that the server mostly reads them one by one."""

DIFFERENT = re.compile(rb"f1:\w+|evt_\w+|[0-9a-f]{32}|Date: [^\r]+|run \d{8}|two \d{8}")
"""What differs between two runs of one message: the run, fingerprints, ids of events and of requests, dates."""

runs = count(10_000_000)


@dataclass(frozen=True)
class Readers:
    """Two web processes behind a proxy on one database; `gunicorn` has the fast path switched off."""

    fast: Web
    gunicorn: Web


@contextmanager
def both_readers(settings: Settings, folder: Path) -> Iterator[Readers]:
    """The two processes."""
    with ExitStack() as stack:
        started = []
        for fast in (True, False):
            (of_its_own := folder / f"fast-{fast}").mkdir()
            chosen = replace(settings, fast_path=fast, trusted_proxies=1)
            started.append(stack.enter_context(Web.start(chosen, of_its_own, workers=1)))
        yield Readers(*started)


def cuts(message: bytes) -> list[list[bytes]]:
    """The message as one send, in halves, cut between head and body, cut in a field, and byte by byte."""
    half, body, field = len(message) // 2, message.find(b"\r\n\r\n") + 4, message.find(b"ength: ") + 8
    parts = [[message], *([message[:at], message[at:]] for at in (half, body, field))]
    if len(message) <= SHORT:
        parts.append([message[at : at + 1] for at in range(len(message))])
    return parts


def exchange(web: Web, parts: Sequence[bytes], *, waits: bool, probes: bool = True) -> bytes:
    """Everything that the server sends to these parts and to a request behind them, until it closes the connection."""
    received = b""
    with socket.create_connection(("127.0.0.1", web.port), timeout=60) as client, suppress(OSError):
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with suppress(OSError):
            for part in parts:
                client.sendall(part)
                if len(part) > 1:
                    time.sleep(PAUSE)
            if probes:
                select.select([client], [], [], 60 if waits else PAUSE)
                client.sendall(PROBE)
            client.shutdown(socket.SHUT_WR)
        while data := client.recv(65_536):
            received += data
    return received


def filled(message: bytes, key: str, run: bytes) -> bytes:
    return message.replace(b"%KEY%", key.encode()).replace(b"%RUN%", run)


def statuses(answers: bytes) -> list[int]:
    return [int(status) for status in re.findall(rb"HTTP/1\.\d (\d{3}) ", answers)]


def plain_requests_of(web: Web) -> float:
    text = web.get("/metrics").read().decode()
    return sum(float(value) for value in re.findall(r"^inbox_http_plain_requests_total\S* (\S+)$", text, re.MULTILINE))


def read_alone(message: bytes) -> tuple[plain_requests.PlainRequest | None, bytes]:
    """What the reader of plain requests makes of a message, and the bytes that are still to be read afterwards."""
    ours, sender = socket.socketpair()
    with ours, sender:
        connection = ClientConnection(ours, "client", lambda _: None)
        sender.sendall(message)
        sender.shutdown(socket.SHUT_WR)
        request = plain_requests.read(connection)
        return request, b"".join(iter(lambda: connection.recv(1000), b""))
