"""Runs a worker in its own process, on the servers of the tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inbox.config.settings import Settings
from tests.database.pgbouncer import environment_of
from tests.ops.processes import Reported


@contextmanager
def worker_of(settings: Settings, log: Path, **environment: str) -> Iterator[Reported]:
    """Runs a worker for all queues with these settings, and more of the environment."""
    own = {
        **environment_of(settings),
        "REDIS_URL": settings.redis_url,
        "INBOX_SECRET_KEYS": settings.secret_keys,
        "INBOX_SIGNING_KEY": settings.signing_key,
    }
    reported = Reported(["-m", "jobs.worker"], log, {**os.environ, **own, **environment})
    try:
        yield reported
    finally:
        reported.kill()
