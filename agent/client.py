"""Requests to the instance. Each one ends in time, also when a name does not resolve or a server sends one byte a second."""

from __future__ import annotations

import http.client
import json
import time
from typing import Any, Callable
from urllib.parse import SplitResult, urlsplit

from agent.deadline import Overdue, within
from agent.options import AGENT_VERSION, Unusable

REQUEST_SECONDS = 10.0
LARGEST_ANSWER = 1024 * 1024
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
TEMPORARY = frozenset([408, 409, 425, 429])
EVENTS = "/v1/events"


class Away(Exception):
    """The instance did not answer, or asks to come back later. `retry_after` is in seconds, 0 when unknown."""

    def __init__(self, text: str, retry_after: float = 0.0) -> None:
        super().__init__(text)
        self.retry_after = retry_after


class Blocked(Away):
    """A server in front of the instance refused the request. It may let another one pass."""


class Refused(Exception):
    """The instance refused the request. It would refuse a repetition as well."""


class Client:
    """Sends requests to one instance with one credential."""

    def __init__(self, address: str, credential: str) -> None:
        parts = _address_parts(address)
        self.address = "{}://{}{}".format(parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"))
        self.credential = credential
        self._parts = parts

    def post(self, path: str, body: bytes, content_type: str = "application/json") -> tuple[int, dict[str, Any]]:
        """Sends one request. Returns the status and the JSON object of the answer. Raises `Away` and `Refused`."""
        try:
            status, headers, text = within(REQUEST_SECONDS + 1, lambda: self._exchange(path, body, content_type))
        except Overdue:
            raise Away(f"{self.address} did not answer in time") from None
        except (OSError, http.client.HTTPException, ValueError) as fault:
            raise Away(f"{self.address} cannot be reached: {fault or type(fault).__name__}") from None
        answer = _object(text)
        if 200 <= status < 300 and (path != EVENTS or "events" in answer):
            return status, answer
        raise _fault(self.address, status, answer, _seconds(headers.get("Retry-After")))

    def _exchange(self, path: str, body: bytes, content_type: str) -> tuple[int, Any, bytes]:
        connection = self._connection()
        headers = {
            "Content-Type": content_type,
            "Authorization": "Bearer " + self.credential,
            "User-Agent": "inbox.py/" + AGENT_VERSION,
        }
        try:
            connection.request("POST", self._parts.path.rstrip("/") + path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read(LARGEST_ANSWER)
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=REQUEST_SECONDS)
        return http.client.HTTPConnection(host, port, timeout=REQUEST_SECONDS)


def repeated(
    request: Callable[[], Any], tries: int, seconds: float, sleep: Callable[[float], None] = time.sleep
) -> Any:
    """Calls `request` until it succeeds, at most `tries` times within `seconds`. Raises the last `Away`."""
    until, pause = time.monotonic() + seconds, FIRST_PAUSE
    while True:
        tries -= 1
        try:
            return request()
        except Away as fault:
            wait = min(max(pause, fault.retry_after), LONGEST_PAUSE)
            if tries < 1 or time.monotonic() + wait > until:
                raise
            sleep(wait)
            pause *= 2


def _address_parts(address: str) -> SplitResult:
    """Splits the address. Raises `Unusable`."""
    try:
        address.encode()
        parts = urlsplit(address)
        is_valid = parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        raise Unusable("The address of the instance cannot be read: check its host and its port.") from None
    if not is_valid or parts.scheme not in ("http", "https"):
        raise Unusable("The address of the instance must begin with http:// or https://.")
    return parts


def _object(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text.decode("utf-8", "replace") or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _fault(address: str, status: int, answer: dict[str, Any], retry_after: float) -> Exception:
    """Returns the error for a response without success. The instance refuses with the `code` of a problem document."""
    code = answer.get("code")
    is_problem, is_final = isinstance(code, str), 400 <= status < 500 and status not in TEMPORARY
    if is_problem and (is_final or (status == 409 and code == "conflict")):
        return Refused(_problem(status, answer))
    text = f"{address} answered {status}" + ("" if is_problem else ", and not as an instance does")
    return (Blocked if is_final else Away)(text, retry_after)


def _problem(status: int, answer: dict[str, Any]) -> str:
    faults = answer.get("errors")
    listed = [each for each in faults if isinstance(each, dict)] if isinstance(faults, list) else []
    more = "".join("\n  {}: {}".format(each.get("pointer"), each.get("detail")) for each in listed)
    return "{} {}: {}{}".format(status, answer.get("code", ""), answer.get("detail", ""), more)


def _seconds(text: str | None) -> float:
    return float(text) if text and text.isdigit() else 0.0
