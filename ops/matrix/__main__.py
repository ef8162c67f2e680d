"""`bin/matrix`: runs both commands of the README on bare Debian systems and under other Pythons, one by one."""

from __future__ import annotations

import argparse
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from inbox.runtime.distribution import ROOT
from ops.matrix import bare_root
from ops.matrix.runs import Wish, print_line, run_python, run_suite

SUITES = ("trixie", "sid")
"""Debian stable and Debian unstable."""

DIRECTORY = ROOT / "var" / "matrix"


def main(arguments: Sequence[str]) -> int:
    """Returns 0 when nothing failed. Skipped runs with their reason do not count."""
    # As an exception it ends the running command, and the bare system is removed.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    wish = options_from(arguments)
    if shutil.which("git") is None:
        print_line("skipped: git, which makes the clones, is not installed")
        return 0
    wish.directory.mkdir(parents=True, exist_ok=True)
    if subprocess.run(["git", "-C", str(ROOT), "diff", "--quiet", "HEAD"], check=False).returncode != 0:
        print_line("The clones have the last commit, without the changes since.")
    passed = [run_suite(suite, wish, print_line) for suite in wish.suites]
    passed += [run_python(program, wish, print_line) for program in wish.pythons]
    return 0 if all(passed) else 1


def options_from(arguments: Sequence[str]) -> Wish:
    """Returns the options. Without any, every suite runs as every account. `--python` alone chooses no suite."""
    parser = argparse.ArgumentParser(
        prog="bin/matrix",
        description="Runs bin/up and bin/test in fresh clones: on bare Debian systems, and under other Pythons.",
    )
    add = parser.add_argument
    add("--suite", action="append", choices=SUITES, help="a Debian suite; may be repeated (default: all)")
    add("--account", action="append", choices=tuple(bare_root.ACCOUNTS), help="may be repeated (default: both)")
    add(
        "--python",
        action="append",
        metavar="PROGRAM",
        help="a Python of this machine, by name or path; may be repeated",
    )
    add("--start-only", action="store_true", help="leave bin/test out")
    add("--keep", action="store_true", help="do not remove the bare systems and clones")
    add("--directory", type=Path, default=DIRECTORY, help="where they are made (default %(default)s)")
    add("tests", nargs="*", metavar="ARGUMENT", help="arguments of bin/test, after --")
    options = parser.parse_args(arguments)
    return Wish(
        suites=options.suite or (() if options.python else SUITES),
        accounts=options.account or tuple(bare_root.ACCOUNTS),
        pythons=options.python or (),
        runs_tests=not options.start_only,
        test_arguments=options.tests,
        keeps_roots=options.keep,
        directory=options.directory.resolve(),
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
