"""A directory for Unix sockets that belongs to the servers' account alone and whose path is short enough."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pwd
import socket
import stat
import tempfile
from pathlib import Path

from ops.binaries import path_reachable

LONGEST_SOCKET_DIRECTORY = 80  # a socket's path has 103 bytes (Linux: 107); PostgreSQL's file name takes 18 of them


def socket_directory(state_dir: Path, account: pwd.struct_passwd | None) -> Path:
    """Returns `run` in the state directory, or a temporary directory when its path is too long for a socket."""
    name = f"inbox-{os.geteuid()}-{hashlib.sha256(os.fsencode(state_dir)).hexdigest()[:12]}"
    for directory in (state_dir / "run", Path(tempfile.gettempdir()) / name, Path("/tmp") / name):
        if len(os.fsencode(directory)) > LONGEST_SOCKET_DIRECTORY:
            continue
        try:
            directory.mkdir(mode=0o700, exist_ok=True)
            give(directory, account)
            if _ours(directory, account) and path_reachable(directory.parent, account) and _takes_sockets(directory):
                return directory
        except OSError:
            continue
    return give(Path(tempfile.mkdtemp(prefix="inbox-", dir="/tmp")), account)


def metrics_directory(data: Path) -> Path:
    """Returns the directory in which processes on this data directory exchange their metrics."""
    with contextlib.suppress(OSError):
        (data / "metrics").mkdir(mode=0o700, parents=True, exist_ok=True)
    return socket_directory(data / "metrics", None)


def _ours(directory: Path, account: pwd.struct_passwd | None) -> bool:
    seen = directory.lstat()
    owner = os.geteuid() if account is None else account.pw_uid
    return stat.S_ISDIR(seen.st_mode) and seen.st_uid == owner and not seen.st_mode & 0o077


def _takes_sockets(directory: Path) -> bool:
    """Returns whether sockets work there. Some shared file systems refuse them."""
    probe = directory / "probe"
    probe.unlink(missing_ok=True)
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as server:
        server.bind(str(probe))
    probe.unlink()
    return True


def give(directory: Path, account: pwd.struct_passwd | None) -> Path:
    """Makes `account` the owner. Returns the directory."""
    if account is not None and not directory.is_symlink():
        os.chown(directory, account.pw_uid, account.pw_gid, follow_symlinks=False)
    return directory
