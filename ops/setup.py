"""Makes `.venv` when it is missing or older than the locked requirements. Standard library only; prints nothing when ready.

python ops/setup.py run|dev
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "installed"
UNFINISHED = VENV / "unfinished"

BUILD = "requirements-build.txt"
FILES = {"run": "requirements.txt", "dev": "requirements-dev.txt"}
# The one package without a wheel is built with the locked setuptools, not with whatever is newest today.
OPTIONS = [
    "--require-hashes",
    "--no-build-isolation",
    "--use-pep517",
    "--quiet",
    "--no-input",
    "--disable-pip-version-check",
]
# They would send packages elsewhere than into the environment.
MISLEADING = ("PIP_TARGET", "PIP_PREFIX", "PIP_USER", "PIP_ROOT", "PYTHONPATH", "PYTHONHOME")


def ready(kind: str) -> bool:
    """Whether the environment holds exactly what the lock file of `kind` says; development includes running."""
    try:
        stamps = STAMP.read_text().splitlines()
    except OSError:
        return False
    wanted = {_stamp("dev")} if kind == "dev" else {_stamp("run"), _stamp("dev")}
    return not UNFINISHED.exists() and bool(wanted.intersection(stamps)) and _runs()


def install(kind: str) -> None:
    """Make or renew the environment; two of us at once take turns. Raises CalledProcessError when a step failed."""
    (ROOT / "var").mkdir(exist_ok=True)
    with (ROOT / "var" / "setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if ready(kind):
            return
        if UNFINISHED.exists() or not _runs():
            _say(f"Making .venv with Python {sys.version.split()[0]} (once, about half a minute)")
            shutil.rmtree(VENV, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True, env=_environment())
        elif ready("run") and not _was_set_up("dev"):
            _say("Adding to .venv what tests and checks need (once)")
        else:
            _say("Renewing .venv: the locked requirements have changed")
        UNFINISHED.touch()
        for name in (BUILD, FILES[kind]):
            subprocess.run(
                [str(PYTHON), "-m", "pip", "install", *OPTIONS, "-r", str(ROOT / name)],
                check=True,
                env=_environment(),
            )
        STAMP.write_text("\n".join(_stamp(each) for each in FILES if each in (kind, "run")) + "\n")
        UNFINISHED.unlink()


def main(kind: str) -> int:
    if ready(kind):
        return 0
    try:
        install(kind)
    except subprocess.CalledProcessError as failed:
        _say(
            f"Setting up failed (exit code {failed.returncode}). What went wrong stands above; to try again, run this again."
        )
        if "venv" in failed.cmd:
            _say("On Debian and Ubuntu the package python3-venv is needed.")
        return 1
    except OSError as refused:
        _say(f"Setting up failed: {refused}")
        return 1
    return 0


def _was_set_up(kind: str) -> bool:
    """Whether the environment has a stamp of `kind`, be it by an older lock file."""
    return any(stamp.startswith(f"{kind} ") for stamp in STAMP.read_text().splitlines())


def _stamp(kind: str) -> str:
    """Of the lock files and the Python version that the environment has."""
    digest = hashlib.sha256()
    for name in (BUILD, FILES[kind]):
        digest.update((ROOT / name).read_bytes())
    try:
        version = next(line for line in (VENV / "pyvenv.cfg").read_text().splitlines() if line.startswith("version"))
    except (OSError, StopIteration):
        version = ""
    return f"{kind} {digest.hexdigest()} {version}"


def _runs() -> bool:
    """False as well when the Python that the environment was made from is gone."""
    try:
        return subprocess.run([str(PYTHON), "-c", ""], check=False, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in MISLEADING}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
