"""Runs the whole test suite with the checks before it, or the part that the arguments name, once or repeatedly."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from ops import dashboard
from ops.check import ROOT, check
from ops.repeat import repeat

PROCESSES = min((os.cpu_count() or 1) + 2, 4)
"""More than processors, because some tests wait for services, timeouts or a clock."""

SLOWEST = ("--durations", "30", "--durations-min", "5")

IN_PARALLEL = ("-n", str(PROCESSES), "--dist", "loadgroup", "-p", "tests.runner.xdist_scheduling", *SLOWEST)

FAST = ("-p", "tests.runner.fast")
"""This plug-in leaves the slow groups out and prints their names."""

LONG = "TEST_LONG"
"""The variable that is 1 for a long run: then `tests.runner.amounts` answers its amounts."""


def main(arguments: Sequence[str]) -> int:
    """Without arguments everything, in parallel; with any, pytest with those. Answers an honest exit code.

    1. `--fast` leaves the slow groups and the static checks out.
    2. `--long` raises the amounts of random and repeated cases.
    3. `--repeat` hands over to `ops.repeat`.
    4. The static checks run when no argument narrows the run, and the dashboard is built; then pytest runs.
    """
    own, others = _parser().parse_known_args(arguments)
    narrowed = [_from_root(argument) for argument in others]
    os.chdir(ROOT)
    # The same for all workers, another one each time: names of tests that hold a set are then the same in all of them.
    os.environ.setdefault("PYTHONHASHSEED", str(secrets.randbelow(2**32)))
    if own.long:
        os.environ[LONG] = "1"
    _keep_compiled_modules()
    chosen = [*(FAST if own.fast else ()), *(narrowed or IN_PARALLEL)]
    if own.repeat is not None:
        return repeat(own.repeat, chosen, seed=own.seed)
    failed = [] if narrowed or own.fast else check()
    if not narrowed:
        dashboard.build(print)
    code = int(pytest.main(chosen))
    if failed:
        print(f"Not only tests: {', '.join(failed)} failed above.", file=sys.stderr)
    return code or (1 if failed else 0)


def _keep_compiled_modules() -> None:
    """Keeps bytecode on disk. Tests start hundreds of processes, each of which would otherwise compile every module."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def _parser() -> argparse.ArgumentParser:
    """Returns our own options. Every other argument is pytest's."""
    parser = argparse.ArgumentParser(prog="bin/test", add_help=False, allow_abbrev=False)
    parser.add_argument(
        "--fast", action="store_true", help="leave out the slow groups, which the run names, and checks"
    )
    parser.add_argument("--long", action="store_true", help="run more random and repeated cases, for hours")
    parser.add_argument("--repeat", type=_positive, metavar="N", help="run N rounds, each in another random order")
    parser.add_argument("--seed", type=int, help="seed of the first round's order")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def _from_root(argument: str) -> str:
    """Resolves paths from the directory in which the command was given."""
    path, separator, rest = argument.partition("::")
    if not argument.startswith("-") and Path(path).exists():
        return str(Path(path).resolve()) + separator + rest
    return argument


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
