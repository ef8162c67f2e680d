"""The two blocks of the README run unchanged, and give an incident, a stream line and a verified webhook."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.faults.service_processes import PROJECT, until
from tests.runner.ports import free_port
from tests.runner.programs import needs_curl
from tests.up import Up, started

pytestmark = [needs_curl, pytest.mark.slow, pytest.mark.xdist_group("faults")]

README = (PROJECT / "README.md").read_text()

ROUTED = "until ask $INBOX/v1/incidents | grep -q open; do sleep 0.2; done\n"
"""Stands for the README's pause, which a busy machine may outlast."""


def first_event_block() -> str:
    block = re.search(r"## A first event.*?```sh\n(.*?)```", README, re.DOTALL)
    assert block is not None
    return block.group(1)


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    with started(tmp_path) as service:
        yield service


def cookie(jar: Path) -> dict[str, str]:
    lines = [line.removeprefix("#HttpOnly_").split("\t") for line in jar.read_text().splitlines()]
    return {fields[5]: fields[6] for fields in lines if len(fields) == 7}


def test_the_readme_from_the_first_command_to_the_verified_webhook_and_pasted_once_more(up: Up, tmp_path: Path) -> None:
    address = up.address
    receiver_port = str(free_port())
    script = first_event_block().replace("http://127.0.0.1:8080", address).replace("9099", receiver_port)
    script, stream = script.rsplit("ask -N ", 1)
    assert stream.strip() == "$INBOX/v1/stream"
    script = script.replace("docs/examples", str(PROJECT / "docs/examples"))
    script = script.replace("bin/inbox ", f"{PROJECT / 'bin/inbox'} ")
    assert script.count("sleep 1\n") == 1
    script = script.replace("sleep 1\n", ROUTED)
    print_key = '\necho "KEY=$KEY"\nwait\n'
    repeated = script.replace(ROUTED, 'echo "PASTED TWICE"\n')
    out = tmp_path / "out"
    shell = subprocess.Popen(
        ["bash", "-e", "-c", f"cd {tmp_path}\n{script}{repeated}{print_key}"],
        env={**os.environ, "INBOX_DATA_DIR": str(up.data)},
        stdout=out.open("wb"), stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        until(lambda: "verified incident.opened Backup of db-1 failed" in out.read_text(), out.read_text(), 180)
        key = until(lambda: re.search(r"KEY=(\S+)", out.read_text()), "the key is made", 90).group(1)
        assert "PASTED TWICE" in out.read_text() and '"code"' not in out.read_text()
        assert not re.search(r"\}(?:\{|KEY|PASTED)", out.read_text()), "an answer did not end its line"
        until(lambda: '"state":"open"' in out.read_text().replace(" ", ""), "the incident is listed", 90)

        with requests.get(f"{address}/v1/stream", cookies=cookie(tmp_path / "jar"), stream=True, timeout=30) as lines:
            reported = (line.decode() for line in lines.iter_lines())
            assert any('"resync"' in line for line in reported)
            resolve(address, key)
            assert any('"type":"incident"' in line.replace(" ", "") for line in reported)
        until(lambda: "verified incident.resolved" in out.read_text(), "the end is told too", 90)
    finally:
        os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()


def resolve(address: str, key: str) -> None:
    event = {"title": "Backup of db-1 is back", "action": "resolve", "dedupKey": "backup:db-1"}
    answer = requests.post(f"{address}/v1/events", json=event, headers={"Authorization": f"Bearer {key}"}, timeout=60)
    assert answer.status_code == 202
