"""gunicorn in our configuration: requests that are not HTTP, secrets in URLs, many open files."""

from __future__ import annotations

import json
import os
import resource
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

from inbox.config.settings import Settings
from tests.database.pgbouncer import environment_of
from tests.ops.processes import Reported, until
from tests.runner.ports import free_port

pytestmark = pytest.mark.slow

CANARY = "svc_hb_a-canary-that-nobody-may-see"


@dataclass
class Web:
    reported: Reported
    port: int

    def raw(self, request: bytes) -> tuple[int, dict[str, str], bytes]:
        """Send bytes; answers status, headers and body of what comes back until the end of the connection."""
        with socket.create_connection(("127.0.0.1", self.port), 60) as client:
            client.sendall(request)
            answer = b"".join(iter(lambda: client.recv(65_536), b""))
        head, _, body = answer.partition(b"\r\n\r\n")
        status, *lines = head.decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        return int(status.split()[1]), headers, body


@pytest.fixture(scope="module")
def web(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """For tests that leave it as it is."""
    with running(settings, tmp_path_factory.mktemp("web")) as web:
        yield web


@contextmanager
def running(settings: Settings, tmp_path: Path, **more: str) -> Iterator[Web]:
    """One web process on a free port; `more` of its environment."""
    port = free_port()
    environment = {
        **os.environ,
        **environment_of(settings),
        "REDIS_URL": settings.redis_url,
        "INBOX_SECRET_KEYS": settings.secret_keys,
        "INBOX_SIGNING_KEY": settings.signing_key,
        "INBOX_PORT": str(port),
        "INBOX_WEB_WORKERS": "1",
        "INBOX_DATA_DIR": str(tmp_path),
        **more,
    }
    reported = Reported(["-m", "ops.run", "web"], tmp_path / "web.log", environment)
    try:
        until(lambda: answers(port), "the web process answers")
        yield Web(reported, port)
    finally:
        reported.kill()


def answers(port: int) -> bool:
    try:
        return requests.get(f"http://127.0.0.1:{port}/healthz", timeout=2).status_code == 200
    except requests.RequestException:
        return False


UNREADABLE = {
    400: [
        f"GET /v1/heartbeats/{CANARY} HTTP/1.1 again\r\n\r\n",
        f"GET / HTTP/1.1\r\nHost: x\r\nAuthorization {CANARY}\r\n\r\n",
        f"POST /v1/heartbeats/{CANARY} HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        f"POST /{CANARY} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    414: [f"GET /{CANARY}{'a' * 33_000} HTTP/1.1\r\nHost: x\r\n\r\n"],
    431: [
        f"GET / HTTP/1.1\r\nHost: x\r\nCookie: {CANARY}{'a' * 9000}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\n" + "".join(f"X-{n}: {CANARY}\r\n" for n in range(120)) + "\r\n",
    ],
    501: [f"POST /{CANARY} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: rot13\r\n\r\n"],
}


def test_a_malformed_request_gets_problem_details_and_is_not_logged(web: Web) -> None:
    for expected, texts in UNREADABLE.items():
        for text in texts:
            status, headers, body = web.raw(text.encode())

            problem = json.loads(body)
            assert (status, problem["status"]) == (expected, expected), text[:200]
            assert headers["content-type"] == "application/problem+json"
            code = "uri_too_long" if status == 414 else "bad_request"
            assert problem["code"] == code
            assert problem["type"].endswith(f"/problems/{code}")
            assert problem["requestId"] == headers["x-request-id"]
            assert problem["requestId"] in web.reported.stated
            assert CANARY not in body.decode()
    assert CANARY not in web.reported.stated


def test_a_large_request_that_is_refused_early_still_gets_its_answer(web: Web) -> None:
    """Unread bytes at the end of a connection would reset it, and the answer with it."""
    head = f"GET / HTTP/1.1\r\nHost: x\r\nCookie: {'a' * 300_000}\r\n\r\n"

    status, _, body = web.raw(head.encode())

    assert status == 431
    assert json.loads(body)["status"] == 431


def test_a_stop_does_not_wait_for_connections_that_wait_for_their_next_request(
    settings: Settings, tmp_path: Path
) -> None:
    with (
        running(settings, tmp_path, GUNICORN_CMD_ARGS="--keep-alive 900 --graceful-timeout 900") as web,
        requests.Session() as client,
        socket.create_connection(("127.0.0.1", web.port), 60) as silent,
    ):
        client.get(f"http://127.0.0.1:{web.port}/healthz", timeout=30)

        web.reported.process.terminate()

        assert silent.recv(1) == b""
        assert web.reported.process.wait(90) == 0


def test_no_header_of_a_client_changes_the_scheme_or_the_path(web: Web) -> None:
    forged = {"X-Forwarded-Proto": "https", "X-Forwarded-Ssl": "on", "Script-Name": "/v1", "Path-Info": "/v1/me"}

    answer = requests.get(f"http://127.0.0.1:{web.port}/healthz", headers=forged, timeout=30)

    assert answer.status_code == 200
    assert answer.json() == {"status": "ok"}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_web_process_may_hold_as_many_streams_as_the_machine_allows(settings: Settings, tmp_path: Path) -> None:
    """The soft limit is often 1,024; a stream is an open file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 512), hard))
    try:
        with running(settings, tmp_path) as web:
            limits = Path(f"/proc/{web.reported.process.pid}/limits").read_text()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    line = next(line for line in limits.splitlines() if line.startswith("Max open files"))
    assert int(line.split()[3]) == min(hard, 65_536)


def test_a_secret_in_a_path_is_in_no_line_of_the_log(settings: Settings, tmp_path: Path) -> None:
    with running(settings, tmp_path) as web:
        requests.get(f"http://127.0.0.1:{web.port}/v1/heartbeats/{CANARY}", timeout=30)
        requests.get(f"http://127.0.0.1:{web.port}/nowhere?token={CANARY}", timeout=30)

        web.reported.process.terminate()
        assert web.reported.process.wait(90) == 0
    assert CANARY not in web.reported.stated
    lines = web.reported.stated.splitlines()
    assert all(json.loads(line)["application"] == "inbox-web" for line in lines if line.startswith("{"))
    assert "Warning" not in web.reported.stated
