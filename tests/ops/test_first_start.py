"""The first command of the README, as `bin/matrix` runs it: a start counts when the service answers and ends by Ctrl-C."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ops.processes import PROJECT

UP = f"""#!{sys.executable}
import http.server, os, signal, sys

class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"PAGE")

def end(*_):
    print("stopping", flush=True)
    os._exit(CODE)

signal.signal(signal.SIGINT, end)
server = http.server.HTTPServer(("127.0.0.1", int(os.environ["INBOX_PORT"])), Page)
print("Incident Inbox is at http://127.0.0.1:" + os.environ["INBOX_PORT"] + " (data in /var)", flush=True)
print("    http://127.0.0.1/setup#token=abc", flush=True)
server.serve_forever()
"""


def first_start(folder: Path, up: str) -> tuple[int, list[str]]:
    """The exit code and the lines where `bin/up` is this script."""
    for name in ("bin", "ops/matrix"):
        (folder / name).mkdir(parents=True)
    shutil.copy(PROJECT / "ops" / "matrix" / "first_start.py", folder / "ops" / "matrix")
    (folder / "bin" / "up").write_text(up)
    (folder / "bin" / "up").chmod(0o755)
    command = [sys.executable, folder / "ops" / "matrix" / "first_start.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_a_service_that_answers_and_ends_has_started(tmp_path: Path) -> None:
    code, lines = first_start(tmp_path, UP.replace("PAGE", "Hello").replace("CODE", "0"))

    assert code == 0
    assert lines[-2] == "stopping"
    assert lines[-1].startswith("bin/up answered after ")


@pytest.mark.parametrize(
    ("up", "fault"),
    [
        ("#!/bin/sh\necho broken\nexit 4\n", "bin/up ended with exit code 4 and printed no address and set-up link"),
        (UP.replace("PAGE", "The dashboard is not built: npm").replace("CODE", "0"), "the dashboard is not built"),
        (UP.replace("PAGE", "Hello").replace("CODE", "5"), "bin/up ended with exit code 5 after SIGINT"),
    ],
    ids=["ends", "has no dashboard", "fails at its end"],
)
def test_a_start_that_fails_says_why(up: str, fault: str, tmp_path: Path) -> None:
    code, lines = first_start(tmp_path, up)

    assert code == 1
    assert lines[-1].startswith(fault)
