"""Lint, format, types, import contracts and dependencies, one after the other; says which failed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CHECKS: dict[str, list[str]] = {
    "lint": ["-m", "ruff", "check", "."],
    "format": ["-m", "ruff", "format", "--check", "."],
    "types": ["-m", "mypy"],
    "imports": ["-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
    "dependencies": ["-m", "deptry", "."],
}


def check() -> list[str]:
    """Run all checks; answers the names of those that failed."""
    failed = []
    for name, arguments in CHECKS.items():
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        print(f"{name}: {'ok' if done.returncode == 0 else 'FAILED'}", flush=True)
        if done.returncode != 0:
            print(done.stdout, flush=True)
            failed.append(name)
    return failed


if __name__ == "__main__":
    sys.exit(1 if check() else 0)
