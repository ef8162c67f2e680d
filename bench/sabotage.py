"""Plants one defect after the other in a copy of the tree, and reports which survive their tests.

1. Copy the tree, and start servers that all runs share.
2. Run the tests of all chosen defects once as the code is: they must be green.
3. For each defect: plant it, run its tests until one fails, take it out.
4. Print the result of each, and the defects that no test noticed.
"""

from __future__ import annotations

import argparse
import compileall
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from py_compile import PycInvalidationMode

from bench.defects import DEFECTS, Defect, NotApplicable

ROOT = Path(__file__).resolve().parent.parent
BASELINE_SECONDS = 1800.0
NOT_COMPILED = re.compile(r"/\.venv/")


class Result(StrEnum):
    """The result of a planted defect."""

    CAUGHT = "caught"
    """A test failed."""
    SURVIVED = "SURVIVED"
    """All tests were green."""
    NOT_APPLICABLE = "UNFIT"
    """It could not be planted, or no test could run with it: mend the defect."""
    SLOW = "OUT OF TIME"
    """The tests did not end in time, so nothing is known."""


def main(arguments: Sequence[str]) -> int:
    """Returns 0 when every chosen defect was caught."""
    options = _parser().parse_args(arguments)
    chosen = [each for each in DEFECTS if all(word in f"{each.name} {each.path}" for word in options.words)]
    if options.list:
        print("\n".join(f"{each.name}  ({each.path})" for each in chosen))
        return 0
    with _tree() as tree, _servers() as addresses:
        if not options.no_baseline and not _is_green(chosen, tree, addresses):
            print("The tests fail without any defect: see above.", file=sys.stderr)
            return 2
        results = {each: tried(each, tree, addresses, options.seconds) for each in chosen}
    return _summary(results)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bin/bench sabotage", description="Plant defects and see tests notice them.")
    parser.add_argument("words", nargs="*", metavar="word", help="defects whose name or path has all these words")
    parser.add_argument("--list", action="store_true", help="print the names of the defects")
    parser.add_argument("--seconds", type=float, default=180.0, help="how long the tests of one defect may take")
    parser.add_argument("--no-baseline", action="store_true", help="do not run the tests without a defect first")
    return parser


@contextmanager
def _tree() -> Iterator[Path]:
    """Copies all files that git knows or would add, beside the same `.venv`. The copy is removed at the end."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="sabotage-") as folder:
        tree = Path(folder)
        for name in filter(None, listed.stdout.decode().split("\0")):
            if (ROOT / name).is_file():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, tree / name)
        (tree / ".venv").symlink_to(Path(sys.prefix))
        # By the hash of the source: a file that is changed twice within a second is never taken for the one before.
        compileall.compile_dir(tree, rx=NOT_COMPILED, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
        yield tree


@contextmanager
def _servers() -> Iterator[Mapping[str, str]]:
    """Yields the addresses of servers that all runs share, as variables of the environment."""
    from ops.embedded import Servers

    with (
        tempfile.TemporaryDirectory(prefix="sabotage-servers-") as folder,
        Servers.start(Path(folder), durable=False) as servers,
    ):
        yield {"DATABASE_URL": servers.database_url, "REDIS_URL": servers.redis_url}


def _is_green(chosen: Sequence[Defect], tree: Path, addresses: Mapping[str, str]) -> bool:
    tests = sorted({test for each in chosen for test in each.tests})
    code, output = _run(tests, tree, addresses, BASELINE_SECONDS)
    if code != 0:
        print(output[-8000:])
    return code == 0


def tried(each: Defect, tree: Path, addresses: Mapping[str, str], seconds: float) -> Result:
    """Plants one defect, runs its tests until one fails, and removes it."""
    began, file = time.monotonic(), tree / each.path
    whole = file.read_text()
    try:
        file.write_text(each.planted(tree))
        code, output = _run([*each.tests, "-x"], tree, addresses, seconds)
        result = {0: Result.SURVIVED, 1: Result.CAUGHT, None: Result.SLOW}.get(code, Result.NOT_APPLICABLE)
    except NotApplicable as fault:
        result, output = Result.NOT_APPLICABLE, str(fault)
    finally:
        file.write_text(whole)
    print(f"{result:<12}{time.monotonic() - began:5.0f} s  {each.name}", flush=True)
    if result is Result.NOT_APPLICABLE:
        print(output[-3000:])
    return result


def _run(tests: Sequence[str], tree: Path, addresses: Mapping[str, str], seconds: float) -> tuple[int | None, str]:
    """Returns pytest's exit code, None when it was ended, and its output."""
    environment = {**os.environ, **addresses, "PYTHONPATH": str(tree), "PYTHONSAFEPATH": "1"}
    environment["PYTHONDONTWRITEBYTECODE"] = (
        "1"  # a file that is changed twice in a second would be taken from the cache
    )
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=short", "-p", "no:cacheprovider", *tests]
    process = subprocess.Popen(
        command, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    )  # fmt: skip
    try:
        output, _ = process.communicate(timeout=seconds)
    except BaseException as fault:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        if not isinstance(fault, subprocess.TimeoutExpired):
            raise
        return None, output
    return process.returncode, output


def _summary(results: Mapping[Defect, Result]) -> int:
    caught = sum(result is Result.CAUGHT for result in results.values())
    print(f"{caught} of {len(results)} defects were caught.")
    for each, result in results.items():
        if result is not Result.CAUGHT:
            print(f"  {result}: {each.name} ({each.path}; {', '.join(each.tests)})")
    return 0 if caught == len(results) else 1
