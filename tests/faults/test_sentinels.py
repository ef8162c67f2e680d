"""Sentinels replace a killed master of Redis again and again: nothing is lost, and every process continues by itself.

The longer command of docs/faults.md is the same test with twenty kills.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from statistics import median

import pytest
from redis import Redis

from inbox.live.feed import CHANNEL
from inbox.runtime.queue import SCHEDULER_LAST_RUN
from ops.embedded import Servers
from tests.faults.accepted_events import check_books
from tests.faults.redis_sentinels import PASSWORD, SENTINEL_PASSWORD, RedisSentinels, redis_sentinels
from tests.faults.service_processes import RunningService, Senders, running_at, until
from tests.live.web import Follower
from tests.runner.amounts import amount
from tests.stand_ins.receivers import SECRET, Receiver

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.xdist_group("faults")]

KILLS = amount("TEST_REDIS_KILLS", usual=2, long=20)

WORST_DELAY = """
    SELECT coalesce(max(extract(epoch FROM d.settled_at - e.received_at)), 0)::float8
    FROM deliveries d JOIN notices n ON n.id = d.notice_id
    JOIN events e ON e.workspace_id = n.workspace_id AND e.id = n.newest_event_id
"""


@pytest.fixture
def sentinels() -> Iterator[RedisSentinels]:
    with redis_sentinels() as sentinels:
        yield sentinels


@pytest.fixture
def running_service(sentinels: RedisSentinels, tmp_path: Path) -> Iterator[RunningService]:
    with (
        Servers.start(tmp_path / "servers", redis=False) as servers,
        running_at(servers.database_url, sentinels.url, tmp_path) as started,
    ):
        yield started


def test_nothing_is_lost_while_sentinels_replace_the_killed_master(
    running_service: RunningService, sentinels: RedisSentinels
) -> None:
    key = running_service.source_key(workspace := running_service.sign_in())
    promoted: list[float] = []
    back: list[float] = []
    with Receiver() as receiver, following(running_service) as stream:
        running_service.webhook(workspace, receiver.url, SECRET)
        with Senders(running_service, key, threads=4, pause=0.02) as senders:
            for _ in range(KILLS):
                seen = len(senders.accepted)
                until(lambda seen=seen: len(senders.accepted) > seen + 50, "events are accepted")
                killed, began = sentinels.kill_master(), time.monotonic()
                until(lambda killed=killed: sentinels.master() not in (0, killed), "the sentinels name another master")
                promoted.append(time.monotonic() - began)
                until_everybody_is_back(sentinels, stream, since=time.time())
                back.append(time.monotonic() - began)
                sentinels.revive(killed)
                until(sentinels.is_whole, "the killed server is a replica")
            known = len(stream.lines)
            until(lambda: len(stream.lines) > known, "the stream has further changes")

        until(running_service.settled, "everything accepted is routed and sent", 120)
        check_books(running_service, senders, receiver)
        assert not stream.ended.is_set()
    print(f"\n{KILLS} kills: {len(senders.accepted)} accepted, answers {senders.statuses}")
    print(f"another master after {spread(promoted)}, everybody back after {spread(back)}")
    print(f"slowest webhook {running_service.ask(WORST_DELAY)[0][0]:.1f} s after its event, {stream.resyncs} resyncs")
    assert set(senders.statuses) <= {202, 409, 503}
    assert secrets_in_logs(running_service) == []


def test_a_planned_change_of_the_master_is_followed(running_service: RunningService, sentinels: RedisSentinels) -> None:
    key = running_service.source_key(workspace := running_service.sign_in())
    with Receiver() as receiver, following(running_service) as stream:
        running_service.webhook(workspace, receiver.url, SECRET)
        with Senders(running_service, key, threads=2, pause=0.02) as senders:
            until(lambda: len(senders.accepted) > 20, "events are accepted")
            former = sentinels.master()
            sentinels.fail_over()
            until(lambda: sentinels.master() not in (0, former), "the sentinels name another master")
            until_everybody_is_back(sentinels, stream, since=time.time())

        until(running_service.settled, "everything accepted is routed and sent", 120)
        check_books(running_service, senders, receiver)
    assert set(senders.statuses) == {202}


def following(running_service: RunningService) -> Follower:
    """A client of the stream, signed in as the session of `running_service`."""
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in running_service.api.cookies)
    return Follower(running_service.port, {"Cookie": cookies})


def until_everybody_is_back(sentinels: RedisSentinels, stream: Follower, *, since: float) -> None:
    """Both workers, the scheduler and the stream use the new master. `since` is in seconds of the epoch."""
    with sentinels.client_of_master() as redis:
        until(lambda: heartbeats(redis, since) >= 2, "both workers serve the new master")
        until(lambda: float(redis.get(SCHEDULER_LAST_RUN) or 0) > since, "the scheduler runs on the new master")
        until(lambda: stream.ended.is_set() or listeners(redis), "the web process listens to the new master")
    assert not stream.ended.is_set(), stream.lines[-3:]


def listeners(redis: Redis) -> int:
    """How many processes have subscribed to changes at this server."""
    return sum(count for _, count in redis.pubsub_numsub(CHANNEL))


def heartbeats(redis: Redis, since: float) -> int:
    """How many workers have reported to this server after the moment."""
    reports = [redis.hget(key, "last_heartbeat") for key in redis.smembers("rq:workers")]
    return sum(datetime.fromisoformat(report).timestamp() > since for report in reports if report)


def spread(seconds: Sequence[float]) -> str:
    return f"{median(seconds):.1f} s (at most {max(seconds):.1f})"


def secrets_in_logs(running_service: RunningService) -> list[str]:
    """The log files that contain a password of the servers or of the sentinels, as it is or in the URL."""
    secrets = [PASSWORD, PASSWORD.replace("@", "%40"), SENTINEL_PASSWORD, SENTINEL_PASSWORD.replace("/", "%2F")]
    logs = [running_service.state / "up.log", *running_service.state.glob("logs/*.log")]
    return [log.name for log in logs if any(secret in log.read_text() for secret in secrets)]
