"""Faults of every part of a large arrangement, often two at once: nothing is lost or doubled, and the service is back.

It runs only as the longer command of docs/faults.md.
"""

from __future__ import annotations

import random
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

import pytest

from ops.children import wait_until
from tests.faults.accepted_events import check_books
from tests.faults.arrangement import WEB, WORKERS, Arrangement, arrangement
from tests.faults.gaps import Gaps
from tests.faults.hosts import RECEIVER
from tests.faults.service_processes import Senders, until
from tests.runner.amounts import amount
from tests.stand_ins.receivers import SECRET, Receiver

FAULTS = amount("TEST_ARRANGEMENT_FAULTS", usual=0, long=20)
SEED = amount("TEST_ARRANGEMENT_SEED", usual=7, long=7)

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.xdist_group("faults")]

SHORTEST, LONGEST = 0.5, 4.0
"""How long a fault lasts before it is mended, in seconds."""

SHARE_OF_PAIRS = 0.3

Fault = Callable[[Arrangement, random.Random], Iterator[None]]


def kill_a_web_host(whole: Arrangement, choice: random.Random) -> Iterator[None]:
    yield from _killed(whole, choice.choice(WEB))


def kill_a_worker_host(whole: Arrangement, choice: random.Random) -> Iterator[None]:
    yield from _killed(whole, choice.choice(WORKERS))


def _killed(whole: Arrangement, name: str) -> Iterator[None]:
    whole.hosts[name].kill()
    yield
    whole.hosts[name].start()


def freeze_a_host(whole: Arrangement, choice: random.Random) -> Iterator[None]:
    host = whole.hosts[choice.choice([*whole.hosts])]
    host.freeze()
    yield
    host.thaw()


def cut_a_link(whole: Arrangement, choice: random.Random) -> Iterator[None]:
    host = whole.hosts[choice.choice([*whole.hosts])]
    host.cut()
    yield
    host.mend()


def kill_the_primary(whole: Arrangement, _: random.Random) -> Iterator[None]:
    primary = whole.patroni.primary()
    assert primary is not None
    primary.kill_postgres()
    yield
    until(lambda: whole.patroni.primary() not in (None, primary), "another server takes writes")


def freeze_the_primary(whole: Arrangement, _: random.Random) -> Iterator[None]:
    primary = whole.patroni.primary()
    assert primary is not None
    primary.signal_postgres(signal.SIGSTOP)
    yield
    primary.signal_postgres(signal.SIGCONT)


def kill_the_pooler(whole: Arrangement, _: random.Random) -> Iterator[None]:
    whole.pooler.kill()
    yield
    whole.pooler.start()


def freeze_the_pooler(whole: Arrangement, _: random.Random) -> Iterator[None]:
    whole.pooler.send(signal.SIGSTOP)
    yield
    whole.pooler.send(signal.SIGCONT)


def kill_the_master_of_redis(whole: Arrangement, _: random.Random) -> Iterator[None]:
    port = whole.sentinels.kill_master()
    yield
    until(lambda: whole.sentinels.master() not in (0, port), "the sentinels name another master")
    whole.sentinels.revive(port)


def freeze_the_master_of_redis(whole: Arrangement, _: random.Random) -> Iterator[None]:
    port = whole.sentinels.freeze_master()
    yield
    whole.sentinels.thaw(port)


def restart_a_sentinel(whole: Arrangement, _: random.Random) -> Iterator[None]:
    whole.sentinels.restart_sentinel()
    yield


LAYERS: list[list[Fault]] = [
    [kill_a_web_host, kill_a_worker_host, freeze_a_host, cut_a_link],
    [kill_the_primary, freeze_the_primary, kill_the_pooler, freeze_the_pooler],
    [kill_the_master_of_redis, freeze_the_master_of_redis, restart_a_sentinel],
]
"""Faults of the hosts, of the database and of Redis. Two at once are of different layers."""


@pytest.mark.skipif(FAULTS == 0, reason="TEST_ARRANGEMENT_FAULTS is not set")
def test_nothing_is_lost_or_doubled_while_parts_of_the_arrangement_fail(tmp_path: Path) -> None:
    choice = random.Random(SEED)
    with arrangement(tmp_path) as whole, Receiver(address=RECEIVER) as receiver:
        key = whole.service.source_key(workspace := whole.service.sign_in())
        whole.service.webhook(workspace, receiver.url, SECRET)
        found: dict[str, list[float]] = defaultdict(list)
        with Senders(whole.service, key, threads=6, pause=0.02) as senders, Gaps(senders) as gaps:
            made = 0
            while made < FAULTS:
                faults = _chosen(choice)[: FAULTS - made]
                _happen(faults, whole, senders, gaps, choice)
                found[" + ".join(fault.__name__ for fault in faults)].append(gaps.longest)
                made += len(faults)
                print(f"{made}: {', '.join(fault.__name__ for fault in faults)}: {gaps.longest:.1f} s", flush=True)
        until(whole.service.settled, "everything accepted is routed and sent", 240)
        check_books(whole.service, senders, receiver)
    every = [seconds for each in found.values() for seconds in each]
    print(f"\n{FAULTS} faults: {len(senders.accepted)} accepted, answers {senders.statuses}")
    print(f"{len(receiver.requests)} webhooks; no event accepted for {median(every):.1f} s (at most {max(every):.1f})")
    for name, each in sorted(found.items()):
        print(f"{name}: {len(each)} times, {median(each):.1f} s (at most {max(each):.1f})")
    assert set(senders.statuses) <= {202, 409, 503}


def _chosen(choice: random.Random) -> list[Fault]:
    """One fault, or two of different layers."""
    layers = choice.sample(LAYERS, 2 if choice.random() < SHARE_OF_PAIRS else 1)
    return [choice.choice(layer) for layer in layers]


def _happen(faults: list[Fault], whole: Arrangement, senders: Senders, gaps: Gaps, choice: random.Random) -> None:
    """The faults last together for a while. Returns when events are accepted and every part is whole again."""
    gaps.restart()
    seen = len(senders.accepted)
    with ExitStack() as stack:
        for fault in faults:
            stack.enter_context(contextmanager(fault)(whole, choice))
        time.sleep(choice.uniform(SHORTEST, LONGEST))
    assert wait_until(whole.is_whole, 180, every=0.1), whole.report()
    until(lambda: len(senders.accepted) > seen + 50, "events are accepted again", 120)
