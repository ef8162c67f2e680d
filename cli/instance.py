"""Requests of commands to the instance, through the public API."""

from __future__ import annotations

import argparse
import http.client
import json
import os
from typing import Any
from urllib.parse import urlsplit

from cli.command import Failed

SECONDS = 30.0


def takes_address(made: argparse.ArgumentParser) -> None:
    """It speaks to the instance over HTTP."""
    made.add_argument("--address", help="of the instance (default INBOX_BASE_URL, else http://127.0.0.1:8080)")


def source_key() -> str:
    """Returns the key for sending. Raises `Failed` when there is none."""
    key = os.environ.get("INBOX_SOURCE_KEY", "").strip()
    if not key.isascii() or not key.isprintable() or not key:
        raise Failed("Set INBOX_SOURCE_KEY to the source key. Arguments are visible to all users of the machine.")
    return key


def post(options: argparse.Namespace, key: str, body: dict[str, Any]) -> dict[str, Any]:
    """Send one body to the instance; raises `Failed` with what the problem says."""
    status, answer = _post(options, key, body)
    if status != 202:
        faults = "".join(f"\n  {fault['pointer']}: {fault['detail']}" for fault in answer.get("errors", ()))
        raise Failed(f"{status} {answer.get('code', '')}: {answer.get('detail', '')}{faults}")
    return answer


def dial(options: argparse.Namespace, seconds: float) -> tuple[http.client.HTTPConnection, str, str]:
    """Returns a connection to the instance, the path before `/v1`, and its name for messages.

    Raises `Failed` for no address.
    """
    base = options.address or options.environment.get("INBOX_BASE_URL") or "http://127.0.0.1:8080"
    parts = urlsplit(base)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Failed(f"{base} is not an http or https address.")
    made = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    name = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    return made(parts.hostname, parts.port, timeout=seconds), parts.path.rstrip("/"), name


def _post(options: argparse.Namespace, key: str, event: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    connection, path, name = dial(options, SECONDS)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    try:
        connection.request("POST", f"{path}/v1/events", json.dumps(event).encode(), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"{}")
    except (OSError, http.client.HTTPException, ValueError) as fault:
        raise Failed(f"{name} did not send a valid answer: {fault}") from None
    finally:
        connection.close()
