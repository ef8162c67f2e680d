"""Requests of Alerta, with the texts of our own events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def request(event: Mapping[str, Any]) -> bytes:
    """Returns a request of one alert.

    Its resource is the deduplication key of the event, because Alerta deduplicates by resource and event.
    """
    body = json.dumps(
        {
            "resource": event["dedupKey"],
            "event": "JobFailed",
            "environment": "Production",
            "severity": "major",
            "service": ["bench"],
            "value": event["title"],
            "text": event["body"],
        }
    ).encode()
    head = "POST /alert HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
    return f"{head}{len(body)}\r\n\r\n".encode() + body
