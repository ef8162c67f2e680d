"""Runs lint, format, types, import contracts, dependencies and checks of the dashboard, two at a time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CHECKS: dict[str, list[str]] = {
    "lint": ["-m", "ruff", "check", "."],
    "format": ["-m", "ruff", "format", "--check", "."],
    "types": ["-m", "mypy"],
    "types of tests": ["-m", "mypy", "--config-file", "tests/mypy.ini"],
    "dashboard": ["-m", "ops.dashboard", "check"],
    "imports": ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
    "dependencies": ["-m", "deptry", "."],
}


def check() -> list[str]:
    """Runs all checks. Returns the names of the failed ones."""
    failed = []
    with ThreadPoolExecutor(max_workers=2) as pool:
        for name, done in zip(CHECKS, pool.map(_run, CHECKS.values()), strict=True):
            print(f"{name}: {'ok' if done.returncode == 0 else 'FAILED'}", flush=True)
            if done.returncode != 0:
                print(done.stdout, flush=True)
                failed.append(name)
    return failed


def _run(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


if __name__ == "__main__":
    sys.exit(1 if check() else 0)
