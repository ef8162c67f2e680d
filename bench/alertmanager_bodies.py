"""Requests of 100 alerts: the Alertmanager webhook, and the same events as a batch."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import count, cycle
from typing import Any

import orjson

from inbox.intake import registry
from inbox.intake.base import Payload

ALERTS = 100
BODIES = 50
RULE = "JobFailed"
COMMON = {"alertname": RULE, "job": "node", "env": "prod", "region": "eu-1"}
TEXT = "The job ended with an error, and this is what it said of it. " * 4
FRACTION = "123456789"
"""The fraction of each `startsAt` in a prepared body. Each request has another one, so that no alert is a repeat."""


def requests(kind: str, tokens: Sequence[str], keys: int, first: int = 0) -> Iterator[bytes]:
    """Yields requests without end and without an `Idempotency-Key`.

    The fingerprints of the alerts begin with `first`.
    """
    path, make = KINDS[kind]
    prepared = []
    for number in range(BODIES):
        body = make(_document(number, keys, first))
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {tokens[number % len(tokens)]}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        prepared.append(head.encode() + body)
    for number, request in zip(count(secrets.randbelow(10**8)), cycle(prepared), strict=False):
        yield request.replace(FRACTION.encode(), b"%09d" % number)


def _webhook(document: dict[str, Any]) -> bytes:
    return json.dumps(document).encode()


def _events(document: dict[str, Any]) -> bytes:
    return orjson.dumps({"events": registry.TOOLS["alertmanager"].events(Payload(document)).events})


KINDS: Mapping[str, tuple[str, Callable[[dict[str, Any]], bytes]]] = {
    "alertmanager": ("/v1/hooks/alertmanager", _webhook),
    "alertmanager_events": ("/v1/events", _events),
}
"""The path and the body of each kind of request: the webhook, and the same events in our own format."""


def _document(number: int, keys: int, first: int) -> dict[str, Any]:
    """Returns a webhook of version 4, as Alertmanager sends it."""
    began = datetime.now(UTC).strftime(f"%Y-%m-%dT%H:%M:%S.{FRACTION}Z")
    return {
        "version": "4",
        "groupKey": f'{{}}:{{alertname="{RULE}"}}',
        "truncatedAlerts": 0,
        "status": "firing",
        "receiver": "inbox",
        "groupLabels": {"alertname": RULE},
        "commonLabels": COMMON,
        "commonAnnotations": {"description": TEXT},
        "externalURL": "http://alertmanager.example.org",
        "alerts": [_alert(first + (number * ALERTS + index) % keys, began) for index in range(ALERTS)],
    }


def _alert(number: int, began: str) -> dict[str, Any]:
    own = {
        "instance": f"web-{number % 97}:9100",
        "severity": ("warning", "error", "critical")[number % 3],
        "team": f"team-{number % 50}",
    }
    return {
        "status": "firing",
        "labels": COMMON | own,
        "annotations": {
            "summary": f"Job {number} failed",
            "description": TEXT,
            "runbook_url": "https://runbooks.example.org/job-failed",
        },
        "startsAt": began,
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": f"http://prometheus.example.org/graph?g0.expr=job_failed&g0.tab={number}",
        "fingerprint": f"{number:016x}",
    }
