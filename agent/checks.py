"""The checks of a host: disks, memory, load, units of systemd, and commands."""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Dict, NamedTuple

from agent.commands import run_command
from agent.deadline import Call, Overdue

MOST_CHECKS = 50
LONGEST_NAME = 64
LONGEST_MESSAGE = 1000
MEMORY_FILE = "/proc/meminfo"

Report = Dict[str, str]


class HostCheck(NamedTuple):
    """A named check. `examine` gets its time limit in seconds and returns a report."""

    name: str
    examine: Callable[[float], Report]


class Limits(NamedTuple):
    """The values from which a check warns and fails."""

    warn: float
    fail: float


def report(status: str, message: str) -> Report:
    """Returns the result of a check."""
    return {"status": status, "message": message.strip()[:LONGEST_MESSAGE]}


def measured(value: float, limits: Limits, message: str) -> Report:
    """Returns the result of a check that measures a value."""
    if value >= limits.fail:
        return report("fail", message)
    return report("warn" if value >= limits.warn else "ok", message)


def disk_check(path: str, limits: Limits) -> HostCheck:
    """Returns a check of a file system: used space in percent, as `df` shows it, and inodes."""

    def examine(_: float) -> Report:
        found = os.statvfs(path)
        space = _used(found.f_blocks - found.f_bfree, found.f_bavail)
        inodes = _used(found.f_files - found.f_ffree, found.f_favail)
        free = found.f_bavail * found.f_frsize / 1024**3
        message = f"{space:.0f} % used, {free:.1f} GiB free"
        if inodes > space and inodes >= limits.warn:
            message += f", {inodes:.0f} % of inodes used"
        return measured(max(space, inodes), limits, message)

    return HostCheck(f"disk {path}", examine)


def memory_check(limits: Limits) -> HostCheck:
    """Returns a check of the used memory in percent: all memory that a new program could not have."""

    def examine(_: float) -> Report:
        values: dict[str, int] = {}
        with open(MEMORY_FILE, encoding="ascii") as file:
            for line in file:
                name, rest = line.split(":", 1)
                values[name] = int(rest.split()[0])
        total, available = values["MemTotal"], values["MemAvailable"]
        used = 100.0 * (total - available) / total
        message = f"{used:.0f} % used, {available / 1024**2:.1f} GiB available"
        return measured(used, limits, message)

    return HostCheck("memory", examine)


def load_check(limits: Limits) -> HostCheck:
    """Returns a check of the load of the last five minutes for each processor."""

    def examine(_: float) -> Report:
        load, processors = os.getloadavg()[1], os.cpu_count() or 1
        message = f"{load:.2f} over 5 minutes with {processors} processors"
        return measured(load / processors, limits, message)

    return HostCheck("load", examine)


def unit_check(unit: str) -> HostCheck:
    """Returns a check that a unit of systemd is active."""

    def examine(seconds: float) -> Report:
        finished = run_command(["systemctl", "is-active", "--", unit], seconds)
        state = finished.output.strip().splitlines()[-1:] or ["unknown"]
        if finished.code is None:
            return report("fail", f"systemctl did not answer within {seconds:.0f} s")
        if state[0] in ("active", "reloading"):
            return report("ok", state[0])
        return report("warn" if state[0] == "activating" else "fail", state[0])

    return HostCheck(unit, examine)


def command_check(name: str, command: str, *, is_plugin: bool) -> HostCheck:
    """Returns a check of the exit code of a command: 0 is ok, any other fails. Of a monitoring plugin, 1 warns."""

    def examine(seconds: float) -> Report:
        finished = run_command(command, seconds)
        if finished.code is None:
            return report("fail", f"did not end within {seconds:.0f} s\n{finished.output}")
        if finished.code == 0:
            return report("ok", finished.output)
        status = "warn" if is_plugin and finished.code == 1 else "fail"
        return report(status, f"exit code {finished.code}\n{finished.output}")

    return HostCheck(name, examine)


class Examination:
    """Runs checks at the same time. A check that never returns delays no other, and is not started a second time."""

    def __init__(self, checks: list[HostCheck], seconds: float) -> None:
        self._checks, self._seconds = checks, seconds
        self._calls: dict[str, Call] = {}

    def run(self) -> list[dict[str, Any]]:
        """Returns the results of all checks for a check-in, within the time limit and a few seconds."""
        started = {}
        for check in self._checks:
            former = self._calls.get(check.name)
            if former is None or not former.is_running:
                self._calls[check.name] = started[check.name] = Call(self._work(check))
        until = time.monotonic() + self._seconds + 4.0
        return [{"name": check.name, **self._result(started.get(check.name), until)} for check in self._checks]

    def _work(self, check: HostCheck) -> Callable[[], Report]:
        return lambda: check.examine(self._seconds)

    def _result(self, call: Call | None, until: float) -> Report:
        if call is None:
            return report("fail", "still runs since an earlier check-in")
        try:
            found: Report = call.result(until - time.monotonic())
            return found
        except Overdue:
            return report("fail", f"did not end within {self._seconds:.0f} s")
        except Exception as fault:  # noqa: BLE001 - a check that cannot look has found something
            return report("fail", f"{type(fault).__name__}: {fault}")


def _used(used: int, available: int) -> float:
    total = used + available
    return 100.0 * used / total if total else 0.0
