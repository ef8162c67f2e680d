"""`bin/inbox` as a process beside the service."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from inbox.config.settings import Settings
from tests.cast import Cast
from tests.ops.preloaded import Preloaded

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def signals_reach_children() -> Iterator[None]:
    """Children start with the default actions of signals.

    A run in the background ignores SIGINT, and one under `nohup` SIGHUP. A child inherits what is ignored, but not a handler.
    """
    ignored = [each for each in (signal.SIGINT, signal.SIGHUP) if signal.getsignal(each) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, lambda *_: None)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture
def beside(settings: Settings, cast: Cast, tmp_path: Path) -> dict[str, str]:
    """The environment of the service on this database, which may take longer on a busy machine than a command waits."""
    separator = "&" if "?" in settings.database_url else "?"
    return {
        "DATABASE_URL": f"{settings.database_url}{separator}connect_timeout=30",
        "REDIS_URL": settings.redis_url,
        "INBOX_SECRET_KEYS": settings.secret_keys,
        "INBOX_SIGNING_KEY": settings.signing_key,
        "INBOX_DATA_DIR": str(tmp_path),
        "PATH": os.environ["PATH"],
    }


@pytest.fixture(scope="session")
def preloaded() -> Iterator[Preloaded]:
    """The process that has imported the commands, for all tests of this test process."""
    with Preloaded.started() as process:
        yield process


@pytest.fixture
def inbox(beside: dict[str, str], preloaded: Preloaded) -> Run:
    """`inbox("user", "list")` runs the command beside the service on this database."""

    def run(
        *words: str, stated: str = "", more: Mapping[str, str | None] | None = None
    ) -> subprocess.CompletedProcess[str]:
        env = {name: value for name, value in {**beside, **(more or {})}.items() if value is not None}
        return preloaded.run(list(words), env, stated)

    return run
