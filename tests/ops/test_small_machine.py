"""`bin/up` in 512 MB: events, an incident and its webhook, without a process killed for lack of memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
import requests

from bench.load import batch
from ops.machine_size import CONTROL_GROUPS, MIB
from tests.faults.service_processes import EMAIL, PASSWORD
from tests.ops.processes import PROJECT, lives, until
from tests.runner.ports import free_port
from tests.stand_ins.receivers import SECRET, Receiver

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("up")]

MEMORY = 512 * MIB
BATCHES = 30
NO_GROUP = "no control group with a memory limit can be made here: this needs root and a writable /sys/fs/cgroup"


@dataclass(frozen=True)
class ControlGroup:
    """A control group of this test. `limits` are the files that hold its memory, `kills` counts processes killed for it."""

    path: Path
    limits: tuple[str, ...]
    kills: str

    def limit(self, size: int) -> None:
        for name in self.limits:
            (self.path / name).write_text(str(size if "swap" not in name else 0))

    def killed(self) -> int:
        """How many processes were killed for want of memory."""
        counts = dict(line.split() for line in (self.path / self.kills).read_text().splitlines())
        return int(counts["oom_kill"])

    def command(self, words: list[str]) -> list[str]:
        """The command, in the group from its first moment on."""
        return ["sh", "-c", f'echo $$ > {self.path}/cgroup.procs && exec "$@"', "sh", *words]


def candidates() -> Iterator[ControlGroup]:
    """Of the second version of control groups, and of the first one."""
    name = f"inbox-test-{uuid4().hex[:8]}"
    yield ControlGroup(CONTROL_GROUPS / name, ("memory.max", "memory.swap.max"), "memory.events")
    yield ControlGroup(CONTROL_GROUPS / "memory" / name, ("memory.limit_in_bytes",), "memory.oom_control")


@pytest.fixture
def group() -> Iterator[ControlGroup]:
    """A control group with 512 MB."""
    made = next((each for each in candidates() if has_limit(each)), None)
    if made is None:
        pytest.skip(NO_GROUP)
    yield made
    until(lambda: not (made.path / "cgroup.procs").read_text(), "the group is empty")
    made.path.rmdir()


def has_limit(group: ControlGroup) -> bool:
    """Make the group with its limit; False where that is not possible."""
    try:
        group.path.mkdir()
    except OSError:
        return False
    if all((group.path / name).exists() for name in group.limits):  # the kernel makes them where the limit can be set
        with suppress(OSError):
            group.limit(MEMORY)
            return True
    group.path.rmdir()
    return False


def test_bin_up_runs_in_512_mb_with_events_an_incident_and_a_webhook(group: ControlGroup, tmp_path: Path) -> None:
    port, log = free_port(), tmp_path / "up.log"
    given = {"INBOX_ADMIN_EMAIL": EMAIL, "INBOX_ADMIN_PASSWORD": PASSWORD, "INBOX_RATE_LIMITS": "off"}
    inherited = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    up = [sys.executable, "-m", "ops.up", "--no-build", "--data-dir", str(tmp_path / "var"), "--port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(
            group.command(up), cwd=PROJECT, env=inherited | given, stdout=output, stderr=output, start_new_session=True
        )
    try:
        until(lambda: "Incident Inbox is at" in log.read_text(), "it is up", 180)
        assert "and 512 MiB of memory: 1 web process, 1 worker, 64 MiB of buffers" in log.read_text()
        with Receiver() as receiver:
            works(port, receiver)
    finally:
        family = [int(each) for each in (group.path / "cgroup.procs").read_text().split()]
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0

    assert group.killed() == 0
    assert "again in" not in log.read_text()
    assert len(family) > 8
    assert not any(lives(pid) for pid in family)


def works(port: int, receiver: Receiver) -> None:
    """Thousands of events are accepted and routed, one of them is an incident, and its webhook arrives."""
    address = f"http://127.0.0.1:{port}"
    with requests.Session() as person:
        person.headers["Origin"] = address
        signed_in = person.post(f"{address}/v1/auth/login", json={"email": EMAIL, "password": PASSWORD}, timeout=60)
        assert signed_in.status_code == 200
        about = {"workspaceId": person.get(f"{address}/v1/workspaces", timeout=60).json()["items"][0]["id"]}
        source = person.post(f"{address}/v1/sources", json={**about, "name": "Small"}, timeout=60).json()["id"]
        key = person.post(f"{address}/v1/sources/{source}/keys", json={"name": "k"}, timeout=60).json()["secret"]
        bearer = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        for number in range(BATCHES):
            sent = person.post(f"{address}/v1/events", data=batch(number, 500), headers=bearer, timeout=60)
            assert sent.status_code == 202
        config = {"url": receiver.url, "secret": SECRET}
        made = {**about, "name": "Receiver", "kind": "webhook", "config": config}
        destination = person.post(f"{address}/v1/destinations", json=made, timeout=60).json()["id"]
        route = f"{address}/v1/workspaces/{about['workspaceId']}/default-route"
        assert person.put(route, json={"destinationIds": [destination]}, timeout=60).status_code == 200
        event = {"title": "The disk is full", "severity": "CRITICAL", "dedupKey": "disk"}
        assert person.post(f"{address}/v1/events", json=event, headers=bearer, timeout=60).status_code == 202

        until(lambda: any(b"The disk is full" in each.body for each in receiver.requests), "the webhook arrives", 120)
        pending = f"{address}/v1/events?disposition=pending&limit=1"
        until(lambda: not person.get(pending, timeout=60).json()["items"], "all events are routed", 120)
        titles = [each["title"] for each in person.get(f"{address}/v1/incidents?limit=50", timeout=60).json()["items"]]
        assert "The disk is full" in titles
