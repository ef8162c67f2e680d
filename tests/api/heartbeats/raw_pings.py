"""Raw pings: usual ones, and ambiguous ones.

`%TOKEN%` stands for the token of a monitor.
"""

from __future__ import annotations

from collections.abc import Iterable

HOST = "Host: inbox"
UNKNOWN = "svc_hb_" + "0" * 49
UNKNOWN_KEY = "svc_ping_" + "0" * 49


def ping(*lines: str, method: str = "GET", suffix: str = "", token: str = "%TOKEN%", body: bytes = b"") -> bytes:
    """A request of these lines."""
    first = f"{method} /v1/heartbeats/{token}{suffix} HTTP/1.1"
    return "\r\n".join((first, *lines, "", "")).encode("latin-1") + body


def post(body: bytes, *lines: str, suffix: str = "") -> bytes:
    """A ping with a text."""
    return ping(HOST, f"Content-Length: {len(body)}", *lines, method="POST", suffix=suffix, body=body)


def of_all_methods(suffixes: Iterable[str]) -> dict[str, bytes]:
    """A ping of each method for each suffix."""
    return {
        f"{method} {suffix or '(none)'}": ping(HOST, method=method, suffix=suffix)
        for suffix in suffixes
        for method in ("GET", "HEAD", "POST")
    }


PLAIN_PINGS: dict[str, bytes] = {
    **of_all_methods(["", "/start", "/fail", "/log", "/0", "/1", "/255"]),
    "slash at the end": ping(HOST, suffix="/"),
    "signal and a slash at the end": ping(HOST, suffix="/start/"),
    "exit code with zeros": ping(HOST, suffix="/00"),
    "as curl": ping(HOST, "User-Agent: curl/8.5.0", "Accept: */*"),
    "as wget": ping(
        HOST, "User-Agent: Wget/1.21", "Accept: */*", "Accept-Encoding: identity", "Connection: keep-alive"
    ),
    "length of no body": ping(HOST, "Content-Length: 0"),
    "text": post(b"all is well"),
    "text of a failure": post(b"tar: disk full", suffix="/fail"),
    "text that is not UTF-8": post(b"\xff\0\xfe"),
    "text of a kind": post(b"{}", "Content-Type: application/json"),
    "long text": post(b"x" * 8192),
    "HTTP in the text": post(b"GET /v1/heartbeats/x HTTP/1.1\r\nHost: inbox\r\n\r\n"),
    "credential beside the token": ping(HOST, "Authorization: Bearer svc_src_x"),
    "unknown token": ping(HOST, token=UNKNOWN),
    "unknown token with a text": ping(HOST, "Content-Length: 2", method="POST", token=UNKNOWN, body=b"{}"),
    "unknown ping key": ping(HOST, token=UNKNOWN_KEY, suffix="/backup"),
    "unknown ping key and a signal": ping(HOST, token=UNKNOWN_KEY, suffix="/nightly_backup-2/255"),
    "request id": ping(HOST, "X-Request-Id: an-id-of-the-caller"),
}
"""Read by the web process itself, when they arrive whole."""

UNUSUAL_PINGS: dict[str, bytes] = {
    "query": ping(HOST, suffix="?rid=0b9ff0f4-2f4c-4b8b-9c0a-6f3f3f1f2a10"),
    "empty query": ping(HOST, suffix="?"),
    "exit code above 255": ping(HOST, suffix="/256"),
    "long exit code": ping(HOST, suffix="/0000"),
    "unknown signal": ping(HOST, suffix="/stop"),
    "signal in upper case": ping(HOST, suffix="/START"),
    "two slashes": ping(HOST, suffix="//start"),
    "two signals": ping(HOST, suffix="/start/fail"),
    "encoded signal": ping(HOST, suffix="/%73tart"),
    "encoded token": ping(HOST, token="%73vc_hb_" + "0" * 49),
    "short token": ping(HOST, token=UNKNOWN[:-1]),
    "long token": ping(HOST, token=UNKNOWN + "0"),
    "slug that creates": ping(HOST, token=UNKNOWN_KEY, suffix="/backup?create=1"),
    "signal as slug": ping(HOST, token=UNKNOWN_KEY, suffix="/start"),
    "slug in upper case": ping(HOST, token=UNKNOWN_KEY, suffix="/Backup"),
    "long slug": ping(HOST, token=UNKNOWN_KEY, suffix="/" + "b" * 65),
    "no token": ping(HOST, token=""),
    "token as bearer": b"GET /v1/heartbeats HTTP/1.1\r\nHost: inbox\r\nAuthorization: Bearer %TOKEN%\r\n\r\n",
    "signal and token as bearer": ping(HOST, "Authorization: Bearer %TOKEN%", token="start"),
    "from a browser": ping(HOST, "Accept: text/html,application/xhtml+xml", token=UNKNOWN),
    "PUT": ping(HOST, method="PUT"),
    "OPTIONS": ping(HOST, method="OPTIONS"),
    "GET with a body": ping(HOST, "Content-Length: 2", body=b"{}"),
    "HEAD with a body": ping(HOST, "Content-Length: 2", method="HEAD", body=b"{}"),
    "GET with a body that it does not announce": ping(HOST, body=b"{}"),
    "longer text": post(b"x" * 8193),
    "very long text": post(b"x" * 60_000),
    "compressed text": post(b"\x1f\x8b", "Content-Encoding: gzip"),
    "chunked text": ping(HOST, "Transfer-Encoding: chunked", method="POST", body=b"2\r\n{}\r\n0\r\n\r\n"),
    "expectation": post(b"{}", "Expect: 100-continue"),
    "closing": ping(HOST, "Connection: close"),
    "HTTP/1.0": ping(HOST).replace(b"HTTP/1.1", b"HTTP/1.0"),
    "bare LF": ping(HOST).replace(b"\r\n", b"\n"),
    "no host": ping(),
    "two hosts": ping(HOST, HOST),
    "two lengths": ping(HOST, "Content-Length: 0", "Content-Length: 2", method="POST", body=b"{}"),
    "folded field": ping(HOST, "User-Agent: a\r\n b"),
    "Latin-1": ping(HOST, "User-Agent: caf\xe9"),
    "two pings": ping(HOST) + ping(HOST, suffix="/fail"),
    "smuggled behind a text": post(b"{}") + ping(HOST, suffix="/fail"),
}
"""Left to gunicorn, byte for byte."""
