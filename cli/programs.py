"""The programs that run the service, and the commands of the agent. Each replaces this process."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from cli.command import environment
from inbox.runtime.distribution import IS_CHECKOUT, ROOT, typed
from ops.datadir import Unreadable

PROGRAMS = {
    "up": (["ops.up"], "Run everything until Ctrl-C: PostgreSQL, Redis, web processes, workers and the scheduler."),
    "web": (["ops.run", "web"], "Run only the web processes."),
    "worker": (["ops.run", "worker"], "Run one worker process, for all queues or for the named ones."),
    "scheduler": (["ops.run", "scheduler"], "Run the scheduler of periodic work."),
    "mail-in": (["ops.run", "mail-in"], "Run the receiver of mails for sources, on INBOX_MAIL_IN_PORT."),
}
"""Each program: its module with fixed arguments, and its help."""


AGENT = {
    "watch": "Check in with the state of this host, once or until Ctrl-C.",
    "send": "Send an event. The source key comes from INBOX_SOURCE_KEY.",
    "wrap": "Run a job and report its start, exit code and output to a heartbeat monitor.",
}
"""The commands of the agent, which is also the file `inbox.py` for other machines."""

OF_CALLER = "CALLER_"
"""Before the name of a variable of Python: its value in the environment of the caller of `bin/inbox`."""

_RUN_AGENT = f"""
import os, sys
for name in [name for name in os.environ if name.startswith("{OF_CALLER}PYTHON")]:
    os.environ[name[{len(OF_CALLER)}:]] = os.environ.pop(name)
sys.path.insert(0, sys.argv.pop(1))
from agent.main import main
sys.exit(main(sys.argv[1:]))
"""


def add_to(commands: Any) -> None:
    """Adds the programs and the commands of the agent. Each reads its own options."""
    for name, about in AGENT.items():
        commands.add_parser(name, help=about, add_help=False)
    for name, (_, about) in PROGRAMS.items():
        commands.add_parser(name, help=about, add_help=False)


def start(name: str, arguments: Sequence[str], environ: Mapping[str, str]) -> NoReturn:
    """Replace this process by the program: signals reach the program, and nothing of this process stays in memory.

    Modules of the current directory must not replace modules of the product: Python leaves that directory out.
    """
    module, _ = PROGRAMS[name]
    os.execve(sys.executable, [sys.executable, "-m", *module, *arguments], {**environ, "PYTHONSAFEPATH": "1"})


def start_agent(arguments: Sequence[str], environ: Mapping[str, str]) -> NoReturn:
    """Replace this process by the agent. A wrapped job gets the caller's environment, with the address of the instance.

    `bin/inbox` sets the variables of Python for itself, which would change a job that is a Python program. The job gets
    the caller's variables. They must not change the Python of the agent, so the agent sets them after its start.
    """
    own_names = ("PYTHONPATH", "PYTHONSAFEPATH") if IS_CHECKOUT else ()
    inherited = {name: value for name, value in environ.items() if name not in own_names}
    address = environ.get("INBOX_BASE_URL")
    with suppress(Unreadable):  # another user's agent
        address = environment(environ).get("INBOX_BASE_URL")
    own = {"INBOX_PROGRAM": typed("")} | ({"INBOX_BASE_URL": address} if address else {})
    os.execve(sys.executable, [sys.executable, "-P", "-c", _RUN_AGENT, str(ROOT), *arguments], {**inherited, **own})
