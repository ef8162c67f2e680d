"""The settings of the embedded PostgreSQL."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")
LEAST_SHARED_MEMORY = 16 * 1024 * 1024
"""Below this, parallel queries would fail, and with very little the server does not even start."""

POSTGRES = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "jit": "off",
    "random_page_cost": "1.1",
    "max_wal_size": "2GB",
    "wal_compression": "on",
    # All of it is written at the start; the default is 16 MB. A commit writes it out, so that little waits in it.
    "wal_buffers": "4MB",
    "autovacuum_naptime": "20s",
    # Statements, errors and their details contain sent data, secrets too. None of it goes into a log: the caller
    # gets the error anyway.
    "log_min_messages": "log",
    "log_checkpoints": "off",
    "log_statement": "none",
    "log_min_error_statement": "panic",
    "log_min_duration_statement": "-1",
    "log_parameter_max_length_on_error": "0",
    "log_error_verbosity": "terse",
    "log_line_prefix": "%m [%p] ",
}
DURABLE = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "shared_buffers": "256MB",
    # Used files of the log are kept for reuse: a new one costs 16 MB of synced zeros in some commit.
    "min_wal_size": "512MB",
}
NON_DURABLE = {"fsync": "off", "full_page_writes": "off", "shared_buffers": "128MB", "max_wal_size": "256MB"}


def chosen(*, durable: bool, sockets: Path, sizes: Mapping[str, str]) -> dict[str, str]:
    """Returns all settings of the server. `sizes` depend on the machine."""
    more = DURABLE if durable else NON_DURABLE
    return POSTGRES | more | dict(sizes) | shared_memory() | {"unix_socket_directories": str(sockets)}


def shared_memory(place: Path = SHARED_MEMORY) -> dict[str, str]:
    """Returns the memory settings.

    Where `/dev/shm` is small, as in many containers, files of the data directory are shared.
    """
    try:
        seen = os.statvfs(place)
        enough = seen.f_blocks * seen.f_frsize >= LEAST_SHARED_MEMORY and os.access(place, os.W_OK)
    except OSError:
        enough = False
    return {} if enough else {"dynamic_shared_memory_type": "mmap"}
