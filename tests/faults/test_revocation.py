"""A revoked credential is refused at once: no later request succeeds, on two web processes under load.

`TEST_REVOCATIONS` sets how often each kind is revoked. Six requests follow each time; a long run sends more than 500
for each.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg2
import psycopg2.extras
import pytest
import requests

from inbox.database.base import new_id
from inbox.domain.values import ids
from tests.faults.service_processes import EMAIL, RunningService, Senders, running, until
from tests.runner.amounts import amount

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("faults")]

ROUNDS, CLIENTS, AFTER = amount("TEST_REVOCATIONS", usual=6, long=90), 3, 2
"""How often each is ended, by how many clients it is used meanwhile, and how often each of them tries afterwards."""


@dataclass
class Credential:
    """One that is good: what is asked with it, and how it is ended."""

    ask: dict[str, Any]
    end: Callable[[], None]
    refused: int = 401


class Ground:
    """The running service, its workspace, and rows that are made behind its back because that is quick."""

    def __init__(self, running_service: RunningService) -> None:
        self.running_service, self.workspace = running_service, running_service.sign_in()
        self.source = running_service.call("POST", "/v1/sources", {"workspaceId": self.workspace, "name": "Revoked"})[
            "id"
        ]
        [(self.owner_id,)] = running_service.ask("SELECT id FROM users WHERE email = %s", EMAIL)
        self.member_id = new_id()
        self.write(
            "INSERT INTO users (id, email, email_key, name, created_at) VALUES (%s, 'm@example.org', 'm@example.org', 'M', now())",
            self.member_id,
        )

    def write(self, statement: str, *values: Any) -> None:
        connection = psycopg2.connect(self.running_service.servers.database_url)
        psycopg2.extras.register_uuid()
        with connection, connection.cursor() as cursor:
            cursor.execute(statement, values)
        connection.close()

    def session(self, user_id: UUID) -> tuple[str, str]:
        """Id and cookie of a new session."""
        session_id, token = new_id(), secrets.token_urlsafe(32)
        self.write(
            "INSERT INTO sessions (id, user_id, token_hash, created_at, last_seen_at, proved_at) VALUES (%s, %s, %s, now(), now(), now())",
            session_id, user_id, hashlib.sha256(token.encode()).digest(),
        )  # fmt: skip
        return ids.encode("ses", session_id), f"inbox_session_{self.running_service.port}={token}"

    def joined(self, role: str) -> str:
        """The cookie of a member of this role."""
        self.write(
            "INSERT INTO members (id, workspace_id, user_id, role, joined_at) VALUES (%s, %s, %s, %s, now())"
            " ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role",
            new_id(), ids.decode("wsp", self.workspace), self.member_id, role,
        )  # fmt: skip
        return self.session(self.member_id)[1]

    @property
    def membership(self) -> str:
        return f"/v1/workspaces/{self.workspace}/members/{ids.encode('usr', self.member_id)}"


def source_key(ground: Ground) -> Credential:
    path = f"/v1/sources/{ground.source}/keys"
    made = ground.running_service.call("POST", path, {"name": "revoked"})
    event = {"title": "Disk full", "severity": "DEBUG"}
    requested = {"method": "POST", "path": "/v1/events", "json": event, "headers": _bearer(made["secret"])}
    return Credential(requested, lambda: ground.running_service.call("DELETE", f"{path}/{made['id']}"))


def session_that_signs_out(ground: Ground) -> Credential:
    _, cookie = ground.session(ground.owner_id)

    def sign_out() -> None:
        headers = {"Cookie": cookie, "Origin": ground.running_service.address}
        assert requests.post(
            f"{ground.running_service.address}/v1/auth/logout", json={}, headers=headers, timeout=20
        ).ok

    return Credential({"path": "/v1/me", "headers": {"Cookie": cookie}}, sign_out)


def session_ended_from_elsewhere(ground: Ground) -> Credential:
    session_id, cookie = ground.session(ground.owner_id)
    end = f"/v1/me/sessions/{session_id}"
    return Credential(
        {"path": "/v1/me", "headers": {"Cookie": cookie}}, lambda: ground.running_service.call("DELETE", end)
    )


def membership(ground: Ground) -> Credential:
    requested = {"path": f"/v1/workspaces/{ground.workspace}", "headers": {"Cookie": ground.joined("member")}}
    return Credential(requested, lambda: ground.running_service.call("DELETE", ground.membership), 404)


def role(ground: Ground) -> Credential:
    requested = {"path": f"/v1/keys?workspaceId={ground.workspace}", "headers": {"Cookie": ground.joined("admin")}}
    return Credential(
        requested, lambda: ground.running_service.call("PATCH", ground.membership, {"role": "viewer"}), 403
    )


def device(ground: Ground) -> Credential:
    code = ground.running_service.call("POST", "/v1/devices/pairings", {})["code"]
    made = ground.running_service.call("POST", "/v1/devices/pair", {"code": code, "name": "Phone"})
    end = f"/v1/devices/{made['deviceId']}"
    requested = {"path": "/v1/me", "headers": _bearer(made["accessToken"])}
    return Credential(requested, lambda: ground.running_service.call("DELETE", end))


def _bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    with running(tmp_path_factory.mktemp("revocation"), web=2, workers=1) as running_service:
        yield Ground(running_service)


@contextmanager
def busy(ground: Ground) -> Iterator[None]:
    """The service has events to take meanwhile."""
    with Senders(
        ground.running_service, ground.running_service.source_key(ground.workspace, "Busy"), threads=1
    ) as senders:
        until(lambda: senders.accepted, "events are accepted")
        yield
        assert set(senders.statuses) <= {202, 409}  # a slow request is sent again under its key


def race(running_service: RunningService, credential: Credential, clients: ThreadPoolExecutor) -> list[int]:
    """The statuses of the requests that began after it was answered that the credential has ended."""
    ended: list[float] = []
    good = threading.Semaphore(0)

    def use() -> list[int]:
        late: list[int] = []
        while len(late) < AFTER:
            began = time.monotonic()
            requested = dict(credential.ask)
            path, method = requested.pop("path"), requested.pop("method", "GET")
            # A separate connection for each, so that either process may get it.
            status = requests.request(method, running_service.address + path, timeout=20, **requested).status_code
            if ended and began > ended[0]:
                late.append(status)
            elif status < 300:
                good.release()
        return late

    using = [clients.submit(use) for _ in range(CLIENTS)]
    for _ in range(CLIENTS):
        assert good.acquire(timeout=30), "the credential is good before it is ended"
    credential.end()
    ended.append(time.monotonic())
    return [status for each in using for status in each.result()]


@pytest.mark.parametrize(
    "make",
    [source_key, session_that_signs_out, session_ended_from_elsewhere, membership, role, device],
    ids=lambda make: make.__name__,
)
def test_no_request_that_begins_after_a_revocation_succeeds(
    make: Callable[[Ground], Credential], ground: Ground
) -> None:
    assert len(ground.running_service.web_workers()) == 2
    with busy(ground), ThreadPoolExecutor(CLIENTS) as clients:
        for _ in range(ROUNDS):
            credential = make(ground)
            assert race(ground.running_service, credential, clients) == [credential.refused] * CLIENTS * AFTER
