"""Clients of the legacy push format against a real web process: each request is one that an unmodified client sends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import requests

from inbox.models.events.tables import Event
from inbox.models.senders.sources import Source
from tests.cast import Cast, make_key
from tests.live.web import Web

TITLE, MESSAGE = "CRITICAL, disk = 95%, on web1", "disk 91 % on nas"
BODY = {"title": TITLE, "message": MESSAGE, "priority": 8}
FORM = {name: str(value) for name, value in BODY.items()}


def apprise(token: str) -> dict[str, Any]:
    """`gotify://host/token?priority=high`, as Apprise 2.2.0 sends it."""
    return {"json": BODY, "headers": {"User-Agent": "Apprise", "X-Gotify-Key": token}}


def in_the_query(token: str) -> dict[str, Any]:
    """Uptime Kuma, Healthchecks and the agent of Netdata."""
    return {"json": BODY, "params": {"token": token}}


def proxmox(token: str) -> dict[str, Any]:
    return {"json": BODY, "headers": {"Authorization": f"Bearer {token}", "X-Gotify-Key": token}}


def librenms_before_2024(token: str) -> dict[str, Any]:
    return {"files": {name: (None, value) for name, value in FORM.items()}, "params": {"token": token}}


def curl_with_a_form(token: str) -> dict[str, Any]:
    return {"data": FORM, "headers": {"X-Gotify-Key": token}}


def in_two_parts(token: str) -> dict[str, Any]:
    """A chunked body, as some languages send it."""
    parts = (
        part for part in (b'{"title": "' + TITLE.encode(), b'", "priority": 8, "message": "' + MESSAGE.encode() + b'"}')
    )
    return {"data": parts, "headers": {"X-Gotify-Key": token, "Content-Type": "application/json"}}


@pytest.mark.parametrize("path", ["/message", "/v1/legacy/message"])
@pytest.mark.parametrize(
    "client", [apprise, in_the_query, proxmox, librenms_before_2024, curl_with_a_form, in_two_parts]
)
def test_the_request_of_a_client_is_stored(
    web: Web, cast: Cast, client: Callable[[str], dict[str, Any]], path: str
) -> None:
    token = make_key(cast.source, kind="alias_token")
    Source.update(allow_query_token=True).where(Source.id == cast.source.id).execute()

    answer = requests.post(f"http://127.0.0.1:{web.port}{path}", timeout=30, **client(token))

    [event] = Event.select()
    assert (answer.status_code, answer.json()["priority"]) == (200, 8)
    assert (event.title, event.body, event.severity) == (TITLE, MESSAGE, "ERROR")
    assert token not in web.log.read_text()


def test_a_client_that_asks_first_gets_version_and_health(web: Web) -> None:
    for prefix in ("", "/v1/legacy"):
        address = f"http://127.0.0.1:{web.port}{prefix}"
        assert requests.get(f"{address}/version", timeout=30).json()["version"]
        assert requests.head(f"{address}/health", timeout=30).status_code == 200
