"""Patroni replaces a killed primary again and again, and changes it as planned: nothing is lost.

The longer command of docs/faults.md is the same test with fifty kills.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

import pytest

from ops.embedded import Servers
from tests.database.patroni import Patroni, patroni
from tests.faults.accepted_events import check_books
from tests.faults.gaps import Gaps
from tests.faults.service_processes import RunningService, Senders, running_at, until
from tests.runner.amounts import amount
from tests.stand_ins.receivers import SECRET, Receiver

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.xdist_group("faults")]

KILLS = amount("TEST_POSTGRES_KILLS", usual=1, long=50)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Patroni]:
    with patroni() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of the service, with the keys of what is in the database."""
    return tmp_path_factory.mktemp("patroni")


@pytest.fixture
def running_service(cluster: Patroni, state: Path, request: pytest.FixtureRequest) -> Iterator[RunningService]:
    url = cluster.proxied_url if request.param == "haproxy" else cluster.url
    with (
        Servers.start(state / "servers", postgres=False) as servers,
        running_at(url, servers.redis_url, state) as started,
    ):
        yield started


@pytest.mark.parametrize("running_service", ["haproxy"], indirect=True)
def test_nothing_is_lost_while_patroni_replaces_the_killed_primary(
    running_service: RunningService, cluster: Patroni
) -> None:
    key = running_service.source_key(workspace := running_service.sign_in())
    promoted: list[float] = []
    back: list[float] = []
    recovered = 0
    with Receiver() as receiver:
        running_service.webhook(workspace, receiver.url, SECRET)
        with Senders(running_service, key, threads=4, pause=0.02) as senders:
            for _ in range(KILLS):
                seen = len(senders.accepted)
                until(lambda seen=seen: len(senders.accepted) > seen + 50, "events are accepted")
                killed, timeline, began = cluster.primary(), cluster.timeline(), time.monotonic()
                assert killed is not None
                killed.kill_postgres()
                seen = len(senders.accepted)
                until(lambda timeline=timeline: cluster.timeline() > timeline, "a server takes writes again")
                promoted.append(time.monotonic() - began)
                # Patroni starts the killed one again where it knows no synchronous standby at that moment.
                recovered += cluster.primary() is killed
                until(lambda seen=seen: len(senders.accepted) > seen, "events are accepted again")
                back.append(time.monotonic() - began)
                until(cluster.is_whole, "the killed server follows", 120)

        until(running_service.settled, "everything accepted is routed and sent", 120)
        check_books(running_service, senders, receiver)
    print(f"\n{KILLS} kills: {len(senders.accepted)} accepted, answers {senders.statuses}")
    print(f"a primary after {spread(promoted)}, events accepted after {spread(back)}")
    print(f"{recovered} times the killed server itself came back")
    assert set(senders.statuses) <= {202, 409, 503}


@pytest.mark.parametrize("running_service", ["hosts"], indirect=True)
def test_nothing_is_lost_in_a_planned_change_of_the_primary(running_service: RunningService, cluster: Patroni) -> None:
    key = running_service.source_key(workspace := running_service.sign_in())
    with Receiver() as receiver:
        running_service.webhook(workspace, receiver.url, SECRET)
        with Senders(running_service, key, threads=4, pause=0.02) as senders, Gaps(senders) as gaps:
            until(lambda: len(senders.accepted) > 50, "events are accepted")
            former = cluster.primary()
            cluster.switch_over()
            seen = len(senders.accepted)
            until(lambda: len(senders.accepted) > seen + 50, "events are accepted")
            assert cluster.primary() is not former

        until(running_service.settled, "everything accepted is routed and sent", 120)
        check_books(running_service, senders, receiver)
    print(f"\na planned change: {len(senders.accepted)} accepted, answers {senders.statuses}")
    print(f"no event was accepted for {gaps.longest:.2f} s")
    assert set(senders.statuses) <= {202, 409, 503}


def spread(seconds: Sequence[float]) -> str:
    return f"{median(seconds):.1f} s (at most {max(seconds):.1f})"
