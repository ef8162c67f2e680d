"""A client of the service that the pages for operators have started."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests

from tests.faults.service_processes import until

EMAIL, PASSWORD = "olga@example.org", "a long enough passphrase"

ADMINISTRATOR = {"INBOX_ADMIN_EMAIL": EMAIL, "INBOX_ADMIN_PASSWORD": PASSWORD}
"""Lets the service create the account of Olga at its start."""


@dataclass
class Service:
    """Requests to one address, as Olga after `sign_in`."""

    address: str
    log: Path
    verify: str | bool = True
    session: requests.Session = field(default_factory=requests.Session)

    def wait(self) -> None:
        """Until it is ready."""
        until(self.is_ready, f"the service is ready: {self.log}", 120)

    def is_ready(self) -> bool:
        """Whether it answers `/readyz` with 200."""
        try:
            return requests.get(f"{self.address}/readyz", timeout=3, verify=self.verify).status_code == 200
        except requests.RequestException:
            return False

    def is_complete(self) -> bool:
        """Whether the administrator sees that all parts work."""
        parts = [part for part in self.call("GET", "/v1/admin/system").values() if isinstance(part, dict)]
        return bool(parts) and all(part["status"] == "ok" for part in parts)

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        headers = {"Origin": self.address}
        answer = self.session.request(
            method, self.address + path, json=body, headers=headers, timeout=30, verify=self.verify
        )
        assert answer.ok, (method, path, answer.status_code, answer.text)
        return answer.json() if answer.content else None

    def sign_in(self) -> str:
        """Sign Olga in; answers the id of her workspace."""
        self.call("POST", "/v1/auth/login", {"email": EMAIL, "password": PASSWORD})
        return str(self.call("GET", "/v1/workspaces")["items"][0]["id"])

    def source_key(self, workspace: str) -> str:
        """The key of a new source, and a destination whose secret is stored."""
        secret = "whsec_" + "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
        config = {"url": "http://127.0.0.1:9/", "secret": secret}
        destination = {"workspaceId": workspace, "name": "Receiver", "kind": "webhook", "config": config}
        self.call("POST", "/v1/destinations", destination)
        source = self.call("POST", "/v1/sources", {"workspaceId": workspace, "name": "Backups"})["id"]
        return str(self.call("POST", f"/v1/sources/{source}/keys", {"name": "nightly"})["secret"])

    def send(self, key: str, title: str) -> None:
        """An event that opens an incident of its title."""
        answer = requests.post(
            f"{self.address}/v1/events",
            json={"title": title, "severity": "ERROR", "dedupKey": title},
            headers={"Authorization": f"Bearer {key}"},
            timeout=30,
            verify=self.verify,
        )
        assert answer.status_code == 202, answer.text

    def titles(self) -> list[str]:
        """The titles of the incidents."""
        return sorted(each["title"] for each in self.call("GET", "/v1/incidents")["items"])

    def has(self, *titles: str) -> None:
        """These are the incidents, as soon as all events are routed."""
        until(lambda: self.titles() == sorted(titles), f"the incidents are {titles}: {self.titles()}", 60)
