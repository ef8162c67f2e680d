"""A real webhook receiver on loopback: it stores requests and gives scripted answers.

It verifies each webhook by the independent implementation of Standard Webhooks, in every test.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.client import HTTPMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import orjson
from standardwebhooks import Webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
"""A signing secret for tests that need any."""

TOLERANCE = timedelta(minutes=5)
"""Of the times of calls, as Standard Webhooks has it."""


@dataclass(frozen=True)
class Request:
    """One call as it came in; `headers` by their names in lower case, `at` in monotonic seconds."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    at: float

    @property
    def id(self) -> str:
        """The `webhook-id`."""
        return self.headers["webhook-id"]

    @property
    def json(self) -> dict[str, Any]:
        """The body read as JSON."""
        answer: dict[str, Any] = orjson.loads(self.body)
        return answer

    def verified(self, secret: str = SECRET) -> dict[str, Any]:
        """The body, if the independent implementation of Standard Webhooks accepts its signature and its time."""
        Webhook(secret).verify(self.body, dict(self.headers))
        return self.json

    def was_signed(self, secret: str = SECRET) -> bool:
        """Whether it would have accepted the call when it came, however long ago that is."""
        moment = datetime.fromtimestamp(int(self.headers["webhook-timestamp"]), UTC)
        came = datetime.now(UTC) - timedelta(seconds=time.monotonic() - self.at)
        return abs(came - moment) < TOLERANCE and self.has_signature_of(secret)

    def has_signature_of(self, secret: str) -> bool:
        """Whether it would have accepted the signature at the time that the call states."""
        try:
            moment = datetime.fromtimestamp(int(self.headers["webhook-timestamp"]), UTC)
            signature = Webhook(secret).sign(self.id, moment, self.body.decode())
        except ValueError:
            return False
        return signature in self.headers["webhook-signature"].split(" ")


@dataclass(frozen=True)
class Answer:
    """What a call is answered with. `gate` is waited for first, `delay` seconds too.

    `reset` breaks the connection instead, `cut` promises the whole body and sends a part; `raw` is sent as it is.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    gate: threading.Event | None = None
    reset: bool = False
    cut: int | None = None
    raw: bytes | None = None


Answering = Callable[[Request], Answer]


class Receiver:
    """An HTTP server on its own port. Use as a context manager, or `start` and `stop`.

    `answer` is given to every call that `script` has no answer for; it may be a function of the request. Each webhook
    must be signed with one of `secrets`, to which a test may add those that it learns; `stop` fails when one was not.
    """

    def __init__(
        self,
        answer: Answer | Answering | None = None,
        *,
        secrets: Iterable[str] = (SECRET,),
        address: str = "127.0.0.1",
    ) -> None:
        self.answer: Answer | Answering = answer or Answer()
        self.secrets = set(secrets)
        self.unverified: list[Request] = []
        self.requests: list[Request] = []
        self.now_open = 0
        self.most_open = 0
        self._script: list[Answer] = []
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._server = _Server(self, address)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{self._server.server_address[0]!s}:{self.port}/hook"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Listen from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Let waiting answers go and stop listening."""
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        forged = [each for each in self.unverified if not self._is_signed(each)]
        assert not forged, f"{len(forged)} webhooks without a valid signature: {forged[0]}"

    def script(self, *answers: Answer | int) -> None:
        """What the next calls are answered with, one after another; a number is a status."""
        with self._changed:
            self._script += [Answer(answer) if isinstance(answer, int) else answer for answer in answers]

    def wait_for(self, count: int, seconds: float = 60) -> list[Request]:
        """The calls so far, as soon as there are `count`; fails after the time."""
        with self._changed:
            enough = self._changed.wait_for(lambda: len(self.requests) >= count, seconds)
            assert enough, f"{len(self.requests)} of {count} calls within {seconds} s"
            return list(self.requests)

    def wait_until_open(self, count: int, seconds: float = 60) -> None:
        """Until `count` calls wait for their answers at one moment; fails after the time."""
        with self._changed:
            enough = self._changed.wait_for(lambda: self.now_open >= count, seconds)
            assert enough, f"{self.now_open} of {count} calls open within {seconds} s"

    def by_id(self) -> dict[str, list[Request]]:
        """The calls of each `webhook-id`, in their order."""
        found: dict[str, list[Request]] = defaultdict(list)
        for request in list(self.requests):
            found[request.id].append(request)
        return dict(found)

    def forget(self) -> None:
        """Forget the calls so far."""
        with self._changed:
            self.requests.clear()
            self.most_open = self.now_open

    def _is_signed(self, request: Request) -> bool:
        return any(request.has_signature_of(secret) for secret in self.secrets)

    def _came(self, request: Request) -> Answer:
        is_unverified = "webhook-id" in request.headers and not self._is_signed(request)
        with self._changed:
            self.requests.append(request)
            self.unverified += [request] if is_unverified else []
            self.now_open += 1
            self.most_open = max(self.most_open, self.now_open)
            answer = self._script.pop(0) if self._script else self.answer
            self._changed.notify_all()
        return answer(request) if callable(answer) else answer

    def _went(self) -> None:
        with self._changed:
            self.now_open -= 1
            self._changed.notify_all()

    def _wait(self, answer: Answer) -> None:
        if answer.delay:
            self._closing.wait(answer.delay)
        while answer.gate is not None and not self._closing.is_set() and not answer.gate.wait(0.05):
            pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, receiver: Receiver, address: str) -> None:
        self.receiver = receiver
        super().__init__((address, 0), _Call)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Connections that the other side broke are no news."""


class _Call(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server
    headers: HTTPMessage

    def do_POST(self) -> None:
        receiver = self.server.receiver
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True  # whoever sent it died in the middle: no request came
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = receiver._came(Request(self.command, self.path, headers, body, time.monotonic()))
        try:
            receiver._wait(answer)
            self._give(answer)
        finally:
            receiver._went()

    do_GET = do_PUT = do_PATCH = do_POST

    def _give(self, answer: Answer) -> None:
        if answer.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
            return
        if answer.raw is not None:
            self.close_connection = True
            self.wfile.write(answer.raw)
            return
        lines = [f"HTTP/1.1 {answer.status} Scripted", f"Content-Length: {len(answer.body)}"]
        lines += [f"{name}: {value}" for name, value in answer.headers.items()]
        if answer.cut is not None:
            self.close_connection = True
        body = answer.body if answer.cut is None else answer.body[: answer.cut]
        self.wfile.write("\r\n".join([*lines, "", ""]).encode() + body)

    def log_message(self, *args: Any) -> None:
        """Silent."""
