"""`wrap -- COMMAND`: runs a job and reports its start, exit code and last output to a heartbeat monitor.

The instance never affects the job: it starts at once, and its exit code is the exit code of `wrap`.
"""

from __future__ import annotations

import argparse
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
import uuid
from typing import IO, Any

from agent.client import REQUEST_SECONDS, Away, Client, Refused
from agent.commands import PIECE, Tail, exit_code
from agent.deadline import Call, Overdue, within
from agent.delivery import Post, deliver
from agent.earlier import PINGS, TEXT_TYPE, report_before_end, report_before_start, report_in_background
from agent.options import HEARTBEAT_TOKEN, Unusable, add_instance, address_of, credential_of, readable, warn
from agent.retry import retry_in_background
from agent.spool import Spool

KEPT_BYTES = 9000
NOT_FOUND, NOT_EXECUTABLE = 127, 126
START_SECONDS = 5.0
END_SECONDS = 10.0
END_LIMIT = END_SECONDS / 4 + 2 * REQUEST_SECONDS + 2.5
"""The maximum time for the end of a job: waiting for another process, sending earlier ends, and its own end."""

OUTPUT_SECONDS = 2.0
"""The time to wait for output of a child that stays in the background."""

LOOK_SECONDS = 0.5
"""The interval of checks for the end of the job where output is copied without threads."""

FORWARDED = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")


def add_wrap(commands: Any) -> None:
    """Adds the command."""
    about = "Run a job and report its start, exit code and output to a heartbeat monitor."
    made = commands.add_parser(
        "wrap", help=about, description=about + " The token of the monitor comes from " + HEARTBEAT_TOKEN + "."
    )
    add_instance(made, HEARTBEAT_TOKEN)
    made.add_argument("--no-output", action="store_true", help="do not capture or report the output of the job")
    made.add_argument("job", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="the job with its arguments")
    made.set_defaults(act=wrap)


def wrap(options: argparse.Namespace) -> int:
    """Runs the job. Returns its exit code, whatever happens to the reports. Raises `Unusable` without a job."""
    job = options.job[1:] if options.job[:1] == ["--"] else options.job
    if not job:
        raise Unusable("Write the job after `--`: wrap -- /usr/local/bin/backup.sh")
    reporter = _reporter(options)
    if reporter is not None:
        reporter.start()
    code, output = run_job(job, has_output=not options.no_output)
    if reporter is not None:
        reporter.end(code, output)
    return code


class Reporter:
    """The reports of one run. None raises, and none takes longer than its limit."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._spool = Spool(client.address, client.credential)
        self._run = f"?rid={uuid.uuid4()}"
        self._starting: Call | None = None
        self._is_over = False

    def start(self) -> None:
        """Reports the start in the background, after the ends of earlier runs."""
        self._starting = Call(self._send_start)

    def end(self, code: int, output: str) -> None:
        """Reports the exit code and the output now, else from the background or with the next run."""
        path = f"{PINGS}/{code}{self._run}"
        self._await_start()
        try:
            within(END_LIMIT, lambda: self._send_end(path, output))
        except Overdue:
            warn("the instance took too long")
        except Exception as fault:  # noqa: BLE001 - no failure of a report becomes one of the job
            warn(f"the end of the job was not reported: {fault}")
        retry_in_background(self._spool, lambda: report_in_background(self._client, self._spool, START_SECONDS))

    def _await_start(self) -> None:
        try:
            if self._starting is not None:
                self._starting.result(START_SECONDS)
        except Exception:  # noqa: BLE001 - the end is reported whatever became of the start
            warn("the start of the job may not be reported")
        self._is_over = True

    def _send_end(self, path: str, output: str) -> None:
        deliver(self._client, self._spool, Post(path, output, TEXT_TYPE), END_SECONDS, report_before_end)

    def _send_start(self) -> None:
        try:
            if report_before_start(self._client, self._spool, START_SECONDS) and not self._is_over:
                self._client.post(f"{PINGS}/start{self._run}", b"", TEXT_TYPE)
        except (Away, Refused) as fault:
            warn(f"the start of the job was not reported: {fault}")


class SignalForwarder:
    """Passes signals on to the job. The terminal sends an interrupt to both, so `wrap` does nothing with it.

    The signals are handled before the job starts: one that arrives meanwhile waits for `forward_to`. A signal that the
    caller ignores stays ignored, as after `nohup`, and the job inherits that.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._waiting: list[int] = []
        for name in FORWARDED:
            number = getattr(signal, name, None)
            if number is not None:
                _handle(number, self._forward)
        _handle(signal.SIGINT, lambda *_: None)

    def forward_to(self, process: subprocess.Popen[bytes]) -> None:
        """Passes on the signals that have arrived, and each later signal at once."""
        self._process = process
        while self._waiting:
            self._forward(self._waiting.pop(0), None)

    def _forward(self, number: int, _: Any) -> None:
        if self._process is None:
            self._waiting.append(number)
            return
        try:
            self._process.send_signal(number)
        except OSError:
            pass


