"""`bin/inbox` as a process beside the service."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from inbox.settings import Settings
from tests.cast import Cast
from tests.ops.processes import PROJECT

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def beside(settings: Settings, cast: Cast, tmp_path: Path) -> dict[str, str]:
    """The environment of the service on this database."""
    return {
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "INBOX_SECRET_KEYS": settings.secret_keys,
        "INBOX_SIGNING_KEY": settings.signing_key,
        "INBOX_DATA_DIR": str(tmp_path),
        "PATH": os.environ["PATH"],
    }


@pytest.fixture
def inbox(beside: dict[str, str]) -> Run:
    """`inbox("user", "list")` runs the command beside the service on this database."""

    def run(
        *words: str, stated: str = "", more: Mapping[str, str | None] | None = None
    ) -> subprocess.CompletedProcess[str]:
        env = {name: value for name, value in {**beside, **(more or {})}.items() if value is not None}
        return subprocess.run(
            [sys.executable, "-m", "cli", *words],
            cwd=PROJECT, env=env, input=stated, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    return run
