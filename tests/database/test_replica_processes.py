"""Reads on a replica by real web processes: with the stream, with a frozen replica, and through a pooler."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests

from inbox.config.settings import Settings
from inbox.database import role_settings
from inbox.database.base import db
from inbox.database.migrate import migrate
from inbox.models.incidents.tables import Incident
from inbox.services.instance import bootstrap
from tests.cast import Cast, typeid
from tests.database.pgbouncer import pgbouncer
from tests.database.standbys import Replicated
from tests.live.web import Follower, Web, follow_as, until
from tests.stand_ins.outgoing_posts import make_incident


@pytest.fixture(scope="module")
def pair() -> Iterator[Replicated]:
    with Replicated.started() as pair:
        yield pair


@pytest.fixture(scope="module")
def replicated(settings: Settings, pair: Replicated) -> Iterator[Settings]:
    """Settings of web processes; this process writes on the primary alone."""
    chosen = replace(settings, database_url=pair.primary.url)
    bootstrap.configure(chosen, application="inbox-test")
    try:
        migrate(db)
        role_settings.keep(db)
        with db.connection_context():
            yield replace(chosen, read_database_url=pair.standby.url, metrics_token="metrics-token-of-the-test")
    finally:
        bootstrap.configure(settings, application="inbox-test")


@pytest.fixture(scope="module")
def cast(replicated: Settings) -> Cast:
    return Cast.assemble()


@pytest.fixture(scope="module")
def incident(cast: Cast, pair: Replicated) -> Incident:
    made = make_incident(cast)
    pair.catch_up()
    return made


class Reader:
    """A signed-in person at a web process."""

    def __init__(self, web: Web, cookie: str) -> None:
        self._web, self._headers = web, {"Cookie": f"inbox_session_8080={cookie}"}

    def revision(self, incident: Incident) -> int:
        """The `rev` of the incident in the list."""
        answer = self._web.get("/v1/incidents", **self._headers)
        assert answer.status == 200
        items: list[dict[str, Any]] = json.loads(answer.read())["items"]
        [rev] = [item["rev"] for item in items if item["id"] == typeid("inc", incident.id)]
        return int(rev)

    def rename(self, incident: Incident, title: str) -> None:
        address = f"http://127.0.0.1:{self._web.port}"
        path = f"{address}/v1/incidents/{typeid('inc', incident.id)}"
        answer = requests.patch(path, json={"title": title}, headers={**self._headers, "Origin": address}, timeout=60)
        assert answer.status_code == 200, answer.text


def reads(web: Web) -> dict[str, float]:
    """What the processes have counted, by outcome."""
    answer = web.get("/metrics", Authorization="Bearer metrics-token-of-the-test")
    found: dict[str, float] = {}
    for line in answer.read().decode().splitlines():
        if line.startswith("inbox_replica_reads_total{"):
            outcome = line.partition('outcome="')[2].partition('"')[0]
            found[outcome] = found.get(outcome, 0) + float(line.rpartition(" ")[2])
    return found


@contextmanager
def frozen(pair: Replicated) -> Iterator[None]:
    """The replica keeps its connections and answers nothing."""
    postmaster = int((pair.standby.data / "postmaster.pid").read_text().split()[0])
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(postmaster)], capture_output=True, text=True, check=True)
    pids = [postmaster, *map(int, listed.stdout.split())]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def changed_revision(follower: Follower, known: int) -> int:
    """The `rev` of the newest reference to an incident, once there is one newer than `known`."""

    def newest() -> int:
        return max((each["rev"] for each in follower.reported if each["type"] == "incident"), default=0)

    until(lambda: newest() > known)
    return newest()


def test_a_list_after_a_reference_of_the_stream_is_never_older(
    replicated: Settings, cast: Cast, incident: Incident, pair: Replicated, tmp_path: Path
) -> None:
    """Two processes, a replica 200 ms behind, and changes by another person, faster and slower than that."""
    pair.delay("200ms")
    try:
        with Web.start(replicated, tmp_path, workers=2) as web, follow_as(web, cast, "mia") as follower:
            mia, adam = (Reader(web, cast.cookie(name)) for name in ("mia", "adam"))
            pair.catch_up()
            rev = 0
            for number in range(30):
                adam.rename(incident, f"Title {number}")
                rev = changed_revision(follower, rev)
                assert mia.revision(incident) >= rev
            until(lambda: mia.revision(incident) and reads(web).get("replica", 0) > 0)
            assert reads(web)["behind"] > 0
    finally:
        pair.delay("0")


def test_a_frozen_replica_keeps_no_reader(
    replicated: Settings, cast: Cast, incident: Incident, pair: Replicated, tmp_path: Path
) -> None:
    with Web.start(replicated, tmp_path, workers=1) as web:
        mia = Reader(web, cast.cookie("mia"))
        until(lambda: mia.revision(incident) and reads(web).get("replica", 0) > 0)
        with frozen(pair):
            for _ in range(3):
                mia.revision(incident)
            found = reads(web)
            assert (found["failed"], found["unavailable"]) == (1, 2)

        answered = found["replica"]
        until(lambda: mia.revision(incident) and reads(web)["replica"] > answered)


def test_a_replica_behind_a_pooler_is_read(
    replicated: Settings, cast: Cast, incident: Incident, pair: Replicated, tmp_path: Path
) -> None:
    with pgbouncer(pair.standby.url) as pooler:
        chosen = replace(replicated, read_database_url=pooler.url(), database_pooler="transaction")
        with Web.start(chosen, tmp_path, workers=1) as web:
            mia = Reader(web, cast.cookie("mia"))
            until(lambda: mia.revision(incident) and reads(web).get("replica", 0) > 0)

            Incident.update(rev=Incident.rev + 1).where(Incident.id == incident.id).execute()
            pair.catch_up()
            assert mia.revision(incident) == Incident.get_by_id(incident.id).rev
            assert reads(web).keys() <= {"replica", "behind"}
