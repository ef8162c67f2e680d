"""One Redis server, or one sentinel, on a port of 127.0.0.1 with the settings of the test."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from ops.binaries import reachable, redis_programs
from ops.children import Child, wait_until
from tests.runner.ports import free_port

WITHOUT_DATA = {"save": "", "appendonly": "no"}


def redis_process(folder: Path, port: int, settings: Mapping[str, str], *, sentinel: bool = False) -> Child:
    """A process that is not started yet. It writes its changes of the configuration to a file in `folder`."""
    folder.mkdir()
    configuration = folder / "redis.conf"
    every = {"port": str(port), "bind": "127.0.0.1", "dir": str(folder), "protected-mode": "no", **settings}
    configuration.write_text("".join(f"{name} {value or chr(34) * 2}\n" for name, value in every.items()))
    return Child(
        name=folder.name,
        argv=[reachable(redis_programs(), None), str(configuration), *(["--sentinel"] if sentinel else [])],
        env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"},
        cwd=folder,
        log=folder / "log",
        death_signal=signal.SIGKILL,
    )


@contextmanager
def running_redis(folder: Path, settings: Mapping[str, str], *, sentinel: bool = False) -> Iterator[int]:
    """A server that answers, by its port. It is killed at the end."""
    port = free_port()
    child = redis_process(folder, port, settings, sentinel=sentinel)
    child.start()
    try:
        assert wait_until(lambda: _answers(port), 30), (folder / "log").read_text()
        yield port
    finally:
        child.kill()


def _answers(port: int) -> bool:
    with suppress(RedisError, OSError), closing(Redis(port=port)) as redis:
        return bool(redis.ping())
    return False
