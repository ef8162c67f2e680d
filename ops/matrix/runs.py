"""The runs of the matrix: one for each Debian suite and account, and one for each Python of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from inbox.runtime.distribution import ROOT
from ops.matrix import bare_root, mirror, registries

FIRST_START = "ops/matrix/first_start.py"
NOT_ROOT = "only root can make a bare system"
NOT_INSTALLED = "{} is not installed"
NO_NAMESPACES = "mounts and processes cannot have new namespaces here"
NO_MIRROR = "apt names no web mirror of this release of Debian"

Say = Callable[[str], None]
Runner = Callable[[Sequence[str], IO[str]], int]
"""Runs a command in a clone, with its output in a log, and returns the exit code."""


@dataclass(frozen=True)
class Wish:
    """The arguments of the command."""

    suites: Sequence[str]
    accounts: Sequence[str]
    pythons: Sequence[str]
    runs_tests: bool
    test_arguments: Sequence[str]
    keeps_roots: bool
    directory: Path


def run_suite(suite: str, wish: Wish, say: Say) -> bool:
    """Creates a bare system of a suite, and runs both commands in it as each account.

    Returns whether nothing failed.
    """
    found = mirror.find_mirror(mirror.codename())
    if reason := obstacle(suite, found):
        say(f"{suite}: skipped: {reason}")
        return True
    assert found is not None
    with _root(suite, wish, say) as root:
        log_path = wish.directory / f"{suite}.log"
        say(f"{suite}: making a bare system (log: {log_path})")
        try:
            with log_path.open("w") as log:
                root.make(suite, found, mirror.proxies(), log)
        except subprocess.CalledProcessError as failed:
            say(f"{suite}: FAILED: a step ended with exit code {failed.returncode}")
            return False
        passed = [_run_account(root, f"{suite}-{name}", bare_root.ACCOUNTS[name], wish, say) for name in wish.accounts]
    return all(passed)


def run_python(program: str, wish: Wish, say: Say) -> bool:
    """Runs both commands in a fresh clone on this machine, where `python3` is this program."""
    path = shutil.which(program)
    if path is None:
        say(f"{program}: skipped: {NOT_INSTALLED.format(program)}")
        return True
    name = Path(program).name
    place = wish.directory / name
    shutil.rmtree(place, ignore_errors=True)
    tools = place / "tools"
    tools.mkdir(parents=True)
    # Not a link: a Python that is started by a link searches its library beside the link.
    (tools / "python3").write_text(f'#!/bin/sh\nexec "{path}" "$@"\n')
    (tools / "python3").chmod(0o755)
    clone = place / bare_root.CLONE
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)], check=True)
    environment = {
        **registries.variables(os.environ),
        **{name: value for name, value in os.environ.items() if name in ("HOME", "LANG", "USER")},
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
    }

    def run(command: Sequence[str], log: IO[str]) -> int:
        return subprocess.run(
            command, cwd=clone, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, check=False
        ).returncode  # fmt: skip

    try:
        return run_commands(name, run, wish, say)
    finally:
        if not wish.keeps_roots:
            shutil.rmtree(place)


def run_commands(name: str, run: Runner, wish: Wish, say: Say) -> bool:
    """Runs `bin/up` and `bin/test` in a clone, and prints how each ended. Without a started service no tests run."""
    commands = [["python3", FIRST_START]]
    if wish.runs_tests:
        commands.append(["bin/test", *wish.test_arguments])
    log_path = wish.directory / f"{name}.log"
    for command in commands:
        step = "bin/up" if FIRST_START in command else "bin/test"
        with log_path.open("a") as log:
            begin = log.tell()
            code = run(command, log)
        last = log_path.read_text(errors="replace")[begin:].rstrip().rpartition("\n")[2]
        say(f"{name}: {step}: {'passed' if code == 0 else f'FAILED with exit code {code}'}: {last} (log: {log_path})")
        if code != 0:
            return False
    return True


def obstacle(suite: str, found: mirror.Mirror | None) -> str:
    """Returns why no bare system of a suite can be made here; empty when nothing is missing."""
    if os.geteuid() != 0:
        return NOT_ROOT
    for program in ("debootstrap", "unshare"):
        if shutil.which(program) is None:
            return NOT_INSTALLED.format(program)
    if found is None:
        return NO_MIRROR
    if subprocess.run([*bare_root.NAMESPACES, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        return NO_NAMESPACES
    return "" if found.has(suite) else f"the mirror does not answer for {suite}"


@contextmanager
def _root(suite: str, wish: Wish, say: Say) -> Iterator[bare_root.BareRoot]:
    """Yields a directory for a bare system, which is removed afterwards."""
    root = bare_root.BareRoot(wish.directory / suite)
    if root.path.exists():
        root.remove()
    try:
        yield root
    finally:
        if wish.keeps_roots:
            say(f"{suite}: the system stays in {root.path}")
        elif root.path.exists():
            root.remove()


def _run_account(root: bare_root.BareRoot, name: str, account: bare_root.Account, wish: Wish, say: Say) -> bool:
    directory = root.clone(ROOT, account)
    (wish.directory / f"{name}.log").unlink(missing_ok=True)

    def run(command: Sequence[str], log: IO[str]) -> int:
        return root.run(account, directory, command, log)

    return run_commands(name, run, wish, say)


def print_line(text: str) -> None:
    """Prints a line at once, also where the output is a file."""
    print(text, file=sys.stdout, flush=True)
