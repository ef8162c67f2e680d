"""The load: many keep-alive connections, each sending its next request after its answer. Runs separately.

Takes one line of JSON, `{"port", "connections", "kind", "seconds"|"requests", "token", "keys"}`, and answers one.
Requests use the `tokens` in turn. It costs little: plain sockets and prepared requests. An answer is parsed only when
its length differs from the last one. With `late` a request counts also when its answer comes after the end.
"""

from __future__ import annotations

import json
import resource
import secrets
import selectors
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count, cycle
from typing import Any

from bench import alerta_bodies, alertmanager_bodies
from bench.figures import share

BODIES = 5_000
BATCH_BODIES = 50
BATCH = 100
DEDUP_KEYS = 5_000
TEAMS = 50
WARM_SECONDS = 0.5
PATIENCE_SECONDS = 10.0
"""The longest time without any answer."""

TEXT = "The job ended with an error, and this is what it said of it. " * 8


def event(number: int) -> dict[str, Any]:
    """Returns the event of all measurements: title, severity, dedup key, about 500 bytes of body."""
    return {"title": f"Job {number} failed", "severity": "ERROR", "dedupKey": f"job-{number}", "body": TEXT}


def single(number: int, keys: int, first: int = 0) -> bytes:
    """Returns a body of one event."""
    return json.dumps(event(first + number % keys)).encode()


def batch(number: int, keys: int, first: int = 0) -> bytes:
    """Returns a body of a hundred events. Their keys begin with this one."""
    return json.dumps({"events": [event(first + (number * BATCH + index) % keys) for index in range(BATCH)]}).encode()


def alerts(number: int, keys: int, first: int = 0) -> bytes:
    """Returns a body of a hundred events of many teams, with fields that rules match."""
    return json.dumps({"events": [alert(first + (number * BATCH + index) % keys) for index in range(BATCH)]}).encode()


def alert(number: int) -> dict[str, Any]:
    """Returns an event as monitoring sends it: like `event`, with resource, type, tags and metadata."""
    about = {"team": f"team-{number % TEAMS}", "region": ("eu-1", "us-1")[number % 2], "cpu": number % 100}
    return event(number) | {
        "severity": ("WARNING", "ERROR", "CRITICAL")[number % 3],
        "type": "job.failed",
        "resource": f"host:{('db', 'web', 'cache')[number % 3]}-{number % 97}",
        "tags": ["prod", ("eu", "us")[number % 2]],
        "metadata": about,
    }


BODY: dict[str, tuple[Callable[[int, int, int], bytes], int]] = {
    "single": (single, BODIES),
    "batch": (batch, BATCH_BODIES),
    "alert": (lambda number, keys, first: json.dumps(alert(first + number % keys)).encode(), BODIES),
    "alerts": (alerts, BATCH_BODIES),
}


def requests(kind: str, tokens: Sequence[str], keys: int, first: int = 0) -> Iterator[bytes]:
    """Yields requests without end, each event request with a new `Idempotency-Key`.

    Deduplication keys begin with `first`.
    """
    if kind == "hello":
        yield from cycle([b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"])
    if kind == "ping":
        yield from cycle(
            [f"GET /v1/heartbeats/{token} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() for token in tokens]
        )
    if kind == "alerta":
        yield from cycle([alerta_bodies.request(event(first + number % keys)) for number in range(BODIES)])
    if kind in alertmanager_bodies.KINDS:
        yield from alertmanager_bodies.requests(kind, tokens, keys, first)
    make, many = BODY[kind]
    head = (
        "POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer %s\r\nContent-Length: %d\r\nIdempotency-Key: {secrets.token_hex(8)}-"
    )
    prepared = [
        (head % (token, len(body))).encode() + b"%d\r\n\r\n" + body.replace(b"%", b"%%")
        for token, body in ((tokens[number % len(tokens)], make(number, keys, first)) for number in range(many))
    ]
    for number, request in zip(count(), cycle(prepared), strict=False):
        yield request % number


class LatencyRecorder:
    """Counts answers, and records how long each took. Answers before the warm-up ended do not count."""

    def __init__(self) -> None:
        self.took: list[float] = []
        self.answers = 0
        self.refused = 0
        self.first_refusal = ""
        self._length = 0

    def complete(self, answer: bytes) -> bool:
        """Returns whether this is a whole answer, and counts a refusal."""
        if len(answer) == self._length and answer[9:10] == b"2":
            self.answers += 1
            return True
        head, separator, body = answer.partition(b"\r\n\r\n")
        if not separator:
            return False
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        if len(body) < length:
            return False
        self.answers += 1
        if answer[9:10] == b"2":
            self._length = len(answer)
        else:
            self.refused += 1
            self.first_refusal = self.first_refusal or answer.decode(errors="replace")
        return True


def load(order: dict[str, Any]) -> dict[str, Any]:
    """Runs the load and returns the result."""
    tokens = order.get("tokens") or [order.get("token", "")]
    sends = requests(order["kind"], tokens, order.get("keys", DEDUP_KEYS), order.get("first", 0))
    counts, selector = LatencyRecorder(), selectors.DefaultSelector()
    sent_at, parts, late = {}, {}, order.get("late", False)
    sockets = [socket.create_connection(("127.0.0.1", order["port"])) for _ in range(order["connections"])]
    clock = time.perf_counter
    began = clock()
    warm = began + (WARM_SECONDS if "seconds" in order else 0.0)
    until = warm + order.get("seconds", 600.0)
    left, patience = order.get("requests", sys.maxsize) - len(sockets), order.get("patience", PATIENCE_SECONDS)
    for sock in sockets:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(sock, selectors.EVENT_READ, sock)
        parts[sock] = b""
        sent_at[sock] = clock()
        sock.sendall(next(sends))
    waiting = len(sockets)
    while waiting:
        for key, _ in selector.select(patience) or _silence():
            sock = key.data
            answer = parts[sock] + sock.recv(65536)
            if not counts.complete(answer):
                if answer == parts[sock]:
                    raise ConnectionError("the server hung up")
                parts[sock] = answer
                continue
            parts[sock] = b""
            now = clock()
            if sent_at[sock] >= warm and (now <= until or late):
                counts.took.append(now - sent_at[sock])
            if now < until and left > 0:
                left -= 1
                sent_at[sock] = now
                sock.sendall(next(sends))
            else:
                waiting -= 1
    return result(counts, min(clock(), until) - warm)


def _silence() -> Any:
    raise TimeoutError("no answer in time")


def result(counts: LatencyRecorder, seconds: float) -> dict[str, Any]:
    """Returns the result of a load: rate, percentiles in milliseconds, refusals, and the CPU of the client."""
    spent = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "rate": len(counts.took) / seconds,
        "p50": share(counts.took, 0.5) * 1000,
        "p99": share(counts.took, 0.99) * 1000,
        "answers": counts.answers,
        "refused": counts.refused,
        "first_refusal": counts.first_refusal,
        "client_cpu": (spent.ru_utime + spent.ru_stime) / max(seconds, 0.001),
    }


if __name__ == "__main__":
    print(json.dumps(load(json.loads(sys.stdin.readline()))), flush=True)
