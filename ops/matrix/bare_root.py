"""A bare Debian system in a directory: made by debootstrap, entered in new namespaces, and removed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ops.matrix import registries
from ops.matrix.mirror import Mirror

PACKAGES = ("python3", "python3-venv")
"""The packages that the README names."""

NAMESPACES = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
"""Ends mounts and processes with the command, however it ends, so that nothing of them stays on this machine."""

CLONE = "incident-inbox"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

ENTER = """
set -e
root=$1
shift
mount --make-rprivate /
# A root that is a mount point: programs inside can make mount namespaces.
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for name in null zero full random urandom tty; do
    touch "$root/dev/$name"
    mount --bind "/dev/$name" "$root/dev/$name"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
ln -s fd/0 "$root/dev/stdin"
ln -s fd/1 "$root/dev/stdout"
ln -s fd/2 "$root/dev/stderr"
set +e
chroot "$root" "$@"
# Not replaced by the command: as process 1 this shell waits for every orphan.
exit $?
"""


@dataclass(frozen=True)
class Account:
    """Root or an ordinary user of the bare system."""

    name: str
    home: str

    @property
    def become(self) -> tuple[str, ...]:
        """The command that turns root into this account."""
        if self.name == "root":
            return ()
        return ("setpriv", f"--reuid={self.name}", f"--regid={self.name}", "--init-groups")


ROOT, USER = Account("root", "/root"), Account("olga", "/home/olga")
ACCOUNTS = {"root": ROOT, "user": USER}


class StillMounted(Exception):
    """A file system is mounted below a bare system. The text names it."""


def mounts_below(path: Path) -> list[str]:
    """Returns the mount points of this machine below a path."""
    points = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    return [point for point in points if point.startswith(f"{path}/")]


@dataclass(frozen=True)
class BareRoot:
    """A bare system at a path."""

    path: Path

    def make(self, suite: str, mirror: Mirror, proxies: Mapping[str, str], log: IO[str]) -> None:
        """Installs the minimal system and the packages of the README. Raises CalledProcessError when a step failed."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        keyring = [f"--keyring={mirror.keyring}"] if mirror.keyring else []
        subprocess.run(
            [
                *NAMESPACES, "--mount-proc",
                "debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", *keyring, suite, str(self.path), mirror.uri,
            ],
            env={**os.environ, **proxies}, stdout=log, stderr=subprocess.STDOUT, check=True,
        )  # fmt: skip
        registries.copy_to_system(self.path)
        subprocess.run(
            self._entering(ROOT, "/", ["useradd", "--create-home", "--shell", "/bin/sh", USER.name]),
            stdout=log, stderr=subprocess.STDOUT, check=True,
        )  # fmt: skip

    def clone(self, project: Path, account: Account) -> str:
        """Clones the project into the home of an account. Returns the path inside."""
        home = self.path / account.home.lstrip("/")
        seen = home.stat()
        registries.copy_to_home(home, (seen.st_uid, seen.st_gid), Path.home())
        clone = home / CLONE
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(project), str(clone)], check=True)
        for path in (clone, *clone.rglob("*")):
            os.chown(path, seen.st_uid, seen.st_gid, follow_symlinks=False)
        return f"{account.home}/{CLONE}"

    def run(self, account: Account, directory: str, command: Sequence[str], log: IO[str]) -> int:
        """Runs a command in a directory of the system. Returns its exit code."""
        environment = {
            **registries.variables(os.environ),
            "PATH": PATH,
            "HOME": account.home,
            "USER": account.name,
            "LOGNAME": account.name,
        }
        return subprocess.run(
            self._entering(account, directory, command),
            env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, check=False,
        ).returncode  # fmt: skip

    def remove(self) -> None:
        """Deletes the system. Its mounts end with each command.

        A mount made by hand would lose files of this machine.
        """
        if found := mounts_below(self.path):
            raise StillMounted(f"{self.path} is not removed: unmount {', '.join(found)} first")
        shutil.rmtree(self.path)

    def _entering(self, account: Account, directory: str, command: Sequence[str]) -> list[str]:
        inside = ["sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", directory, *command]
        return [*NAMESPACES, "sh", "-c", ENTER, "sh", str(self.path), *account.become, *inside]
