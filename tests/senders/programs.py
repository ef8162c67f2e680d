"""Installs the senders: programs from Debian packages and Python clients, outside the system."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PLACE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "incident-inbox" / "senders"
"""Where they are unpacked, once for all runs. No service of a package is started."""

SECONDS = 300


def of_debian(package: str, file: str) -> Path:
    """A file of a Debian package: that of the system, else of the downloaded package; without both the test is skipped."""
    system = Path("/") / file
    if system.exists():
        return system
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        pytest.skip(f"{package} is a package of Debian, which this machine is not")
    return _once(f"debian-{package}", lambda place: _unpack(package, place)) / file


def with_shared_files(package: str, file: str) -> list[str | Path]:
    """The command of a program that needs its files in /usr/share, which nothing else sees when it was downloaded."""
    program = of_debian(package, file)
    if not program.is_relative_to(PLACE):
        return [program]
    shared = str(program).removesuffix(file) + "usr/share"
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount --bind "$0" /usr/share && exec "$@"', shared]
    if not _succeeds([*command, "true"], HERE):
        pytest.skip(f"{package} is not installed, and a file system cannot be mounted here")
    return [*command, program]


def python_of_clients() -> Path:
    """The Python of an environment with the clients of `clients.txt`; without the index the test is skipped."""
    lock = (HERE / "clients.txt").read_bytes()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return _once(f"clients-{version}-{hashlib.sha256(lock).hexdigest()[:12]}", _install) / "bin" / "python"


def _once(name: str, make: Callable[[Path], None]) -> Path:
    """The folder with this name, which `make` fills when it is new. Processes that need it at once wait for each other."""
    place = PLACE / name
    PLACE.mkdir(parents=True, exist_ok=True)
    with (PLACE / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            fresh = PLACE / f"{name}.new"
            shutil.rmtree(fresh, ignore_errors=True)
            fresh.mkdir()
            make(fresh)
            fresh.rename(place)
    return place


def _unpack(package: str, place: Path) -> None:
    if not _succeeds(["apt-get", "download", "-qq", package], place):
        pytest.skip(f"the Debian package {package} cannot be downloaded")
    [archive] = place.glob("*.deb")
    subprocess.run(["dpkg-deb", "-x", archive, place], check=True)
    archive.unlink()


def _install(place: Path) -> None:
    uv = Path(sys.executable).with_name("uv")
    python = str(place / "bin" / "python")
    subprocess.run([uv, "venv", "-q", "--clear", "--relocatable", "--python", sys.executable, place], check=True)
    packages = ["--require-hashes", "-r", str(HERE / "clients.txt")]
    if not _succeeds([str(uv), "pip", "install", "-q", "--python", python, *packages], place):
        pytest.skip("the clients of tests/senders/clients.txt cannot be installed")


def _succeeds(command: Sequence[str], folder: Path) -> bool:
    return subprocess.run(command, cwd=folder, timeout=SECONDS, capture_output=True, check=False).returncode == 0
