"""The client of Redis: sentinels, and servers on which the queues cannot run."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from inbox.config.settings import Settings, SettingsInvalid
from inbox.runtime import redis_client
from inbox.runtime.outages import cause_of
from inbox.runtime.queue import JobQueues, QueueName
from tests.database.pgbouncer import environment_of
from tests.faults.redis_sentinels import RedisSentinels, redis_sentinels
from tests.faults.service_processes import PROJECT
from tests.stand_ins.redis_process import WITHOUT_DATA, running_redis

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def sentinels() -> Iterator[RedisSentinels]:
    with redis_sentinels() as sentinels:
        yield sentinels


@pytest.fixture(scope="module")
def cluster_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("cluster") / "server"
    with running_redis(folder, {**WITHOUT_DATA, "cluster-enabled": "yes"}) as port:
        yield port


def test_wake_ups_reach_the_master_that_sentinels_name(sentinels: RedisSentinels) -> None:
    queues = JobQueues(sentinels.url)

    assert queues.wake(QueueName.ROUTING)
    with sentinels.client_of_master() as master:
        assert master.llen("rq:queue:routing") == 1
    assert queues.pool_usage() == (0, 1, 64)


def test_the_servers_behind_sentinels_are_known_after_the_first_connection(sentinels: RedisSentinels) -> None:
    with closing(redis_client.connect(sentinels.url)) as client:
        client.ping()

    assert redis_client.KNOWN_SERVERS >= {("127.0.0.1", port) for port in sentinels.ports}


def test_threads_that_ask_at_once_keep_every_sentinel(sentinels: RedisSentinels) -> None:
    dead = sentinels.url.replace("@127.0.0.1", "@127.0.0.1:1,127.0.0.1", 1)
    with closing(redis_client.connect(dead)) as client:
        pool: Any = client.connection_pool
        askers = [threading.Thread(target=pool.get_master_address) for _ in range(16)]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join(30)

        ports = sorted(each.connection_pool.connection_kwargs["port"] for each in pool.sentinel_manager.sentinels)
        assert ports == sorted([1, *sentinels.sentinel_ports])


def test_unreachable_sentinels_are_an_outage_whose_cause_names_no_password() -> None:
    with closing(redis_client.connect("redis+sentinel://u:s3@127.0.0.1:1/m?sentinel_password=s4")) as client:
        with pytest.raises(RedisConnectionError) as failed:
            client.ping()

        assert cause_of(failed.value) == "no sentinel names a master"
        assert "s3" not in f"{failed.value} {failed.value!r} {client!r}" and "s4" not in str(failed.value)


def test_a_server_in_cluster_mode_is_refused(cluster_port: int) -> None:
    with pytest.raises(SettingsInvalid, match="leads to a server in cluster mode"):
        redis_client.refuse_unusable(f"redis://127.0.0.1:{cluster_port}/0")


def test_a_sentinel_as_if_it_were_the_server_is_refused(tmp_path: Path) -> None:
    with (
        running_redis(tmp_path / "sentinel", {}, sentinel=True) as port,
        pytest.raises(SettingsInvalid, match="leads to a sentinel as if it were the server"),
    ):
        redis_client.refuse_unusable(f"redis://127.0.0.1:{port}/0")


def test_usable_and_absent_servers_are_no_fault_of_the_settings(settings: Settings, sentinels: RedisSentinels) -> None:
    for url in (settings.redis_url, sentinels.url, "redis://127.0.0.1:1/0", "redis+sentinel://127.0.0.1:1/m"):
        redis_client.refuse_unusable(url)


@pytest.mark.parametrize("part", ["worker", "scheduler", "web"])
def test_every_part_ends_at_its_start_with_a_sentence_about_cluster_mode(
    part: str, cluster_port: int, settings: Settings, tmp_path: Path
) -> None:
    environment = {
        **os.environ,
        **environment_of(settings),
        "REDIS_URL": f"redis://127.0.0.1:{cluster_port}/0",
        "INBOX_SECRET_KEYS": settings.secret_keys,
        "INBOX_SIGNING_KEY": settings.signing_key,
        "INBOX_DATA_DIR": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-m", "ops.run", part],
        env=environment, cwd=PROJECT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert done.returncode == 2
    assert redis_client.IN_CLUSTER_MODE in done.stderr
