"""The commands of `docker compose` in the documents: what each asks for, by the options that they may use.

`python -m tests.docs.compose_commands` is a stand-in of the program. It checks its command, and executes programs of the
container `postgres` on the cluster of the test.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

import yaml

PROJECT = Path(__file__).parents[2]
FILE = "docs/operators/examples/compose.yaml"

BEFORE: Mapping[str, bool] = {"-f": True, "--file": True, "--profile": True}
"""The options before the subcommand, and whether each has a value."""

OPTIONS: Mapping[str, frozenset[str]] = {
    "up": frozenset({"--build", "--detach", "-d", "--wait"}),
    "exec": frozenset({"-T"}),
    "stop": frozenset(),
    "logs": frozenset({"--follow"}),
    "down": frozenset({"--volumes"}),
}
"""The subcommands that the documents use, with their options."""

PROGRAMS: Mapping[str, frozenset[str]] = {
    "postgres": frozenset({"pg_dump", "pg_restore", "psql"}),
    "redis": frozenset({"redis-cli"}),
}
"""The programs of the images that are not ours."""


ENDS = frozenset({"&&", "||", "|", ">", "<", ";"})
"""What ends a command of the shell."""


class Refused(Exception):
    """The command is not one that `docker compose` takes with this file."""


@dataclass(frozen=True, slots=True)
class ComposeCommand:
    """A command: its subcommand, services or the one service of `exec`, and the program there."""

    subcommand: str
    services: tuple[str, ...] = ()
    program: tuple[str, ...] = ()
    profiles: tuple[str, ...] = field(default=())


def read(words: Sequence[str], *, at: Path = PROJECT) -> ComposeCommand:
    """The command after `docker`; raises `Refused`."""
    rest = list(words)
    if rest[:1] != ["compose"]:
        raise Refused(f"not compose: {shlex.join(words)}")
    rest, given = _options_before(rest[1:])
    file = Path(at, *given["file"][-1:] or [FILE])
    if not file.exists():
        raise Refused(f"no file {file}")
    services: dict[str, Any] = yaml.safe_load(file.read_text())["services"]
    subcommand, *rest = rest or [""]
    if subcommand not in OPTIONS:
        raise Refused(f"no subcommand {subcommand!r}")
    while rest and rest[0].startswith("-"):
        if rest[0] not in OPTIONS[subcommand]:
            raise Refused(f"no option {rest[0]} of {subcommand}")
        rest = rest[1:]
    found = _command(subcommand, rest, tuple(given["profile"]))
    existing = {profile for each in services.values() for profile in each.get("profiles", ())}
    if unknown := {*found.services} - {*services} | {*found.profiles} - existing:
        raise Refused(f"not in {FILE}: {', '.join(sorted(unknown))}")
    _check_program(found)
    return found


def _options_before(words: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    rest, given = list(words), dict[str, list[str]](file=[], profile=[])
    while rest and rest[0].startswith("-"):
        name, *rest = rest
        if name not in BEFORE or not rest:
            raise Refused(f"no option {name} before the subcommand")
        given["file" if name == "-f" else name.lstrip("-")].append(rest.pop(0))
    return rest, given


def _command(subcommand: str, rest: Sequence[str], profiles: tuple[str, ...]) -> ComposeCommand:
    if subcommand != "exec":
        return ComposeCommand(subcommand, tuple(rest), profiles=profiles)
    if len(rest) < 2:
        raise Refused("exec needs a service and a program")
    return ComposeCommand(subcommand, (rest[0],), tuple(rest[1:]), profiles)


def _check_program(found: ComposeCommand) -> None:
    if not found.program:
        return
    [service], program = found.services, found.program[0]
    if program not in PROGRAMS.get(service, ()) and not (
        service not in PROGRAMS and program.startswith("bin/") and os.access(PROJECT / program, os.X_OK)
    ):
        raise Refused(f"no program {program} in the container {service}")


def commands_in(text: str) -> Iterator[list[str]]:
    """The words of each command of docker in a text of one or more lines of a shell.

    A function of the shell that adds its arguments is left out: it is no whole command.
    """
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        for place, word in enumerate(words):
            if word == "docker" and "$@;" not in words:
                yield list(takewhile(lambda each: each not in ENDS, words[place + 1 :]))


def main() -> None:
    """The stand-in. It notes each command in `COMPOSE_NOTES`."""
    try:
        found = read(sys.argv[1:], at=Path.cwd())
    except Refused as refused:
        sys.exit(str(refused))
    with Path(os.environ["COMPOSE_NOTES"]).open("a") as notes:
        notes.write(shlex.join(sys.argv[2:]) + "\n")
    if found.program and found.services == ("postgres",):
        os.execvp(found.program[0], found.program)


if __name__ == "__main__":
    main()
