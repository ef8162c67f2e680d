"""Shared by all commands: the environment, the connection, requests for secrets, and output."""

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
    """The command failed. The text gives the reason in the operator's words."""


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment of the service: ours, completed by the settings of a running `bin/up`."""
    return DataDir.of(environ).join(environ)


def connect(environ: Mapping[str, str]) -> Settings:
    """Connects this process to the service's database and Redis. Raises `SettingsInvalid`."""
    chosen = replace(Settings.from_env(environ), log_level="ERROR")
    bootstrap.configure(chosen, application="inbox-cli")
    return chosen


def command(commands: Any, name: str, act: Act, about: str, *, on_database: bool = True) -> argparse.ArgumentParser:
    """Returns a new command; `about` is its help."""
    made: argparse.ArgumentParser = commands.add_parser(name, help=about, description=about)
    made.set_defaults(act=act, on_database=on_database)
    return made


def group(commands: Any, name: str, about: str) -> Any:
    """Returns a group of commands under one word."""
    return commands.add_parser(name, help=about, description=about).add_subparsers(metavar="command", required=True)


def add_json_option(made: argparse.ArgumentParser) -> None:
    """Adds the option for JSON output."""
    made.add_argument("--json", action="store_true", help="print JSON")


def add_password_option(made: argparse.ArgumentParser) -> None:
    """Adds the options for a password. It is never an argument, because everybody on the machine can see arguments."""
    ways = made.add_mutually_exclusive_group()
    ways.add_argument("--password-stdin", action="store_true", help="read the password from standard input")
    ways.add_argument("--generate", action="store_true", help="generate a password and print it once")


def password(options: argparse.Namespace) -> str:
    """Returns the password from an option or the terminal. Raises `Failed`."""
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
    """Prints rows as JSON, or as a table with their keys as headings. Without rows it prints `nothing`."""
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
