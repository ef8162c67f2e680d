"""CPU time and memory of processes, from `/proc`."""

from __future__ import annotations

import os
from pathlib import Path


def family(pid: int) -> list[int]:
    """Returns the process and its children, where `/proc` lists them; else the process alone."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        children = []
    return [pid, *map(int, children)]


def cpu_seconds(pid: int) -> float | None:
    """Returns CPU time of a process and its children so far; None where it cannot be measured.

    Children that have ended count, too. Otherwise a closed connection of the database would take its time away.
    """
    total = 0
    for member in family(pid):
        try:
            fields = Path(f"/proc/{member}/stat").read_text().rpartition(")")[2].split()
            spent = fields[11:15] if member == pid else fields[11:13]
        except OSError:
            if member == pid:
                return None
            continue  # a child that has just ended
        total += sum(map(int, spent))
    return total / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid: int) -> int:
    """Returns the memory of one process. Raises `OSError` where `/proc` has no figure."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
