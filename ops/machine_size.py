"""Chooses the number of processes that `bin/up` starts on this machine, and the memory of its PostgreSQL."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MIB = 1024 * 1024
PROCESS_BYTES = 100 * MIB
"""The memory of a web process or a worker under load, without memory that it shares with the others."""

CONNECTIONS_OF_A_PROCESS = 20
OTHER_CONNECTIONS = 40
LEAST_CONNECTIONS = 200

BUFFERS_OF_A_PROCESS = 128 * MIB
"""PostgreSQL writes to some 3 % of its buffers at its start. So a small number of processes should not cost as many buffers."""

CONTROL_GROUPS = Path("/sys/fs/cgroup")
OWN_GROUPS = Path("/proc/self/cgroup")


@dataclass(frozen=True)
class Machine:
    """The cores, and the memory in bytes, that this process may use."""

    cores: int
    memory: int

    @classmethod
    def here(cls, control_groups: Path = CONTROL_GROUPS, own_groups: Path = OWN_GROUPS) -> Machine:
        """Returns the machine within the limits of control groups (container, systemd unit); version 1: only memory."""
        if hasattr(os, "sched_getaffinity"):
            cores = len(os.sched_getaffinity(0))
        else:
            cores = os.cpu_count() or 1
        limits: list[tuple[float, float]] = [(cores, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))]
        for group in _groups(control_groups, _own_group(own_groups)):
            limits.append((_core_limit(group / "cpu.max"), _memory_limit(group / "memory.max")))
        for group in _groups(control_groups / "memory", _own_group(own_groups, "memory")):
            limits.append((math.inf, _memory_limit(group / "memory.limit_in_bytes")))
        return cls(*(int(min(found)) for found in zip(*limits, strict=True)))

    def described(self, web: int, workers: int, own: Sizes | None) -> str:
        """Returns the text in which `bin/up` describes its processes.

        `own` are the sizes of its own PostgreSQL, if it runs one.
        """
        cores = "1 core" if self.cores == 1 else f"{self.cores} cores"
        memory = f"{self.memory / 1024 / MIB:.1f} GiB" if self.memory >= 1024 * MIB else f"{self.memory // MIB} MiB"
        parts = [f"{web} web process{'es' if web > 1 else ''}", f"{workers} worker{'' if workers == 1 else 's'}"]
        parts += [f"{own.buffers(web + workers) // MIB} MiB of buffers for PostgreSQL"] if own else []
        return f"this machine has {cores} and {memory} of memory: {', '.join(parts)} (change it by --web and --workers)"


@dataclass(frozen=True)
class Sizes:
    """The web processes, the workers, and the settings of PostgreSQL that depend on the memory."""

    web: int
    workers: int
    shared_buffers: int
    cache: int
    maintenance: int

    @classmethod
    def of(cls, machine: Machine) -> Sizes:
        """Returns one process of each kind per core, at least two, as far as half of the memory suffices."""
        most = max(2, machine.memory // 2 // PROCESS_BYTES)
        return cls(
            web=min(max(2, machine.cores), 8, (most + 1) // 2),
            workers=min(max(2, machine.cores), 6, most // 2),
            shared_buffers=_between(64 * MIB, machine.memory // 8, 1024 * MIB),
            cache=machine.memory // 2,
            maintenance=_between(16 * MIB, machine.memory // 16, 256 * MIB),
        )

    def buffers(self, processes: int) -> int:
        """Returns the buffers of PostgreSQL for this many processes of the service, in bytes."""
        return min(self.shared_buffers, max(2, processes) * BUFFERS_OF_A_PROCESS)

    def postgres(self, processes: int) -> dict[str, str]:
        """Returns the settings of PostgreSQL for this many processes of the service."""
        connections = CONNECTIONS_OF_A_PROCESS * processes + OTHER_CONNECTIONS
        return {
            "shared_buffers": _megabytes(self.buffers(processes)),
            "effective_cache_size": _megabytes(self.cache),
            "maintenance_work_mem": _megabytes(self.maintenance),
            "max_connections": str(max(LEAST_CONNECTIONS, connections)),
        }


def _between(least: int, value: int, most: int) -> int:
    return max(least, min(value, most))


def _megabytes(size: int) -> str:
    return f"{size // MIB}MB"


def _groups(mount: Path, own: str) -> Iterator[Path]:
    """Yields our control group and its parents, up to the mount."""
    group = mount / own
    yield from (each for each in (group, *group.parents) if each == mount or mount in each.parents)


def _own_group(own_groups: Path, controller: str = "") -> str:
    """Returns the path of our control group below the mount, by default in version 2; empty where there is none."""
    try:
        lines = own_groups.read_text().splitlines()
    except OSError:
        return ""
    found = (line.split(":", 2) for line in lines if line.count(":") >= 2)
    return next((path.strip("/") for _, names, path in found if controller in names.split(",")), "")


def _core_limit(path: Path) -> float:
    """Returns the cores of a line `<quota> <period>`, rounded up; infinite for `max` and for an empty line."""
    try:
        quota, period = path.read_text().split()
        return math.inf if quota == "max" else max(1, math.ceil(int(quota) / int(period)))
    except (OSError, ValueError):
        return math.inf


def _memory_limit(path: Path) -> float:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return math.inf
