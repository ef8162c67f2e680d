"""The first command of the README in a fresh clone: `bin/up` prints its address, answers, and ends by Ctrl-C.

Standard library only: it runs with the Python of a bare system, before anything is installed. Arguments are the command of an
installed wheel, instead of `bin/up`.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.request import urlopen

PROJECT = Path(__file__).resolve().parent.parent.parent
ADDRESS = re.compile(r"Incident Inbox is at (http://\S+)")
LINK = "#token="
NOT_BUILT = b"The dashboard is not built"
START_SECONDS, STOP_SECONDS = 3600.0, 120.0


def main(command: Sequence[str]) -> int:
    """Answers 0 when everything held; else says what did not.

    1. Start the command and print what it says, until the set-up link follows the address.
    2. Fetch the page of the dashboard and the OpenAPI document.
    3. Interrupt it, and wait for its end.
    """
    begin, name = time.monotonic(), " ".join([Path(command[0]).name, *command[1:]]) if command else "bin/up"
    up = subprocess.Popen(
        command or [str(PROJECT / "bin" / "up")],
        env={**os.environ, "INBOX_PORT": str(_free_port())},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    _kill_after(START_SECONDS, up)
    if not (address := _printed_address(up)):
        return _failed(f"{name} ended with exit code {up.wait()} and printed no address and set-up link")
    started_after = time.monotonic() - begin
    faults = [fault for path in ("/", "/v1/openapi.json") if (fault := _fault_of(address + path))]
    up.send_signal(signal.SIGINT)
    _kill_after(STOP_SECONDS, up)
    for line in up.stdout or ():
        print(line, end="", flush=True)
    code = up.wait()
    if code != 0:
        faults.append(f"{name} ended with exit code {code} after SIGINT")
    if faults:
        return _failed("; ".join(faults))
    print(f"{name} answered after {started_after:.0f} s", flush=True)
    return 0


def _kill_after(seconds: float, up: subprocess.Popen[str]) -> None:
    """Kills it if it still runs then. The end of this program does not wait for that."""
    timer = threading.Timer(seconds, up.kill)
    timer.daemon = True
    timer.start()


def _free_port() -> int:
    """Returns a free port. A bare system shares the network of its machine, where a service may use the usual port."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _printed_address(up: subprocess.Popen[str]) -> str:
    """Returns the address, once the link has been printed too; empty when `bin/up` ended before."""
    address = ""
    for line in up.stdout or ():
        print(line, end="", flush=True)
        if found := ADDRESS.search(line):
            address = found[1]
        if address and LINK in line:
            return address
    return ""


def _fault_of(address: str) -> str:
    try:
        with urlopen(address, timeout=60) as answer:
            return "the dashboard is not built" if NOT_BUILT in answer.read() else ""
    except OSError as fault:
        return f"{address} did not answer: {fault}"


def _failed(text: str) -> int:
    print(text, flush=True)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
