"""Program that sends one message through the Apprise library in a separate process (specification 9.19).

The `apprise` package starts it with `python -I`; it imports nothing of the service. One line of JSON on standard input
is the order. Before each connection it asks its parent, line by line, whether the addresses may be called. The last
line on standard output is the result.

Three rules hold for every plug-in. A look-up returns only checked addresses, a connection goes only to a checked
address, and no program is started. The audit hook that enforces them cannot be removed. The size of an answer and the
memory of the process are limited.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import ssl
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn, TextIO

FORBIDDEN = frozenset(
    {
        *(
            "subprocess.Popen",
            "os.exec",
            "os.fork",
            "os.forkpty",
            "os.posix_spawn",
            "os.spawn",
            "os.system",
            "os.startfile",
        ),
        *("socket.bind", "socket.sendto", "socket.sendmsg", "ctypes.dlopen", "urllib.Request", "webbrowser.open"),
    }
)
"""Audit events that are refused."""

BODY_BYTES = 64 * 1024
"""The maximum number of bytes read of an answer. The rest is cut off."""

MEMORY_BYTES = 256 * 1024 * 1024
"""The address space of the process. The library and one call need about 70 MiB."""


class Parent:
    """Connection to the parent process, which knows the address policy."""

    def __init__(self, questions: TextIO, answers: TextIO) -> None:
        self._questions, self._answers = questions, answers
        self.scheme = "https"
        self.allowed: set[tuple[str, int]] = set()
        self.refused = False

    def read(self) -> Any:
        """Returns the next line from the parent."""
        return json.loads(self._answers.readline())

    def write(self, line: Any) -> None:
        """Sends a line to the parent."""
        self._questions.write(json.dumps(line) + "\n")
        self._questions.flush()

    def check(self, host: str, port: int, addresses: list[str]) -> None:
        """Raises `OSError` unless all these addresses may be called."""
        self.write({"check": {"scheme": self.scheme, "host": host, "port": port, "addresses": addresses}})
        if self.read() is not True:
            self.refused = True
            raise OSError("the address is refused")
        self.allowed |= {(address, port) for address in addresses}


def guard(parent: Parent) -> None:
    """Checks every look-up and every connection from now on."""
    look_up = socket.getaddrinfo

    def checked(host: Any, port: Any, *arguments: Any, **named: Any) -> Any:
        found = look_up(host, port, *arguments, **named)
        name = host.decode() if isinstance(host, bytes) else str(host)
        for number in {int(entry[4][1]) for entry in found}:
            parent.check(name, number, [str(entry[4][0]) for entry in found if entry[4][1] == number])
        return found

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        if event in FORBIDDEN:
            raise OSError("a plug-in may not do that")
        if event == "socket.connect":
            address = arguments[1]
            if not isinstance(address, tuple) or (str(address[0]), address[1]) not in parent.allowed:
                parent.refused = True
                raise OSError("the address is not checked")

    socket.getaddrinfo = checked
    socket.gethostbyname = socket.gethostbyname_ex = _refuse
    sys.addaudithook(audit)


def _refuse(*_: Any) -> NoReturn:
    raise OSError("a plug-in may not do that")


def watch_requests(parent: Parent) -> list[tuple[int, str]]:
    """Records the scheme of each request, and the status and `Retry-After` of each answer.

    Redirects are not followed. At most `BODY_BYTES` of a body are read, as transferred, without decompression.
    """
    from requests.adapters import HTTPAdapter
    from requests.sessions import Session

    answers: list[tuple[int, str]] = []
    send, request = HTTPAdapter.send, Session.request

    def noted(self: Any, prepared: Any, *arguments: Any, **named: Any) -> Any:
        parent.scheme = "http" if str(prepared.url).lower().startswith("http:") else "https"
        prepared.headers["Accept-Encoding"] = "identity"
        answer = send(self, prepared, *arguments, **{**named, "verify": True, "proxies": {}})
        answers.append((answer.status_code, answer.headers.get("Retry-After", "")[:64]))
        return cut(answer)

    def without_redirects(self: Any, *arguments: Any, **named: Any) -> Any:
        self.trust_env = False
        return request(self, *arguments, **{**named, "allow_redirects": False})

    HTTPAdapter.send, Session.request = noted, without_redirects  # type: ignore[method-assign, assignment]
    return answers


def trust(ca_file: str) -> None:
    """Trusts the authorities of this file (`INBOX_CA_FILE`) beside those that the library chooses."""
    for name in ("load_verify_locations", "load_default_certs"):
        setattr(ssl.SSLContext, name, _loading(ca_file, getattr(ssl.SSLContext, name)))


def _loading(ca_file: str, load: Callable[..., None]) -> Callable[..., None]:
    further = ssl.SSLContext.load_verify_locations

    def load_further(self: Any, *arguments: Any, **named: Any) -> None:
        load(self, *arguments, **named)
        further(self, ca_file)

    return load_further


def cut(answer: Any) -> Any:
    """Reads the limited body first, so that the library reads no more. The status is valid even if the body is lost."""
    from urllib3.exceptions import HTTPError

    answer._content, answer._content_consumed = b"", True  # noqa: SLF001
    with suppress(HTTPError, OSError):
        answer._content = answer.raw.read(BODY_BYTES, decode_content=False)  # noqa: SLF001
    answer.raw.close()
    return answer


def prepare(parent: Parent) -> list[tuple[int, str]]:
    """Loads the library, guards the process, and returns the answers recorded by `watch_requests`."""
    import apprise  # noqa: F401

    answers = watch_requests(parent)
    guard(parent)
    return answers


def send(order: dict[str, Any], parent: Parent, answers: list[tuple[int, str]]) -> dict[str, Any]:
    """Sends the message of the order. The result has `sent`, `refused`, `status` and `retryAfter`."""
    import apprise

    asset = apprise.AppriseAsset(async_mode=False, secure_logging=True, http_redirects=False, plugin_paths=[])
    plugin = apprise.Apprise.instantiate(order["url"], asset=asset, suppress_exceptions=True)
    if plugin is None:
        return {"sent": None}
    plugin.overflow_mode = apprise.OverflowMode.TRUNCATE
    plugin.request_rate_per_sec = 0
    sent = plugin.notify(title=order["title"], body=order["body"], notify_type=order["type"])
    status, retry_after = answers[-1] if answers else (None, "")
    return {"sent": bool(sent), "refused": parent.refused, "status": status, "retryAfter": retry_after}


def connected() -> Parent:
    """Returns the parent behind standard input and output. Output that plug-ins print is discarded."""
    questions = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return Parent(questions, sys.stdin)


def main() -> None:
    """Reads the order, sends the message, and writes the result."""
    with suppress(ValueError, OSError):  # a lower limit of the service stays in force
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    parent = connected()
    order = parent.read()
    if order["caFile"]:
        trust(order["caFile"])
    parent.write({"result": send(order, parent, prepare(parent))})


if __name__ == "__main__":
    main()
