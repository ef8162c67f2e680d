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

from cli import demo, doctor, events, programs, purge, queues, sealing, send, setting_up, sources, tail, users
from cli.command import Failed, connect, environment
from inbox import __version__
from inbox.distribution import typed
from inbox.domain.incident import Actor
from inbox.domain.refusals import Refusal
from inbox.migrate import difference
from inbox.models.sql.base import db
from inbox.services import audit
from inbox.settings import SettingsInvalid
from ops.datadir import DataDir

ROOMS = (programs, setting_up, users, sources, sealing, purge, queues, events, send, tail, demo, doctor)


def parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    made = argparse.ArgumentParser(
        prog=typed(""),
        description="Operate Incident Inbox from a shell. Settings come from the environment; missing ones come"
        f" from the data directory of a running {typed('up')} (INBOX_DATA_DIR, or {DataDir.default(os.environ)}).",
    )
    made.add_argument("--version", action="version", version=f"Incident Inbox {__version__}")
    commands = made.add_subparsers(metavar="command", required=True)
    for room in ROOMS:
        room.add_to(commands)
    return made


def run() -> int:
    """The installed command `inbox`."""
    return main(sys.argv[1:])


def main(arguments: Sequence[str], environ: Mapping[str, str] | None = None) -> int:
    """Carry out one command and return its exit code. A failure is printed on standard error, never a secret."""
    if arguments and arguments[0] in programs.PROGRAMS:
        programs.start(arguments[0], arguments[1:], os.environ if environ is None else environ)
    options = parser().parse_args(arguments)
    try:
        options.environment = environment(os.environ if environ is None else environ)
        if not options.on_database:
            return int(options.act(options) or 0)
        connect(options.environment)
        audit.set_actor(Actor("system", "", "bin/inbox"))
        with db.connection_context():
            return int(options.act(options) or 0)
    except SettingsInvalid as invalid:
        advice = f"Start {typed('up')} first, or set the same settings as for the service."
        _failed(options, "\n".join(["The settings cannot be used:", *invalid.faults, advice]))
        return 2
    except Refusal as refused:
        told = [fault.detail for fault in refused.errors] or [refused.detail or refused.code]
        _failed(options, "\n".join(told))
    except (peewee.OperationalError, peewee.InterfaceError, psycopg2.OperationalError) as fault:
        _failed(options, f"The database cannot be used: {str(fault).strip().splitlines()[0]}")
    except peewee.ProgrammingError:
        _failed(options, _tables())
    except Failed as failed:
        _failed(options, str(failed))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def _failed(options: argparse.Namespace, text: str) -> None:
    """What went wrong, on standard error; as JSON on standard output where the command was to print JSON."""
    if getattr(options, "json", False):
        print(json.dumps({"error": text}, ensure_ascii=False))
    else:
        print(text, file=sys.stderr)


def _tables() -> str:
    with suppress(peewee.PeeweeException), db.connection_context():
        if found := str(difference(db)):
            return found
    return f"The database does not have the tables of this version: run {typed('migrate')}."


if __name__ == "__main__":
    sys.exit(run())
