"""Workers are killed and frozen in the middle of deliveries, while people edit the destination and rotate its secret."""

from __future__ import annotations

import base64
import os
import random
import secrets
import signal
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, suppress
from uuid import uuid4

import pytest
import requests

from tests.faults.accepted_events import check_books
from tests.faults.chats import CHATS, Chat
from tests.faults.service_processes import RunningService, Senders, running, until
from tests.runner.amounts import amount
from tests.stand_ins.receivers import SECRET, Answer, Receiver

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.xdist_group("faults")]

CALLS, BETWEEN_FAULTS = amount("TEST_WEBHOOKS", usual=400, long=4_000), 200
"""How many webhooks arrive before the senders stop, and how many between two deaths."""

PAUSE, OPEN_FOR, CALLS_AT_ONCE = 0.05, 0.05, 64
"""Seconds between two events of a sender and of each call, and the limit of the destination. A dead worker then has some calls
open, and not all that are allowed: otherwise nothing is sent after each death until their leases end."""

INCIDENTS, CRITICAL = amount("TEST_CHAT_INCIDENTS", usual=4, long=30), 2
"""How many incidents the chats show, and how many of them are critical."""

CALL_SECONDS, ATTEMPTS = 2, 10
"""The time-out of a call here, and how often a worker is frozen until it has one open."""


@pytest.fixture(scope="module")
def running_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    state = tmp_path_factory.mktemp("deliveries")
    with running(state, workers=3, destination_concurrency=CALLS_AT_ONCE) as running_service:
        yield running_service


@pytest.fixture(scope="module")
def workspace(running_service: RunningService) -> str:
    return running_service.sign_in()


def kill_one(running_service: RunningService, chance: random.Random, *, spare: Collection[int] = ()) -> None:
    """Kill a worker that is not frozen."""
    alive = sorted(set(running_service.processes("jobs.worker")) - set(spare))
    with suppress(ProcessLookupError, IndexError):
        os.kill(chance.choice(alive), signal.SIGKILL)


class Editor:
    """Somebody who signs in again and edits the destination: its name, or its secret."""

    def __init__(self, running_service: RunningService, destination: str, receiver: Receiver) -> None:
        self.count, self._rig, self._destination, self._receiver = 0, running_service, destination, receiver

    def edit(self) -> None:
        """The next edit."""
        self.count += 1
        fields: dict[str, object] = {"name": f"Receiver {self.count}"}
        if self.count % 2:
            secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
            self._receiver.secrets.add(secret)
            fields["config"] = {"secret": secret}
        self._rig.call("PATCH", f"/v1/destinations/{self._destination}", fields)


def test_each_delivery_arrives_with_its_id_and_bytes_despite_crashes_and_edits(
    running_service: RunningService, workspace: str
) -> None:
    with Receiver() as receiver:
        editor, chance = (
            Editor(running_service, running_service.webhook(workspace, receiver.url, SECRET), receiver),
            random.Random(11),
        )
        key = running_service.source_key(workspace)
        with Senders(running_service, key, incidents=1_000, pause=PAUSE) as senders:  # so many that none of them flaps
            frozen = freeze_one_in_the_middle(running_service, receiver)
            for _ in range(0, CALLS, BETWEEN_FAULTS):
                receiver.wait_for(len(receiver.requests) + BETWEEN_FAULTS, 120)
                kill_one(running_service, chance, spare=frozen)
                editor.edit()
        until(running_service.settled, "the others send what the frozen worker had", 240)
        for pid in frozen:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        until(
            lambda: "stale delivery result ignored" in log_of_workers(running_service),
            "the late results are ignored",
            60,
        )
        until(running_service.settled, "nothing is left to send", 60)

        check_books(running_service, senders, receiver)
        assert running_service.ask("SELECT DISTINCT status FROM deliveries") == [("sent",)]


def log_of_workers(running_service: RunningService) -> str:
    """What the workers have logged."""
    return "".join(path.read_text() for path in sorted((running_service.state / "logs").glob("worker-*.log")))


