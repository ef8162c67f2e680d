"""What all commands share: the environment, the connection, how they ask for a secret, how they print."""

from __future__ import annotations

import argparse
import getpass
import json
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from inbox.config.settings import Settings
from inbox.domain.values.ids import ALPHABET
from inbox.services.instance import bootstrap
from ops.datadir import DataDir

Act = Callable[[argparse.Namespace], int | None]


class Failed(Exception):
    """The command cannot do what it was asked; the text says why, in words for the operator."""


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of the service: ours, completed by what a run of `bin/up` uses."""
    return DataDir.of(environ).join(environ)


def connect(environ: Mapping[str, str]) -> Settings:
    """Wire this process to the service's database and Redis; raises `SettingsInvalid`."""
    chosen = replace(Settings.from_env(environ), log_level="ERROR")
    bootstrap.configure(chosen, application="inbox-cli")
    return chosen


def command(commands: Any, name: str, act: Act, about: str, *, on_database: bool = True) -> argparse.ArgumentParser:
    """A new command; `about` is its help."""
    made: argparse.ArgumentParser = commands.add_parser(name, help=about, description=about)
    made.set_defaults(act=act, on_database=on_database)
    return made


def group(commands: Any, name: str, about: str) -> Any:
    """Commands under one word."""
    return commands.add_parser(name, help=about, description=about).add_subparsers(metavar="command", required=True)


def add_json_option(made: argparse.ArgumentParser) -> None:
    """It prints JSON when it is asked to."""
    made.add_argument("--json", action="store_true", help="print JSON")


def add_password_option(made: argparse.ArgumentParser) -> None:
    """It takes a password, never as an argument: those are seen by everybody on the machine."""
    ways = made.add_mutually_exclusive_group()
    ways.add_argument("--password-stdin", action="store_true", help="read the password from standard input")
    ways.add_argument("--generate", action="store_true", help="generate a password and print it once")


def password(options: argparse.Namespace) -> str:
    """The password, asked for in the terminal unless an option says otherwise; raises `Failed`."""
    if options.generate:
        return "-".join("".join(secrets.choice(ALPHABET) for _ in range(5)) for _ in range(5))
    if options.password_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise Failed("No terminal to read the password from: use --password-stdin or --generate.")
    first = getpass.getpass("New password: ")
    if first != getpass.getpass("Repeat the new password: "):
        raise Failed("The passwords differ.")
    return first


def show(rows: Sequence[Mapping[str, Any]], *, as_json: bool, nothing: str = "") -> None:
    """Rows as JSON, or as a table with their keys as headings; `nothing` is said where there are none."""
    if as_json:
        print(json.dumps(list(rows), indent=2, ensure_ascii=False, default=str))
    elif rows:
        lines = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
        widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
        for line in lines:
            print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    elif nothing:
        print(nothing)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
