"""Healthy senders that open a connection for each single event, as short-lived scripts do. Runs as a separate process.

Takes the order of `load`: `{"port", "connections", "seconds"|"requests", "token", "patience"}`, and answers one line
like it. `connections` is how many senders there are; each sends for so long, or so many `requests`. A connection that
is refused or cut off counts as a refused request. The time of a request begins before its connection is opened.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from bench.load import DEDUP_KEYS, LatencyRecorder, requests, result

PAUSE_SECONDS = 0.02
"""The pause between two events of a sender, so that new connections are only a part of the load."""


def load(order: dict[str, Any]) -> dict[str, Any]:
    """Runs the load and returns the result."""
    tallies = [LatencyRecorder() for _ in range(order["connections"])]
    prepared = [requests("single", [order["token"]], DEDUP_KEYS) for _ in tallies]
    first = [next(sends) for sends in prepared]  # this creates all bodies before the clock begins
    began = time.perf_counter()
    until = began + order.get("seconds", 600.0)

    def send(number: int) -> None:
        for request in islice(chain(first[number : number + 1], prepared[number]), order.get("requests")):
            if time.perf_counter() >= until:
                return
            _one(order["port"], request, tallies[number], order["patience"])
            time.sleep(PAUSE_SECONDS)

    threads = [threading.Thread(target=send, args=(number,)) for number in range(len(tallies))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return result(_sum(tallies), min(time.perf_counter(), until) - began)


def _one(port: int, request: bytes, counts: LatencyRecorder, patience: float) -> None:
    began = time.perf_counter()
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=patience) as sock:
            sock.sendall(request)
            answer = b""
            for piece in _pieces(sock):
                answer += piece
                if counts.complete(answer):
                    counts.took.append(time.perf_counter() - began)
                    return
        raise ConnectionError("the server hung up")
    except OSError as fault:
        counts.refused += 1
        counts.first_refusal = counts.first_refusal or f"{type(fault).__name__}: {fault}"


def _pieces(sock: socket.socket) -> Iterator[bytes]:
    while piece := sock.recv(65_536):
        yield piece


def _sum(tallies: list[LatencyRecorder]) -> LatencyRecorder:
    whole = LatencyRecorder()
    for each in tallies:
        whole.took += each.took
        whole.answers += each.answers
        whole.refused += each.refused
        whole.first_refusal = whole.first_refusal or each.first_refusal
    return whole


if __name__ == "__main__":
    print(json.dumps(load(json.loads(sys.stdin.readline()))), flush=True)
