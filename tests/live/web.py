"""Real web processes, and clients that follow their stream."""

from __future__ import annotations

import http.client
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from inbox.config.settings import Settings, variable
from ops.children import Child, wait_until
from tests.cast import Cast
from tests.runner.ports import free_port

ROOT = Path(__file__).parent.parent.parent
SECONDS = 60.0
"""No test waits longer for a condition."""


def until(condition: Callable[[], Any], seconds: float = SECONDS, *, every: float = 0.02) -> None:
    assert wait_until(lambda: bool(condition()), seconds, every=every), "it did not come true"


@dataclass
class Web:
    """A gunicorn with its workers, as an operator runs it."""

    child: Child
    port: int
    log: Path

    @classmethod
    @contextmanager
    def start(cls, settings: Settings, folder: Path, *, workers: int = 2, port: int = 0) -> Iterator[Web]:
        port = port or free_port()
        values = {variable(field.name): getattr(settings, field.name) for field in fields(Settings)}
        chosen = {name: spelled(value) for name, value in values.items() if isinstance(value, str | int)}
        chosen |= {"INBOX_PORT": str(port), "INBOX_WEB_WORKERS": str(workers), "INBOX_LOG_LEVEL": "INFO"}
        python = ROOT / ".venv" / "bin" / "python"
        log = folder / "web.log"
        web = cls(
            Child(
                name="web",
                argv=[python, "-m", "gunicorn", "-c", "gunicorn.conf.py"],
                env={**os.environ, **chosen},
                cwd=ROOT,
                log=log,
            ),
            port,
            log,
        )
        web.child.start()
        try:
            until(web.answers, 60)
            yield web
        finally:
            web.child.stop(grace=15)

    def answers(self) -> bool:
        assert self.child.running, self.log.read_text()
        with suppress(OSError):
            return self.get("/healthz").status == 200
        return False

    def get(self, path: str, **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        connection.request("GET", path, headers=headers)
        return connection.getresponse()

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and JSON of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def follow(self, cookie: str) -> Follower:
        """A client that is signed in with this token; it has been answered when this returns."""
        return self._follow({"Cookie": f"inbox_session_8080={cookie}"})

    def follow_by_device(self, access_token: str) -> Follower:
        """A paired phone with this token; it has been answered when this returns."""
        return self._follow({"Authorization": f"Bearer {access_token}"})

    def _follow(self, headers: dict[str, str]) -> Follower:
        """A process that has just started may answer 503, with the database busy. Its stream is opened again."""
        last = time.monotonic() + SECONDS
        while (follower := Follower(self.port, headers)).status == 503 and time.monotonic() < last:
            follower.close()
            time.sleep(0.5)
        return follower


class Follower:
    """Reads the stream until it ends or is left; everything it was sent stands in `lines`."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port)
        self._connection.connect()
        self._socket = self._connection.sock
        self._connection.request("GET", "/v1/stream", headers=headers)
        self.response = self._connection.getresponse()
        self.status = self.response.status
        self.lines: list[str] = []
        self.ended = threading.Event()
        self.cleanly = False
        if self.status == 200:
            threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the stream."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        if self.status == 200:
            assert self.ended.wait(SECONDS)
        self._socket.close()

    @property
    def reported(self) -> list[dict[str, Any]]:
        """The references and resyncs, in order."""
        return [json.loads(line.removeprefix("data: ")) for line in tuple(self.lines) if line.startswith("data: ")]

    @property
    def resyncs(self) -> int:
        return sum(each["type"] == "resync" for each in self.reported)

    def arrived(self, id: str) -> bool:
        return any(reference.get("id") == id for reference in self.reported)

    def _read(self) -> None:
        try:
            while line := self.response.readline():
                self.lines.append(line.decode().rstrip("\n"))
            self.cleanly = True
        except (OSError, http.client.HTTPException, ValueError, AttributeError):
            pass
        finally:
            self.ended.set()


def spelled(value: object) -> str:
    """A setting as its variable is written."""
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def follow_as(web: Web, cast: Cast, name: str) -> Follower:
    """That person's client, past its first resync."""
    follower = web.follow(cast.cookie(name))
    assert follower.status == 200
    until(lambda: follower.resyncs == 1)
    return follower
