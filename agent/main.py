"""The commands by name: 0 done, 1 refused or failed, 2 wrong usage. `wrap` ends with the exit code of its job."""

from __future__ import annotations

import argparse
import os
import sys

from agent.options import AGENT_VERSION, Unusable, warn
from agent.send import add_send
from agent.watch import add_watch
from agent.wrap import add_wrap


def main(arguments: list[str]) -> int:
    """Runs one command and returns its exit code."""
    parser = argparse.ArgumentParser(
        prog=os.environ.get("INBOX_PROGRAM", "inbox.py"),
        description="Watch a host, send events and wrap jobs with Incident Inbox.",
    )
    parser.add_argument("--version", action="version", version=f"Incident Inbox agent {AGENT_VERSION}")
    commands = parser.add_subparsers(metavar="command")
    for add in (add_watch, add_send, add_wrap):
        add(commands)
    options = parser.parse_args(arguments)
    if not hasattr(options, "act"):
        parser.print_help(sys.stderr)
        return 2
    try:
        return int(options.act(options))
    except Unusable as fault:
        warn(str(fault))
        return 2
    except KeyboardInterrupt:
        return 130
