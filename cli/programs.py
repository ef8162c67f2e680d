"""`inbox up`, `web`, `worker` and `scheduler`: the programs that run the service."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

PROGRAMS = {
    "up": (["ops.up"], "Run everything until Ctrl-C: PostgreSQL, Redis, web processes, workers and the scheduler."),
    "web": (["ops.run", "web"], "Run the web processes alone."),
    "worker": (["ops.run", "worker"], "Run one worker process, for all queues or for the named ones."),
    "scheduler": (["ops.run", "scheduler"], "Run the scheduler of periodic work."),
}
"""Each program: its module with fixed arguments, and its help."""


def add_to(commands: Any) -> None:
    """`up`, `web`, `worker` and `scheduler`. Each program reads its own options."""
    for name, (_, about) in PROGRAMS.items():
        commands.add_parser(name, help=about, add_help=False)


def start(name: str, arguments: Sequence[str], environ: Mapping[str, str]) -> NoReturn:
    """Replace this process by the program: signals reach the program, and nothing of this process stays in memory.

    Modules of the current directory must not replace those of the product: Python leaves that directory out.
    """
    module, _ = PROGRAMS[name]
    os.execve(sys.executable, [sys.executable, "-m", *module, *arguments], {**environ, "PYTHONSAFEPATH": "1"})
