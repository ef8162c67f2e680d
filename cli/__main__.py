"""`python -m cli`: the commands by name; 0 done, 1 refused or failed, 2 wrong usage or settings."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

import peewee
import psycopg2

from cli import (
    configuration,
    demo,
    doctor,
    events,
    imports,
    programs,
    purge,
    queues,
    sealing,
    setting_up,
    sources,
    tail,
    users,
)
from cli.command import Failed, connect, environment
from inbox import __version__
from inbox.config.settings import SettingsInvalid
from inbox.database.base import db
from inbox.database.migrate import difference
from inbox.domain.incidents.incident import Actor
from inbox.domain.values.refusals import Refusal
from inbox.runtime.distribution import typed
from inbox.services.records import audit
from ops.datadir import DataDir, Unreadable

NOUNS = (
    programs,
    setting_up,
    users,
    sources,
    imports,
    configuration,
    sealing,
    purge,
    queues,
    events,
    tail,
    demo,
    doctor,
)

UNAVAILABLE = (peewee.OperationalError, peewee.InterfaceError, psycopg2.OperationalError)
REPORTED = (SettingsInvalid, Refusal, Failed, Unreadable, peewee.ProgrammingError, *UNAVAILABLE)
"""The failures that a command reports in one sentence. All others are defects and print a traceback."""


def parser() -> argparse.ArgumentParser:
    """Returns the parser of all commands with their options."""
    made = argparse.ArgumentParser(
        prog=typed(""),
        description="Operate Incident Inbox from a shell. Settings come from the environment; missing ones come"
        f" from the data directory of a running {typed('up')} (INBOX_DATA_DIR, or {DataDir.default(os.environ)}).",
    )
    made.add_argument("--version", action="version", version=f"Incident Inbox {__version__}")
    commands = made.add_subparsers(metavar="command", required=True)
    for noun in NOUNS:
        noun.add_to(commands)
    return made


def run() -> int:
    """Runs the installed command `inbox`."""
    return main(sys.argv[1:])


def main(arguments: Sequence[str], environ: Mapping[str, str] | None = None) -> int:
    """Runs one command and returns its exit code. Prints a failure on standard error, never a secret."""
    if arguments and arguments[0] in programs.PROGRAMS:
        programs.start(arguments[0], arguments[1:], os.environ if environ is None else environ)
    if arguments and arguments[0] in programs.AGENT:
        programs.start_agent(arguments, os.environ if environ is None else environ)
    options = parser().parse_args(arguments)
    try:
        return _run(options, os.environ if environ is None else environ)
    except REPORTED as fault:
        _print_failure(options, _failure_text(fault))
        return 2 if isinstance(fault, SettingsInvalid) else 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    options.environment = environment(environ)
    if not options.on_database:
        return int(options.act(options) or 0)
    connect(options.environment)
    audit.set_actor(Actor("system", "", "bin/inbox"))
    with db.connection_context():
        return int(options.act(options) or 0)


def _failure_text(fault: Exception) -> str:
    match fault:
        case SettingsInvalid():
            advice = (
                f"Start {typed('up')} first. If it runs with --data-dir, set INBOX_DATA_DIR to that directory."
                " Otherwise set the settings of the service."
            )
            return "\n".join(["Invalid settings:", *fault.faults, advice])
        case Refusal():
            return "\n".join([each.detail for each in fault.errors] or [fault.detail or fault.code])
        case Failed() | Unreadable():
            return str(fault)
        case peewee.ProgrammingError():
            return _schema_fault()
        case _:
            return f"The database cannot be used: {str(fault).strip().splitlines()[0]}"


def _print_failure(options: argparse.Namespace, text: str) -> None:
    """Print the failure on standard error, or as JSON on standard output if the command prints JSON."""
    if getattr(options, "json", False):
        print(json.dumps({"error": text}, ensure_ascii=False))
    else:
        print(text, file=sys.stderr)


def _schema_fault() -> str:
    with suppress(peewee.PeeweeException), db.connection_context():
        if found := str(difference(db)):
            return found
    return f"The database does not have the tables of this version: run {typed('migrate')}."


if __name__ == "__main__":
    sys.exit(run())
