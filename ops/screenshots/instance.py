"""An instance for the pictures: a temporary data directory, an account, the sample workspace and its receiver."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

from inbox.runtime.distribution import ROOT
from ops.demo import receiver

EMAIL, NAME = "ada@demo.example.org", "Ada Weber"
READY_SECONDS = 300.0


class NotStarted(Exception):
    """The instance did not start, or a command failed. The text is its output."""


@dataclass
class Instance:
    """A running instance and the session of its administrator."""

    address: str
    cookies: list[dict[str, str]]

    def get(self, path: str) -> Any:
        """Returns the JSON of a read of the API."""
        header = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in self.cookies)
        request = urllib.request.Request(self.address + path, headers={"Cookie": header})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def ids(self) -> dict[str, str]:
        """Returns the ids of the records that addresses of screens name."""
        incidents = {one["title"]: one["id"] for one in self.get("/v1/incidents?limit=200")["items"]}
        return {
            "disk": incidents["Disk of db-1 is almost full"],
            "cards": incidents["Card payments fail at example-pay"],
            "orders": incidents["Orders are not confirmed"],
            "source": _named(self.get("/v1/sources"), "Payments"),
            "rule": _named(self.get("/v1/rules"), "Payment failures go on call"),
            "profile": _named(self.get("/v1/routing-profiles"), "On call"),
            "schedule": _named(self.get("/v1/schedules"), "Web shop"),
            "backup": _named(self.get("/v1/heartbeat-monitors"), "Nightly database backup"),
            "export": _named(self.get("/v1/heartbeat-monitors"), "Invoice export"),
            "destination": _named(self.get("/v1/destinations"), "Status board"),
            "delivery": self.get("/v1/deliveries?status=retrying&limit=1")["items"][0]["id"],
        }


@contextmanager
def started(directory: Path) -> Iterator[Instance]:
    """Runs the instance within the block, with the sample workspace. Its data are below the directory."""
    port, receiver_port = _free_port(), _free_port()
    address, data = f"http://127.0.0.1:{port}", directory / "var"
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    environment |= {"INBOX_DATA_DIR": str(data)}
    environment.pop("INBOX_SOURCE_KEY", None)
    log = directory / "up.log"
    up = [sys.executable, "-m", "ops.up", "--port", str(port), "--data-dir", str(data), "--no-build"]
    with log.open("wb") as lines:
        process = subprocess.Popen(
            [*up, "--web", "1", "--workers", "1"],
            cwd=ROOT, env=environment, stdout=lines, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
    try:
        _wait_until_ready(address, process, log)
        password = secrets.token_urlsafe(18)
        _run(
            environment,
            "user",
            "create",
            EMAIL,
            "--name",
            NAME,
            "--admin",
            "--no-workspace",
            "--password-stdin",
            answer=password,
        )
        with receiver.running(receiver_port, lambda _: None):
            _run(environment, "demo", "--port", str(receiver_port))
            yield Instance(address, sign_in(address, EMAIL, password))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _wait_until_ready(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + READY_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/readyz", timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise NotStarted(log.read_text(errors="replace"))


def _run(environment: dict[str, str], *words: str, answer: str = "") -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cli", *words],
        cwd=ROOT, env=environment, input=answer + "\n", capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise NotStarted(f"bin/inbox {words[0]}: {done.stderr or done.stdout}")


def sign_in(address: str, email: str, password: str) -> list[dict[str, str]]:
    """Returns the cookies of a new session, for a browser."""
    body = json.dumps({"email": email, "password": password}).encode()
    headers = {"Content-Type": "application/json", "Origin": address}
    request = urllib.request.Request(f"{address}/v1/auth/login", body, headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        set_cookies: Sequence[str] = answer.headers.get_all("Set-Cookie") or ()
    found = [morsel for line in set_cookies for morsel in SimpleCookie(line).values()]
    return [{"name": morsel.key, "value": morsel.value, "url": address} for morsel in found]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _named(page: dict[str, Any], name: str) -> str:
    return next(str(one["id"]) for one in page["items"] if one["name"] == name)
