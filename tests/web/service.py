"""Prepares records for dashboard tests through the API, as a script of an operator would."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import requests

from tests.faults.service_processes import until
from tests.up import Up

EMAIL, PASSWORD = "olga@example.org", "a long phrase of olgas own"
PROVED_SECONDS = 120.0


@dataclass(frozen=True)
class FirstAccount:
    """What the set-up page said of a common password, and where it led to."""

    refusal: str
    led_to: str


def one_request_a_connection() -> requests.Session:
    """A session whose connections are never kept: a busy service may close a kept one at the moment of the next request."""
    session = requests.Session()
    session.headers["Connection"] = "close"
    return session


@dataclass
class Service:
    """The service with Olga signed in by `session`; `key` is a source key of the source Backups."""

    address: str
    session: requests.Session = field(default_factory=one_request_a_connection)
    key: str = ""
    proved_at: float = float("-inf")

    @classmethod
    def of(cls, up: Up) -> Service:
        """Sign Olga in, who is the first account, and make a source with a few incidents."""
        service = cls(up.address)
        service.session.headers["Origin"] = up.address
        service.post("/v1/auth/login", {"email": EMAIL, "password": PASSWORD})
        workspace = service.home()
        source = service.post("/v1/sources", {"workspaceId": workspace["id"], "name": "Backups"})
        service.key = service.post(f"/v1/sources/{source['id']}/keys", {"name": "tests"})["secret"]
        for number, severity in enumerate(("CRITICAL", "ERROR", "WARNING")):
            service.send(
                f"Prepared {severity.lower()}", severity=severity, dedupKey=f"prepared:{number}", tags=["prod"]
            )
        until(lambda: len(service.get("/v1/incidents")["items"]) >= 3, "the events are incidents", 60)
        return service

    def home(self) -> dict[str, Any]:
        """The workspace that Olga's account began with, whichever others a test has made."""
        [home] = [each for each in self.get("/v1/workspaces")["items"] if each["slug"] == "home"]
        return dict(home)

    def get(self, path: str) -> Any:
        """The JSON of a read."""
        answer = self.session.get(self.address + path, timeout=60)
        answer.raise_for_status()
        return answer.json()

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """The JSON of a write."""
        answer = self.session.post(self.address + path, json=body, timeout=60)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def patch(self, path: str, body: dict[str, Any]) -> Any:
        """The JSON of an edit that replaces whatever is stored."""
        answer = self.session.patch(self.address + path, json=body, timeout=60)
        answer.raise_for_status()
        return answer.json()

    def delete(self, path: str) -> None:
        """A record that is no longer needed."""
        self.session.delete(self.address + path, timeout=60).raise_for_status()

    def send(self, title: str, **fields: Any) -> None:
        """One event, as `curl` sends it."""
        headers = {"Authorization": f"Bearer {self.key}"}
        body = {"title": title, "severity": "ERROR", **fields}
        requests.post(f"{self.address}/v1/events", json=body, headers=headers, timeout=60).raise_for_status()

    def send_many(self, events: list[dict[str, Any]]) -> None:
        """A hundred events a request."""
        headers = {"Authorization": f"Bearer {self.key}"}
        for first in range(0, len(events), 100):
            body = {"events": [{"severity": "ERROR", **each} for each in events[first : first + 100]]}
            requests.post(f"{self.address}/v1/events", json=body, headers=headers, timeout=60).raise_for_status()

    def incident(self, title: str, **fields: Any) -> dict[str, Any]:
        """The incident that one event opens."""
        self.send(title, **fields)
        until(lambda: self.get(f"/v1/incidents?q={quote(title)}")["items"], f"{title} is an incident", 60)
        return dict(self.get(f"/v1/incidents?q={quote(title)}")["items"][0])

    def joined(self, name: str, role: str = "member", workspace: dict[str, Any] | None = None) -> Service:
        """A new member of the workspace, or of Home, signed in: `tess@example.org` with `PASSWORD` for the name `Tess`."""
        link = self.invite(role, workspace)
        other = Service(self.address)
        other.session.headers["Origin"] = self.address
        account = {"email": f"{name.lower()}@example.org", "name": name, "password": PASSWORD}
        other.post("/v1/invites/accept", {"token": link.partition("#token=")[2], **account})
        return other

    def invite(self, role: str, workspace: dict[str, Any] | None = None) -> str:
        """The link of a new invitation to the workspace, or to Home."""
        invites = f"/v1/workspaces/{(workspace or self.home())['id']}/invites"
        self.prove()
        return str(self.post(invites, {"role": role})["link"])

    def prove(self) -> None:
        """Prove the password again: a deletion needs a proof of the last 5 minutes, and an account has 10 proofs in that time."""
        if time.monotonic() - self.proved_at > PROVED_SECONDS:
            self.post("/v1/auth/step-up", {"factor": "password", "password": PASSWORD})
            self.proved_at = time.monotonic()

    @contextmanager
    def workspace(self, name: str) -> Iterator[dict[str, Any]]:
        """A new workspace. It is deleted at the end, with a proof for that: lists of workspaces stay short."""
        made: dict[str, Any] = self.post("/v1/workspaces", {"name": name})
        try:
            yield made
        finally:
            self.prove()
            self.delete(f"/v1/workspaces/{made['id']}")

    def cookies(self) -> list[dict[str, str]]:
        """Olga's session, for a browser."""
        return [{"name": str(c.name), "value": str(c.value), "url": self.address} for c in self.session.cookies]

    def destination(self, name: str, url: str = "http://127.0.0.1:9/hook") -> dict[str, Any]:
        """A webhook destination with this name, which no route names."""
        existing = [each for each in self.get("/v1/destinations?limit=200")["items"] if each["name"] == name]
        if existing:
            return dict(existing[0])
        workspace = self.home()
        secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
        body = {"workspaceId": workspace["id"], "name": name, "kind": "webhook"}
        return dict(self.post("/v1/destinations", {**body, "config": {"url": url, "secret": secret}}))

    def monitor(self, name: str, **fields: Any) -> dict[str, Any]:
        """A new heartbeat monitor of the source Backups, with its `pingUrl`. It expects a ping each hour."""
        [source] = [each for each in self.get("/v1/sources?limit=200")["items"] if each["name"] == "Backups"]
        body = {"workspaceId": source["workspaceId"], "sourceId": source["id"], "name": name}
        schedule = {"kind": "simple", "periodSeconds": 3600}
        return dict(self.post("/v1/heartbeat-monitors", {**body, "schedule": schedule, **fields}))

    def check_in(self, watcher_id: str, *checks: dict[str, str], name: str = "") -> dict[str, Any]:
        """A check-in of a watcher of the source with `key`. It checks in each hour."""
        body = {"watcherId": watcher_id, "name": name or watcher_id, "hostname": f"{watcher_id}.example.org"}
        answer = requests.post(
            f"{self.address}/v1/watchers/check-in",
            json={**body, "intervalSeconds": 3600, "checks": checks},
            headers={"Authorization": f"Bearer {self.key}"},
            timeout=60,
        )
        answer.raise_for_status()
        return dict(answer.json())
