"""The next version migrates the tables and takes over while the present one works: nothing is lost or sent twice."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import requests

from ops.embedded import Servers
from tests.database.clusters import chosen_servers
from tests.faults.accepted_events import check_books
from tests.faults.service_processes import RunningService, Senders, until
from tests.ops import next_version
from tests.stand_ins.receivers import SECRET, Receiver

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("up")]

ROUTED_BY_PRESENT = "SELECT count(*) FROM routed_events WHERE routed_by IS NULL"
ROUTED_BY_NEXT = f"SELECT count(*) FROM routed_events WHERE routed_by = '{next_version.VERSION}'"


@contextmanager
def started(service: RunningService) -> Iterator[RunningService]:
    """One web process and one worker. They are stopped at the end, unless the test did."""
    try:
        service.start(web=1, workers=1)
        yield service
    finally:
        if service.up is not None:
            service.stop()


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    with chosen_servers().start(tmp_path / "servers", durable=False) as servers:
        yield servers


def count(service: RunningService, query: str) -> int:
    return int(service.ask(query)[0][0])


def of_next_version(present: RunningService, folder: Path) -> RunningService:
    """The next version with the servers and the keys of a running one."""
    state = folder / "state"
    state.mkdir(parents=True)
    shutil.copy(present.state / "keys", state)
    return RunningService(present.servers, state, root=next_version.make(folder / "tree"))


def test_the_next_version_takes_over_from_the_present_one_under_load(servers: Servers, tmp_path: Path) -> None:
    state = tmp_path / "present"
    state.mkdir()
    with Receiver() as receiver, started(RunningService(servers, state)) as present:
        workspace = present.sign_in()
        present.webhook(workspace, receiver.url, SECRET)
        key = present.source_key(workspace)
        with ExitStack() as sending:
            earlier = sending.enter_context(Senders(present, key, threads=2, pause=0.05))
            until(lambda: len(earlier.accepted) > 20, "the present version accepts events")
            with started(of_next_version(present, tmp_path / "next")) as upcoming:
                with Senders(upcoming, key, threads=2, pause=0.05) as later:
                    routed = count(upcoming, ROUTED_BY_PRESENT)
                    until(lambda: count(upcoming, ROUTED_BY_PRESENT) > routed, "the present version still routes", 120)
                    until(lambda: count(upcoming, ROUTED_BY_NEXT), "the next version routes beside it", 120)
                    ready = requests.get(f"{present.address}/readyz", timeout=20)
                    sending.close()
                    present.stop()
                    accepted = len(later.accepted)
                    until(lambda: len(later.accepted) > accepted + 20, "the next version works alone")
                until(upcoming.settled, "everything is routed and sent", 120)
                check_books(upcoming, SimpleNamespace(accepted=earlier.accepted | later.accepted), receiver)

    assert (ready.status_code, ready.json()["status"]) == (200, "degraded")
    assert next_version.MIGRATION in ready.json()["detail"]
