"""Fifty hostile bodies for each operation of the OpenAPI document, in a separate process.

Takes `{"port", "seconds", "cookie", "tokens", "key"}`: a session for each operation, of people who own nothing. Answers
one line: the number of requests, the fewest per operation, the answers, the longest refusal and the slowest answer. It
stops by itself after `seconds`.
"""

from __future__ import annotations

import http.client
import json
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

CLIENTS = 4
SIZES = (16_000, 250_000, 1_000_000)
EACH = 50
METHODS = ("get", "head", "post", "put", "patch", "delete")
ID = "01jh3v6kq2e8rt5y7w9x1z3b5d"
PREFIXES = {"workspaceId": "wsp", "userId": "usr", "ruleId": "rul", "sourceId": "src", "keyId": "key", "eventId": "evt"}


def bodies() -> Iterator[bytes]:
    """Yields nested bodies, wide ones and ones full of NULs, of each size."""
    for size in SIZES:
        for unit in (b'"\\u0000",', b'"",', b"{},", b"0,", b'"a",', b"[],", b"1e999,"):
            items = (unit * (size // len(unit)))[:-1]
            yield b'{"ids":[' + items + b"]}"
            yield b'{"rules":[' + items + b'],"filters":[' + items[:1000].rpartition(b",")[0] + b"]}"
        yield b"[" * (size // 2) + b"]" * (size // 2)
    yield b'{"a":' * 900 + b'"\\u0000"' + b"}" * 900
    yield b'{"title":"' + b"a" * 15_000


def unknown_fields(count: int) -> bytes:
    """Returns an object with this many fields that no operation knows."""
    return json.dumps({f"field{number}": number for number in range(count)}).encode()


def all_bodies() -> list[bytes]:
    """Returns the bodies that are sent to each operation."""
    deep = [
        b'{"a":' * 900 + b'"\\u0000"' + b"}" * 900,
        b"[" * 1_000 + b'"\\u0000",' * 100_000 + b'""' + b"]" * 1_000,
        b'{"title":"' + b"a" * 15_000,
    ]
    return [unknown_fields(900), unknown_fields(40_000), *deep, *bodies()][:EACH]


class Sender:
    """The operations of one client."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.sent: Counter[str] = Counter()
        self.statuses: Counter[str] = Counter()
        self.largest, self.largest_at = 0, ""
        self.slowest, self.slowest_at = 0.0, ""
        self._order = order
        self._until = time.monotonic() + order["seconds"]

    def send(self, method: str, path: str, token: str, bodies: list[bytes]) -> None:
        """Sends every body to one operation."""
        headers = {
            "Content-Type": "application/json",
            "Cookie": f"{self._order['cookie']}={token}",
            "If-Match": '"1"',
        }
        if path == "/v1/events":
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._order['key']}"}
        for body in bodies:
            if time.monotonic() > self._until:
                self.statuses["not sent"] += 1
                continue
            self._one(method, path, headers, body)

    def _one(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        began = time.monotonic()
        connection = http.client.HTTPConnection(
            "127.0.0.1", self._order["port"], timeout=60, source_address=("127.0.4.1", 0)
        )
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            size, status = (0 if _is_endless(answer) else len(answer.read())), str(answer.status)
        except (OSError, http.client.HTTPException) as fault:
            size, status = 0, type(fault).__name__
        finally:
            connection.close()
        took = time.monotonic() - began
        self.sent[f"{method} {path}"] += 1
        self.statuses[status] += 1
        if status[0] in "45" and size > self.largest:  # a requested document may be long
            self.largest, self.largest_at = size, f"{method} {path}"
        if took > self.slowest:
            self.slowest, self.slowest_at = took, f"{method} {path}"


def _is_endless(answer: http.client.HTTPResponse) -> bool:
    """Returns whether it is a stream that began."""
    return answer.status == 200 and answer.length is None and "event-stream" in (answer.headers["Content-Type"] or "")


def operations(port: int) -> list[tuple[str, str]]:
    """Returns every operation of the document, with ids in its path."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/v1/openapi.json")
    document = json.loads(connection.getresponse().read())

    def with_id(found: re.Match[str]) -> str:
        return f"{PREFIXES.get(found[1], found[1][:3])}_{ID}"

    return [
        (method.upper(), re.sub(r"\{(\w+)\}", with_id, path))
        for path, item in sorted(document["paths"].items())
        for method in item
        if method in METHODS
    ]


def run(order: dict[str, Any]) -> dict[str, Any]:
    """Sends all bodies over a few clients at once."""
    work, made = operations(order["port"]), all_bodies()
    senders = [Sender(order) for _ in range(CLIENTS)]

    def share_of(number: int) -> None:
        for place, (method, path) in list(enumerate(work))[number::CLIENTS]:
            senders[number].send(method, path, order["tokens"][place % len(order["tokens"])], made)

    threads = [threading.Thread(target=share_of, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    largest = max(senders, key=lambda sender: sender.largest)
    slowest = max(senders, key=lambda sender: sender.slowest)
    answers: Counter[str] = sum((sender.statuses for sender in senders), Counter())
    sent: Counter[str] = sum((sender.sent for sender in senders), Counter())
    return {
        "operations": len(work),
        "each": min(sent[f"{method} {path}"] for method, path in work),
        "unsent": len(work) * EACH - sent.total(),
        "opened": sent.total(),
        "answers": dict(answers),
        "largest": largest.largest,
        "largest_at": largest.largest_at,
        "slowest": slowest.slowest,
        "slowest_at": slowest.slowest_at,
    }


if __name__ == "__main__":
    order = json.loads(sys.stdin.readline())
    print(json.dumps({"ready": CLIENTS}), flush=True)
    print(json.dumps(run(order)), flush=True)
