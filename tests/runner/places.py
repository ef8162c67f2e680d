"""Directories of test servers: in memory if it has enough space."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ENOUGH_BYTES = 2 * 1024**3


def roomy_place() -> str:
    """Memory where there is some: `fsync` stays as it is shipped, and costs nothing there."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > ENOUGH_BYTES
    return str(memory) if roomy else "/tmp"


@contextmanager
def roomy_directory(prefix: str) -> Iterator[Path]:
    """A directory in that place, through which every account gets. It is removed at the end."""
    directory = Path(tempfile.mkdtemp(prefix=prefix, dir=roomy_place()))
    directory.chmod(0o755)
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)