def _handle(number: int, handler: Any) -> None:
    if signal.getsignal(number) is not signal.SIG_IGN:
        signal.signal(number, handler)


def run_job(job: list[str], *, has_output: bool) -> tuple[int, str]:
    """Runs the job.

    Passes on its output. Returns its exit code in the form of a shell, and the end of the output.
    """
    pipe = subprocess.PIPE if has_output else None
    forwarder = SignalForwarder()
    try:
        process = subprocess.Popen(job, stdout=pipe, stderr=pipe)
    except OSError as fault:
        warn(f"{job[0]}: {fault.strerror}")
        code = NOT_FOUND if isinstance(fault, FileNotFoundError) else NOT_EXECUTABLE
        return code, readable(f"{job[0]}: {fault.strerror}")
    forwarder.forward_to(process)
    tail = Tail(KEPT_BYTES)
    copies = [
        Copy(stream, to, tail)
        for stream, to in ((process.stdout, sys.stdout), (process.stderr, sys.stderr))
        if stream is not None
    ]
    _copy_here(process, [copy for copy in copies if not copy.start()])
    code = process.wait()
    for copy in copies:
        copy.join(OUTPUT_SECONDS)
    return exit_code(code) or 0, tail.text()


def _reporter(options: argparse.Namespace) -> Reporter | None:
    """Returns the reporter. A mistake in the options must not keep the job from running."""
    try:
        return Reporter(Client(address_of(options), credential_of(options, HEARTBEAT_TOKEN)))
    except Exception as fault:  # noqa: BLE001 - whatever is wrong, the job starts
        warn(f"the job runs without reporting: {fault}")
        return None


class Copy:
    """Copies one output of the job to `to` and keeps its end. A closed `to` does not stop the job."""

    def __init__(self, stream: IO[bytes], to: Any, tail: Tail) -> None:
        self.stream = stream
        self._to, self._tail = to, tail
        self._is_open = True
        self._thread: threading.Thread | None = None

    def start(self) -> bool:
        """Starts to copy in a thread. Returns False without a free thread."""
        thread = threading.Thread(target=self._run, daemon=True)
        try:
            thread.start()
        except RuntimeError:
            return False
        self._thread = thread
        return True

    def join(self, seconds: float) -> None:
        """Waits for the end of the output."""
        if self._thread is not None:
            self._thread.join(seconds)

    def step(self) -> bool:
        """Copies the next piece. Returns False at the end."""
        try:
            piece = os.read(self.stream.fileno(), PIECE)
        except (OSError, ValueError):
            return False
        self._tail.add(piece)
        self._is_open = self._is_open and _written(self._to, piece)
        return bool(piece)

    def _run(self) -> None:
        while self.step():
            pass


def _copy_here(process: subprocess.Popen[bytes], copies: list[Copy]) -> None:
    """Copies without threads until the outputs end, or a while after the end of the job."""
    if not copies:
        return
    warn("no thread can start on this machine")
    until = float("inf")
    with selectors.DefaultSelector() as selector:
        for copy in copies:
            selector.register(copy.stream, selectors.EVENT_READ, copy)
        while selector.get_map() and time.monotonic() < until:
            for key, _ in selector.select(LOOK_SECONDS):
                if not key.data.step():
                    selector.unregister(key.fileobj)
            if process.poll() is not None:
                until = min(until, time.monotonic() + OUTPUT_SECONDS)


def _written(to: Any, piece: bytes) -> bool:
    try:
        while piece:
            piece = piece[os.write(to.fileno(), piece) :]
    except (OSError, ValueError, AttributeError):
        return False
    return True
