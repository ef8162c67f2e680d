"""Runs tests in rounds, each in another random order, and reports every test that failed in any round."""

from __future__ import annotations

import secrets
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from ops.check import ROOT

NOT_RUN = "the round ended before its tests were counted"


@dataclass(frozen=True)
class Round:
    """The result of one round: seed of the order, number of tests, and text of each failed test."""

    seed: int
    tests: int
    failures: dict[str, str]


def repeat(rounds: int, arguments: Sequence[str], *, seed: int | None = None) -> int:
    """Runs pytest `rounds` times with these arguments. The exit code is 0 when every round passed.

    Round n takes the seed `seed` + n - 1, so that one round can be run again alone.
    """
    first = secrets.randbelow(10**6) if seed is None else seed
    done = []
    for number in range(rounds):
        began = time.monotonic()
        done.append(_round(first + number, arguments))
        _report(done[-1], number + 1, rounds, time.monotonic() - began)
    return _summary(done)


def _round(seed: int, arguments: Sequence[str]) -> Round:
    with tempfile.TemporaryDirectory(prefix="repeat-") as directory:
        report = Path(directory) / "report.xml"
        order = ("-p", "randomly", f"--randomly-seed={seed}", "--randomly-dont-reset-seed")
        command = [sys.executable, "-m", "pytest", *order, f"--junitxml={report}", "-q", *arguments]
        ended = subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        tests, failures = _results(report) if report.exists() else (0, {})
    if ended.returncode != 0 and not failures:
        failures = {NOT_RUN: f"exit code {ended.returncode}\n{ended.stdout[-4000:]}"}
    return Round(seed, tests, failures)


def _results(report: Path) -> tuple[int, dict[str, str]]:
    """Returns the number of tests in a JUnit report, and the text of each failure and error by test name."""
    failures: dict[str, str] = {}
    cases = ElementTree.parse(report).findall(".//testcase")
    for case in cases:
        for found in (*case.findall("failure"), *case.findall("error")):
            name = f"{case.get('classname', '')}::{case.get('name', '')}"
            failures[name] = f"{found.tag}: {found.get('message', '')}\n{found.text or ''}"
    return len(cases), failures


def _report(result: Round, number: int, rounds: int, seconds: float) -> None:
    outcome = f"NOT GREEN ({len(result.failures)})" if result.failures else "green"
    print(f"Round {number} of {rounds}, seed {result.seed}: {outcome}, {result.tests} tests in {seconds:.0f} s")
    for name, text in result.failures.items():
        print(f"\n--- {name}\n{text}\n")
    sys.stdout.flush()


def _summary(done: Sequence[Round]) -> int:
    seeds: dict[str, list[int]] = defaultdict(list)
    for result in done:
        for name in result.failures:
            seeds[name].append(result.seed)
    green = sum(not result.failures for result in done)
    print(f"{green} of {len(done)} rounds were green.")
    for name, of in sorted(seeds.items()):
        print(f"  {name}: failed in {len(of)}, seeds {', '.join(map(str, of))}")
    if seeds:
        print("The same order again: bin/test --repeat 1 --seed SEED PATHS")
    return 0 if green == len(done) else 1
