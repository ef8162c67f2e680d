"""The system status when Redis answers but does not work."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cli.doctor import REMEDIES
from inbox.runtime.queue import job_queues
from inbox.services.instance import system_status


@pytest.fixture
def full_redis(ground: object) -> Iterator[None]:
    """A Redis that answers and refuses every write."""
    redis = job_queues().redis
    redis.config_set("maxmemory", 1)
    yield
    redis.config_set("maxmemory", 0)


@pytest.mark.usefixtures("full_redis")
def test_a_redis_that_refuses_writes_is_reported_and_not_as_a_missing_scheduler() -> None:
    found = system_status.parts()

    for name in ("workers", "scheduler", "feed"):
        assert found[name].detail.startswith("Redis takes no writes: command not allowed when used memory"), name
        assert found[name].redis_refuses
        assert found[name].status is not system_status.State.OK
    assert "maxmemory" in REMEDIES["redis"] and "bin/scheduler" not in REMEDIES["redis"]


@pytest.mark.usefixtures("ground")
def test_missing_workers_and_scheduler_are_reported() -> None:
    found = system_status.parts()

    assert found["workers"].detail == system_status.NO_WORKER
    assert found["scheduler"].detail.startswith("No scheduler is running")
    assert not found["scheduler"].redis_refuses
