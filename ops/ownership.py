"""Corrects the owners of the servers' directories where the process may do so, or reports them."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

NO_NAME = (
    "user number {uid} has no entry in the password file, and PostgreSQL makes no database without one:"
    " add a line for it to /etc/passwd, start as another user, or set DATABASE_URL"
)


class WrongOwner(Exception):
    """Data belongs to another user. The text gives the path, the owner, and the remedy."""


def restore(directory: Path, account: pwd.struct_passwd | None) -> int:
    """Makes everything in the servers' directory theirs again, as after a restore without owners.

    Returns the number of corrected paths. Without an account to become we can only look. Raises WrongOwner.
    """
    if not directory.exists():
        return 0
    if account is None:
        _refuse_foreign(directory)
        return 0
    found = 0
    for _, names, files, place in os.fwalk(directory, follow_symlinks=False):
        found += _own(".", place, account)
        found += sum(_own(name, place, account) for name in (*names, *files))
    directory.chmod(0o700)  # PostgreSQL refuses anything that others may write
    return found


def has_no_name(uid: int) -> bool:
    """Returns whether the password file lacks this user."""
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return True
    return False


def name_of(uid: int) -> str:
    """Returns the user of this number, or the number where the password file does not have it."""
    return f"number {uid}" if has_no_name(uid) else pwd.getpwuid(uid).pw_name


def described(path: str | bytes | int) -> str:
    """Returns the owner of the path for a refusal; empty where it is this process's user."""
    try:
        owner = os.stat(path).st_uid
    except OSError:
        return ""
    ours = os.geteuid()
    return "" if owner == ours else f" (it belongs to user {name_of(owner)}, and this process is user {name_of(ours)})"


def _own(name: str, place: int, account: pwd.struct_passwd) -> bool:
    seen = os.stat(name, dir_fd=place, follow_symlinks=False)
    if seen.st_uid == account.pw_uid:
        return False
    os.chown(name, account.pw_uid, account.pw_gid, dir_fd=place, follow_symlinks=False)
    return True


def _refuse_foreign(directory: Path) -> None:
    owner, ours = directory.stat().st_uid, os.geteuid()
    if owner != ours:
        raise WrongOwner(
            f"{directory} belongs to user {name_of(owner)}, and this process is user {name_of(ours)}:"
            f" start it as that user, or as root run chown -R {ours} {directory}"
        )
    if directory.stat().st_mode & 0o027:
        directory.chmod(0o700)
