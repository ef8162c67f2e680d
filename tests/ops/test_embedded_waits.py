"""The wait for the first answer of an embedded server: while it runs, and until a stop at the latest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from redis import Redis

from ops import embedded
from ops.embedded import Interrupted, NotStarted, Patience

QUICK = 0.001


def server(**more: Any) -> Any:
    killed: list[str] = []
    about = {"name": "postgres", "running": True, "returncode": None, "log": None, "log_began": 0}
    return SimpleNamespace(**{**about, "killed": killed, "kill": lambda: killed.append("killed"), **more})


def after(count: int, reports: list[str]) -> Callable[[], bool]:
    return lambda: len(reports) >= count


def test_a_server_that_recovers_for_long_is_waited_for_and_reported() -> None:
    reports: list[str] = []
    recovering = server()

    embedded._answering(recovering, after(3, reports), Patience(reports.append, report_seconds=QUICK))

    assert reports == ["postgres does not answer yet; perhaps it recovers from a crash (see None)"] * 3
    assert recovering.killed == []


def test_a_request_to_stop_ends_the_wait_and_kills_nothing() -> None:
    reports: list[str] = []
    recovering = server()

    with pytest.raises(Interrupted):
        embedded._answering(recovering, lambda: False, Patience(reports.append, after(2, reports), QUICK))

    assert len(reports) == 2
    assert recovering.killed == []


def test_a_server_that_ends_is_not_waited_for() -> None:
    with pytest.raises(NotStarted, match="postgres ended with 1: it printed nothing"):
        embedded._answering(server(running=False, returncode=1), lambda: False, Patience())


@pytest.mark.slow
def test_a_directory_may_have_characters_that_urls_reserve(tmp_path: Path) -> None:
    with embedded.Servers.start(tmp_path / "a#b%20c?d", durable=False, postgres=False) as servers:
        assert Redis.from_url(servers.redis_url).ping()
