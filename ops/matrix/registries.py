"""The settings with which pip and npm reach their registries from this machine, for a bare system on it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

PREFIXES = ("PIP_", "NPM_CONFIG_")
NAMES = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
)

OF_THE_SYSTEM = ("etc/pip.conf", "etc/npmrc", "etc/ssl/certs", "etc/resolv.conf", "etc/hosts")
"""Paths below `/`: settings, certificate authorities, and name resolution."""

OF_A_HOME = (".pip/pip.conf", ".config/pip/pip.conf", ".npmrc")


def variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables of registries, proxies and certificate authorities."""
    return {
        name: value for name, value in environment.items() if name.upper() in NAMES or name.upper().startswith(PREFIXES)
    }


def copy_to_system(root: Path, here: Path = Path("/")) -> None:
    """Copies files of this system, following links, into a bare system.

    Existing files of the bare system are removed first, because an absolute link leads to a file of this system.
    """
    for name in OF_THE_SYSTEM:
        source, target = here / name, root / name
        if source.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target, ignore_dangling_symlinks=True)
        elif source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            shutil.copyfile(source, target)


def copy_to_home(home: Path, owner: tuple[int, int], here: Path) -> None:
    """Copies the files of a home, which may have passwords of registries, for their new owner alone."""
    for name in OF_A_HOME:
        source, target = here / name, home / name
        if not source.is_file():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch(mode=0o600)
        target.write_bytes(source.read_bytes())
        for path in (target, *target.parents):
            if path == home:
                break
            os.chown(path, *owner)