def freeze_one_in_the_middle(running_service: RunningService, receiver: Receiver) -> list[int]:
    """Stop the worker that only delivers while it has calls open; answers its pid."""
    receiver.answer = Answer(delay=0.5)
    frozen = running_service.processes("jobs.worker delivery")
    assert len(frozen) == 1
    for _ in range(ATTEMPTS):
        receiver.wait_until_open(2, 120)
        os.kill(frozen[0], signal.SIGSTOP)
        if holds_deliveries(running_service):
            receiver.answer = Answer(delay=OPEN_FOR)
            return frozen
        os.kill(frozen[0], signal.SIGCONT)
    raise AssertionError("the calls were always those of another worker")


def holds_deliveries(running_service: RunningService) -> bool:
    """Whether there are deliveries whose calls should have ended by far: those of the frozen worker."""
    claimed = running_service.ask("SELECT id, attempt FROM deliveries WHERE status = 'sending'")
    time.sleep(4 * CALL_SECONDS)
    still = running_service.ask("SELECT id, attempt FROM deliveries WHERE status = 'sending'")
    return bool(set(claimed) & set(still))


def chats_of(running_service: RunningService, workspace: str, servers: Sequence[tuple[Chat, Receiver]]) -> None:
    """A destination at each server, on the default route."""
    made = []
    for chat, server in servers:
        config = chat.config(server.url.removesuffix("/hook"))
        fields = {"workspaceId": workspace, "name": chat.kind, "kind": chat.kind, "config": config}
        made.append(running_service.call("POST", "/v1/destinations", {**fields, "minSeverity": chat.least})["id"])
    route = running_service.call("GET", f"/v1/workspaces/{workspace}/default-route")
    body = {"dispositions": route["dispositions"], "destinationIds": made}
    running_service.call("PUT", f"/v1/workspaces/{workspace}/default-route", body)


def test_the_message_of_an_incident_ends_in_its_last_state_despite_crashes(
    running_service: RunningService, workspace: str
) -> None:
    chance = random.Random(5)
    with ExitStack() as stack:
        servers = [(chat, stack.enter_context(Receiver(chat))) for chat in (each() for each in CHATS)]
        chats_of(running_service, workspace, servers)
        key = running_service.source_key(workspace, "Chat")
        for action in ("trigger", "resolve", "trigger", "resolve"):
            for number in range(INCIDENTS):
                severity = "CRITICAL" if number < CRITICAL else "ERROR"
                event = {"title": f"Disk {number}", "dedupKey": f"chat-{number}", "action": action}
                send(running_service, key, {**event, "severity": severity})
            seen = [len(server.requests) for _, server in servers]
            until(lambda: all(map(has_more, servers, seen)), "messages are changed", 120)  # noqa: B023
            kill_one(running_service, chance)
        until(running_service.settled, "all is sent", 240)

    assert [ended_resolved(running_service, chat) for chat, _ in servers] == [
        CRITICAL if chat.least else INCIDENTS for chat, _ in servers
    ]


def has_more(served: tuple[Chat, Receiver], seen: int) -> bool:
    """Whether the server had another call."""
    return len(served[1].requests) > seen


def ended_resolved(running_service: RunningService, chat: Chat) -> int:
    """How many messages the chat has, all of which must show the last state of their incidents."""
    found = running_service.ask(
        "SELECT i.title, m.reference->>%s, i.state, (SELECT n.reason FROM notices n JOIN deliveries d ON d.notice_id = n.id"
        " WHERE n.incident_id = i.id ORDER BY n.seq DESC LIMIT 1) FROM incidents i"
        " JOIN destination_messages m ON m.incident_id = i.id JOIN destinations d ON d.id = m.destination_id WHERE d.kind = %s",
        chat.reference,
        chat.kind,
    )
    for title, id, state, reason in found:
        assert (state, reason) == ("resolved", "resolved")
        assert chat.heads[id].endswith(f"RESOLVED · {title}"), (chat.kind, chat.heads[id])
    return len(found)


def send(running_service: RunningService, key: str, event: dict[str, str]) -> None:
    """Send the event until it is accepted."""
    headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": uuid4().hex}

    def accepted() -> bool:
        try:
            answer = requests.post(f"{running_service.address}/v1/events", json=event, headers=headers, timeout=10)
        except requests.RequestException:
            return False
        return answer.status_code == 202

    until(accepted, "the event is accepted")
