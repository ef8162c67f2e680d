"""Keeps the service's processes running: restarts dead ones, stops them in order, leaves none behind."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from ops.children import Child, exclusive_lock
from ops.embedded import NotStarted
from ops.locks import Busy

STEADY_SECONDS = 60.0  # a process that ran at least this long is restarted at once
LONGEST_PAUSE = 5.0  # a process ended by a full disk is restarted this soon after space is free
TICK = 1.0


@dataclass(kw_only=True)
class Service:
    """One process to keep running. `start` starts the child and may raise; `grace` is its time to stop in seconds."""

    child: Child
    start: Callable[[], None]
    grace: float
    attempts: int = field(default=0, init=False)
    due: float = field(default=0.0, init=False)
    since: float = field(default=0.0, init=False)

    @property
    def name(self) -> str:
        return self.child.name


class Supervisor:
    """Services by start groups: the first group starts first and stops last. Signals are ours while it exists.

    The first SIGINT, SIGTERM or SIGHUP asks to stop, a second one means now. SIGHUP is ignored where it was ignored before:
    `nohup` says so.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say
        self.requested_signals: list[signal.Signals] = []
        self.start_groups: list[list[Service]] = []
        self._minute = 0.0
        self._reported = ""
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)
        signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # wakes the loop
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._ask)

    def add(self, services: Sequence[Service]) -> None:
        """Adds a start group after the others, and starts its services that do not run yet."""
        self.start_groups.append(list(services))
        for service in services:
            if not service.child.running:
                service.since = time.monotonic()
                service.start()
            self.say(f"{service.name} runs, pid {service.child.pid}")

    def run(self, *, until: Callable[[], bool] | None = None, every_minute: Callable[[], None] | None = None) -> None:
        """Keeps everything running until a stop is requested, or until `until` is true."""
        self._minute = time.monotonic()
        while not self.requested_signals and not (until and until()):
            now = time.monotonic()
            try:
                self._look_after_all(now, every_minute)
            except Exception as fault:  # noqa: BLE001 - nothing but a signal may end this loop
                self._report(fault)
            self.pause(0.1 if until else self._next(now))

    def stop(self) -> bool:
        """Stops the start groups, the last one first. Returns False when a process had to be killed."""
        clean = True
        while self.start_groups:
            group = self.start_groups.pop()
            for service in group:
                service.child.send(service.child.stop_signal)
            began = time.monotonic()
            for service in group:
                clean &= self._await_end(service, began)
        return clean

    def pause(self, seconds: float) -> None:
        """Sleeps, but no longer than until a signal comes or a child ends."""
        select.select([self._read], [], [], max(seconds, 0.0))
        with contextlib.suppress(BlockingIOError):
            os.read(self._read, 4096)

    def _look_after_all(self, now: float, every_minute: Callable[[], None] | None) -> None:
        for service in self._services():
            self._tend(service, now)
        if every_minute and now - self._minute > 60:
            self._minute = now
            every_minute()

    def _report(self, fault: Exception) -> None:
        """Reports a message once for as long as it is the same."""
        text = f"{type(fault).__name__}: {fault}"
        if text != self._reported:
            self._reported = text
            self.say(f"an error occurred, and the service continues: {text}")

    def _services(self) -> list[Service]:
        return [service for group in self.start_groups for service in group]

    def _next(self, now: float) -> float:
        waiting = [service.due - now for service in self._services() if not service.child.running]
        return min([TICK, *waiting])

    def _tend(self, service: Service, now: float) -> None:
        if service.child.running:
            return
        if service.since >= service.due:  # it has just ended
            service.attempts = 0 if now - service.since > STEADY_SECONDS else service.attempts + 1
            pause = min(0.25 * 2 ** max(service.attempts - 1, 0), LONGEST_PAUSE)
            service.due = now + pause
            self.say(f"{service.name} {ending(service.child)}, again in {pause:g} s{last_lines(service.child)}")
        elif now > service.due:
            service.since = now
            try:
                service.start()
                self.say(f"{service.name} runs again, pid {service.child.pid}")
            except (OSError, Busy, NotStarted) as fault:  # the pause grows
                self.say(f"{service.name} did not start: {fault}")

    def _await_end(self, service: Service, began: float) -> bool:
        while service.child.running:
            if time.monotonic() - began > service.grace or len(self.requested_signals) > 1:
                service.child.kill()
                self.say(f"{service.name} killed")
                return False
            self.pause(0.1)
        self.say(f"{service.name} stopped")
        return True

    def _ask(self, number: int, _: FrameType | None) -> None:
        self.requested_signals.append(signal.Signals(number))


def process(child: Child, *, locks: Path, grace: float) -> Service:
    """Returns a service whose child holds a lock file in `locks`. Two never run at once, even after a kill -9 of us."""

    def start() -> None:
        lock = exclusive_lock(locks / f"{child.name}.lock", child.argv[0])
        try:
            child.start(locks=[lock.fileno()])
            lock.write_pid(child.pid)
        finally:
            lock.release()

    return Service(child=child, start=start, grace=grace)


def ending(child: Child) -> str:
    """Returns how the child ended, in words."""
    code = child.returncode
    if code is not None and code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with {code}"


def last_lines(child: Child, count: int = 5) -> str:
    """Returns the last output, on separate lines."""
    lines: list[str] = []
    with contextlib.suppress(OSError):
        if child.log is not None and child.log.exists():
            with child.log.open("rb") as log:
                log.seek(max(0, log.seek(0, os.SEEK_END) - 8192))
                lines = log.read().decode(errors="replace").splitlines()[-count:]
    return "".join(f"\n    {line[:300]}" for line in lines)
