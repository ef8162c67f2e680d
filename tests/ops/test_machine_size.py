"""Sizes that `bin/up` chooses on different machines, and the limits of a container."""

from __future__ import annotations

import math
import os
from dataclasses import fields
from pathlib import Path

import pytest

from inbox.config.settings import Settings
from ops.machine_size import CONNECTIONS_OF_A_PROCESS, MIB, PROCESS_BYTES, Machine, Sizes
from ops.postgres_settings import chosen
from ops.up import options_from

GIB = 1024 * MIB


@pytest.mark.parametrize(
    ("cores", "memory", "web", "workers", "buffers"),
    [
        (1, 400 * MIB, 1, 1, 64),
        (1, 512 * MIB, 1, 1, 64),
        (4, 512 * MIB, 1, 1, 64),
        (2, 600 * MIB, 2, 1, 75),
        (2, GIB, 2, 2, 128),
        (1, 2 * GIB, 2, 2, 256),
        (2, 24 * GIB, 2, 2, 1024),
        (4, 8 * GIB, 4, 4, 1024),
        (6, GIB, 3, 2, 128),
        (64, 256 * GIB, 8, 6, 1024),
    ],
)
def test_the_machine_decides(cores: int, memory: int, web: int, workers: int, buffers: int) -> None:
    sizes = Sizes.of(Machine(cores, memory))

    assert (sizes.web, sizes.workers, sizes.shared_buffers // MIB) == (web, workers, buffers)
    assert sizes.shared_buffers + (web + workers) * PROCESS_BYTES <= memory


@pytest.mark.parametrize(
    ("memory", "processes", "buffers"),
    [
        (24 * GIB, 0, 256),
        (24 * GIB, 2, 256),
        (24 * GIB, 3, 384),
        (24 * GIB, 4, 512),
        (24 * GIB, 7, 896),
        (24 * GIB, 8, 1024),
        (24 * GIB, 9, 1024),
        (2 * GIB - 8 * MIB, 2, 255),
        (2 * GIB, 2, 256),
        (2 * GIB + 8 * MIB, 2, 256),
        (512 * MIB, 2, 64),
    ],
)
def test_few_processes_have_few_buffers(memory: int, processes: int, buffers: int) -> None:
    sizes = Sizes.of(Machine(2, memory))

    assert sizes.postgres(processes)["shared_buffers"] == f"{buffers}MB"
    assert f"{buffers} MiB of buffers" in Machine(2, memory).described(processes, 0, sizes)


def test_all_processes_together_have_enough_connections() -> None:
    each = {field.name: field.default for field in fields(Settings)}["database_connections"]
    sizes = Sizes.of(Machine(2, 4 * GIB))

    assert sizes.postgres(4)["max_connections"] == "200"
    assert sizes.postgres(8)["max_connections"] == "200"
    assert sizes.postgres(9)["max_connections"] == "220"
    assert each == CONNECTIONS_OF_A_PROCESS


def test_the_sizes_replace_the_settings_of_postgres(tmp_path: Path) -> None:
    sizes = Sizes.of(Machine(1, 512 * MIB)).postgres(2)
    found = chosen(durable=True, sockets=tmp_path, sizes=sizes)

    assert (found["shared_buffers"], found["effective_cache_size"]) == ("64MB", "256MB")
    assert (found["maintenance_work_mem"], found["fsync"]) == ("32MB", "on")


@pytest.mark.parametrize(
    ("cpu", "memory", "expected"),
    [
        ("max 100000", "max", (math.inf, math.inf)),
        ("100000 100000", str(512 * MIB), (1, 512 * MIB)),
        ("50000 100000", str(GIB), (1, GIB)),
        ("100001 100000", "1", (2, 1)),
        ("nonsense", "", (math.inf, math.inf)),
        (None, None, (math.inf, math.inf)),
    ],
)
def test_the_limits_of_a_container_hold(
    tmp_path: Path, cpu: str | None, memory: str | None, expected: tuple[float, float]
) -> None:
    """The limit of a group above ours holds too."""
    (tmp_path / "system.slice" / "inbox.service").mkdir(parents=True)
    for name, text in (("cpu.max", cpu), ("memory.max", memory)):
        if text is not None:
            (tmp_path / "system.slice" / name).write_text(text + "\n")
    own_groups = tmp_path / "own"
    own_groups.write_text("1:name=systemd:/other\n0::/system.slice/inbox.service\n")
    whole = Machine(len(os.sched_getaffinity(0)), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))

    assert Machine.here(tmp_path, own_groups) == Machine(
        int(min(whole.cores, expected[0])), int(min(whole.memory, expected[1]))
    )


@pytest.mark.parametrize("limited", ["", "memory", "memory/system.slice", "memory/system.slice/inbox.service"])
def test_the_memory_limit_of_the_first_version_of_control_groups_holds(tmp_path: Path, limited: str) -> None:
    """The file above the mount is not of a group of memory."""
    (tmp_path / "memory" / "system.slice" / "inbox.service").mkdir(parents=True)
    (tmp_path / limited / "memory.limit_in_bytes").write_text(f"{512 * MIB}\n")
    own_groups = tmp_path / "own"
    own_groups.write_text("9:cpu,cpuacct:/other\n4:memory:/system.slice/inbox.service\n")
    whole = Machine(len(os.sched_getaffinity(0)), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))

    assert Machine.here(tmp_path, own_groups).memory == (min(whole.memory, 512 * MIB) if limited else whole.memory)


def test_explicit_sizes_override_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = Sizes.of(Machine.here())

    assert (options_from([]).web, options_from([]).workers) == (sizes.web, sizes.workers)
    assert (options_from(["--web", "1"]).web, options_from(["--workers", "0"]).workers) == (1, 0)
    monkeypatch.setenv("INBOX_WEB_WORKERS", "3")
    monkeypatch.setenv("INBOX_WORKERS", "2")
    assert (options_from([]).web, options_from([]).workers) == (3, 2)


def test_an_empty_address_or_port_means_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INBOX_HOST", "")
    monkeypatch.setenv("INBOX_PORT", "")

    assert (options_from([]).host, options_from([]).port) == ("127.0.0.1", 8080)


def test_the_choice_is_described() -> None:
    small = Machine(1, 512 * MIB)

    assert small.described(1, 1, Sizes.of(small)) == (
        "this machine has 1 core and 512 MiB of memory: 1 web process, 1 worker, 64 MiB of buffers for PostgreSQL"
        " (change it by --web and --workers)"
    )
    assert Machine(8, 16 * GIB).described(8, 0, None) == (
        "this machine has 8 cores and 16.0 GiB of memory: 8 web processes, 0 workers (change it by --web and --workers)"
    )
