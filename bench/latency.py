"""Latency: from the 202 to the webhook's arrival, one event at a time on an idle service."""

from __future__ import annotations

import http.client
import json
import time

from bench.environment import BenchEnvironment
from bench.figures import Effort, Measurement, share
from bench.programs import Program

PAUSE_SECONDS = 0.2
ARRIVE_SECONDS = 15.0


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """With the parts that `bin/up` starts: two web workers, two workers, the scheduler."""
    stand.clear()
    with Program("receiver") as receiver, stand.web() as web, stand.workers(2), stand.scheduler():
        web.send_everything_to([receiver.read_line()["port"]])
        token = web.source_key()
        connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=10)
        took = [_probe(connection, token, f"probe {number}", receiver) for number in range(effort.probes + 1)][1:]
    return [
        Measurement(
            name="accepted to webhook, idle",
            value=share(took, 0.5) * 1000,
            unit="ms",
            p50=share(took, 0.5) * 1000,
            p99=share(took, 0.99) * 1000,
            note=f"{len(took)} events, one at a time",
            more={"took_ms": [round(seconds * 1000, 2) for seconds in took]},
        )
    ]


def _probe(connection: http.client.HTTPConnection, token: str, title: str, receiver: Program) -> float:
    """Seconds from the answer to the webhook; below zero when the webhook was faster."""
    body = json.dumps({"title": title, "severity": "ERROR", "dedupKey": title})
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request("POST", "/v1/events", body, headers)
    answer = connection.getresponse()
    accepted_at = time.monotonic()
    stated = answer.read()
    if answer.status != 202:
        raise RuntimeError(f"POST /v1/events: {answer.status} {stated[:300]!r}")
    until = time.monotonic() + ARRIVE_SECONDS
    while time.monotonic() < until:
        time.sleep(PAUSE_SECONDS)
        for arrived_at, arrived in receiver.request("")["arrivals"]:
            if arrived == title:
                return float(arrived_at) - accepted_at
    raise RuntimeError(f"no webhook within {ARRIVE_SECONDS:g} s")
