"""Thousands of alternating triggers and resolves, four workers, some of them killed all the time: the order holds.

Each key has one sender, so what must come of it is known event by event.
"""

from __future__ import annotations

import json
import os
import random
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, Self

import pytest
import requests

from tests.faults.accepted_events import check_books
from tests.faults.background import Background
from tests.faults.service_processes import RunningService, running, until
from tests.runner.amounts import amount
from tests.stand_ins.receivers import SECRET, Receiver

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.xdist_group("faults")]

SENDERS, KEYS, ROUNDS = 8, 6, amount("TEST_ORDER_ROUNDS", usual=15, long=100)
"""How many send, of how many keys each, and in how many requests."""

RUNS = (1, 3, 5)
"""How many events of each key are in a request: odd, so that requests begin with triggers and with resolves in turn."""

FIFTH = 5
"""The number, from 0, of the event that is the fifth move between open and resolved: its notice is `flapping`."""


class Alternation:
    """Senders of one source each, of which the odd ones never reopen; `sent` is how many events of each key were sent."""

    def __init__(self, running_service: RunningService, workspace: str, profile: str) -> None:
        self.running_service = running_service
        self.accepted: dict[str, str] = {}
        self.statuses: set[int] = set()
        self.sent: dict[str, int] = {}
        keys = [self._source(workspace, number, profile if number % 2 else None) for number in range(SENDERS)]
        self._threads = [
            threading.Thread(target=self._send, args=(number, key), daemon=True) for number, key in enumerate(keys)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for thread in self._threads:
            thread.join(300)
            assert not thread.is_alive(), "a sender still waits for its 202"

    @property
    def goes_on(self) -> bool:
        """Whether anybody still sends."""
        return any(thread.is_alive() for thread in self._threads)

    @staticmethod
    def reopens(key: str) -> bool:
        """Whether what is over is reopened; else a new incident follows each time."""
        return int(key.split("-")[0]) % 2 == 0

    def _source(self, workspace: str, number: int, profile: str | None) -> str:
        body = {"workspaceId": workspace, "name": f"Sender {number}", "routingProfileId": profile}
        source = self.running_service.call("POST", "/v1/sources", body)
        return str(self.running_service.call("POST", f"/v1/sources/{source['id']}/keys", {"name": "test"})["secret"])

    def _send(self, number: int, secret: str) -> None:
        chance, session = random.Random(number), requests.Session()
        counts = dict.fromkeys((f"{number}-{key}" for key in range(KEYS)), 0)
        for place in range(ROUNDS):
            batch = []
            for key in counts:
                for _ in range(chance.choice(RUNS)):
                    batch.append(_event(key, counts[key]))
                    counts[key] += 1
            chance.shuffle(batch)
            batch = sorted(batch, key=lambda event: int(event["externalId"].rpartition("/")[2]))
            while not self._accepted(session, secret, f"{number}/{place}", batch):
                time.sleep(0.2)
            time.sleep(chance.uniform(0, 0.8))
        self.sent |= counts

    def _accepted(self, session: requests.Session, secret: str, name: str, batch: list[dict[str, str]]) -> bool:
        headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": name, "Content-Type": "application/json"}
        body = json.dumps({"events": batch})
        try:
            answer = session.post(f"{self.running_service.address}/v1/events", data=body, headers=headers, timeout=20)
        except requests.RequestException:
            return False
        self.statuses.add(answer.status_code)
        if answer.status_code != 202:
            assert answer.status_code in (409, 503), answer.text
            return False
        found = answer.json()["events"]
        self.accepted |= {event["externalId"]: one["id"] for event, one in zip(batch, found, strict=True)}
        return True


def _event(key: str, place: int) -> dict[str, str]:
    """Even places break, odd ones mend."""
    action = "resolve" if place % 2 else "trigger"
    return {
        "title": "Disk full",
        "severity": "ERROR",
        "dedupKey": key,
        "action": action,
        "externalId": f"{key}/{place}",
    }


class Killer(Background):
    """Kills a worker, the supervisor's child or what it forked for a job, every half second or so."""

    def __init__(self, running_service: RunningService) -> None:
        super().__init__()
        self.killed = 0
        self._rig, self._chance = running_service, random.Random(7)

    def pause(self) -> float:
        return self._chance.uniform(0.2, 1.0)

    def step(self) -> None:
        workers = self._rig.processes("jobs.worker")
        for pid in self._chance.sample(workers, min(len(workers), self._chance.choice([1, 1, 2]))):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                self.killed += 1


@pytest.fixture(scope="module")
def running_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running(tmp_path_factory.mktemp("order"), workers=4) as running_service:
        yield running_service


def never_reopens(running_service: RunningService, workspace: str, destination: str) -> str:
    """A profile by which each trigger after an end opens a new incident; answers its id."""
    steps = [{"afterMinutes": 0, "destinationIds": [destination]}]
    body = {"workspaceId": workspace, "name": "Anew", "steps": steps, "reopenWindowMinutes": 0}
    return str(running_service.call("POST", "/v1/routing-profiles", body)["id"])


def test_events_of_a_key_are_routed_in_order_despite_crashes(running_service: RunningService) -> None:
    workspace = running_service.sign_in()
    with Receiver() as receiver:
        profile = never_reopens(running_service, workspace, running_service.webhook(workspace, receiver.url, SECRET))
        with Alternation(running_service, workspace, profile) as alternation, Killer(running_service) as killer:
            while alternation.goes_on:
                assert _doubly_open(running_service) == []
                time.sleep(0.3)
        until(running_service.settled, "everything accepted is routed and sent", 180)

        assert len(alternation.accepted) == sum(alternation.sent.values()) >= 2_000
        assert killer.killed >= 10
        check_books(running_service, alternation, receiver)
        each_event_did_what_it_was_sent_for(running_service, alternation)
        each_timeline_is_as_sent(running_service, alternation)
        incidents_follow_each_other(running_service, alternation)
        each_event_was_reported_once(running_service, alternation)


def _doubly_open(running_service: RunningService) -> list[tuple[Any, ...]]:
    return running_service.ask(
        "SELECT source_id, fingerprint FROM incidents WHERE state <> 'resolved' GROUP BY 1, 2 HAVING count(*) > 1"
    )


def each_event_did_what_it_was_sent_for(running_service: RunningService, alternation: Alternation) -> None:
    """An event out of its turn would be `updated` or `unmatched`."""
    found = running_service.ask("SELECT external_id, disposition FROM events")
    wrong = [(name, what) for name, what in found if what != ("resolved" if _place(name) % 2 else "opened")]
    assert (len(found), wrong) == (len(alternation.accepted), [])


def each_timeline_is_as_sent(running_service: RunningService, alternation: Alternation) -> None:
    """Of each key: one entry an event, in the order in which they were sent, and event ids ascend."""
    entries = running_service.ask(
        "SELECT i.dedup_key, t.kind, e.external_id, e.id::text FROM timeline t"
        " JOIN incidents i ON i.id = t.incident_id LEFT JOIN events e ON e.id = t.event_id ORDER BY i.number, t.id"
    )
    lines: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for key, *entry in entries:
        lines[key].append((entry[0], entry[1], entry[2]))
    for key, count in alternation.sent.items():
        repeated = "reopened" if alternation.reopens(key) else "opened"
        kinds = ["resolved" if place % 2 else repeated if place else "opened" for place in range(count)]
        assert [entry[0] for entry in lines[key]] == kinds, key
        assert [entry[1] for entry in lines[key]] == [f"{key}/{place}" for place in range(count)], key
        assert all(one < other for one, other in pairwise(entry[2] for entry in lines[key])), key


def incidents_follow_each_other(running_service: RunningService, alternation: Alternation) -> None:
    """One incident of a key, or a chain of them, of which none but the last is unresolved, as the last event says."""
    found = running_service.ask(
        "SELECT dedup_key, id::text, related_incident_id::text, state, reopen_count, event_count, flapping"
        " FROM incidents ORDER BY dedup_key, number"
    )
    chains = {key: list(chain) for key, chain in groupby(found, itemgetter(0))}
    assert chains.keys() == alternation.sent.keys()
    for key, chain in chains.items():
        count, triggers = alternation.sent[key], (alternation.sent[key] + 1) // 2
        reopens = alternation.reopens(key)
        assert len(chain) == (1 if reopens else triggers), key
        assert [one[2] for one in chain] == [None, *(one[1] for one in chain[:-1])], key
        assert [one[3] for one in chain] == ["resolved"] * (len(chain) - 1) + ["resolved" if count % 2 == 0 else "open"]
        assert chain[0][4] == (triggers - 1 if reopens else 0), key
        assert sum(one[5] for one in chain) == count, key
        assert chain[-1][6] == (count > FIFTH), key


def each_event_was_reported_once(running_service: RunningService, alternation: Alternation) -> None:
    """One notice an event; from the fifth move on, which says that it flaps, they are withheld."""
    found = running_service.ask(
        "SELECT i.dedup_key, n.reason, e.external_id, n.decisions->0->>'decision',"
        " (SELECT count(*) FROM deliveries d WHERE d.notice_id = n.id)"
        " FROM notices n JOIN incidents i ON i.id = n.incident_id JOIN events e ON e.id = n.event_id"
        " ORDER BY i.dedup_key, i.number, n.seq"
    )
    reported = {key: [row[1:] for row in rows] for key, rows in groupby(found, itemgetter(0))}
    for key, count in alternation.sent.items():
        repeated = "reopened" if alternation.reopens(key) else "opened"
        required = []
        for place in range(count):
            reason = "resolved" if place % 2 else repeated if place else "opened"
            decision = ("notify", 1) if place <= FIFTH else ("flapping", 0)
            required.append(("flapping" if place == FIFTH else reason, f"{key}/{place}", *decision))
        assert reported[key] == required, key
    assert running_service.ask("SELECT i.id FROM incidents i WHERE notice_count <> (SELECT count(*) FROM notices n"
                   " WHERE n.incident_id = i.id)") == []  # fmt: skip


def _place(name: str) -> int:
    return int(name.rpartition("/")[2])
