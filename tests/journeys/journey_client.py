"""A separate workspace on a running service: set up over the API as an operator does it, a sender, real receivers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg2
import requests

from inbox.domain.values import ids
from tests.faults.service_processes import RunningService, until
from tests.stand_ins.receivers import SECRET, Receiver, Request

MEMBERS = {"v", "title", "severity", "state", "sourceName", "resource", "workspaceName", "incidentId", "firstSeenAt",
           "url", "reason"}  # fmt: skip
"""What `data` of every notice has (specification 10.2)."""

SOURCE = "Backups"
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

_MOMENTS = (
    "first_seen_at",
    "last_seen_at",
    "opened_at",
    "acknowledged_at",
    "resolved_at",
    "notified_at",
    "steps_start_at",
)


class Webhook:
    """A webhook destination and the receiver that it sends to."""

    def __init__(self, id: str, receiver: Receiver) -> None:
        self.id = id
        self.receiver = receiver

    def assert_received(self, *reasons: str) -> list[dict[str, Any]]:
        """`data` of all it was sent so far, as soon as there are so many; these are their reasons, in this order.

        Each is signed as Standard Webhooks says it must be, sent once, and whole.
        """
        requests = self.receiver.wait_for(len(reasons), 30)
        assert [each.json["type"] for each in requests] == [f"incident.{reason}" for reason in reasons]
        assert len({each.id for each in requests}) == len(requests)
        return [_checked(each) for each in requests]

    def assert_nothing_received(self) -> None:
        """Until now. Use it only after another receiver got a notice of the same time."""
        assert [each.json["type"] for each in self.receiver.requests] == []


class Operator:
    """What an operator sets up, what a sender sends, and what a person does, each over HTTP."""

    def __init__(self, service: RunningService, name: str, receivers: ExitStack) -> None:
        self.service, self.name, self._receivers = service, name, receivers
        self.workspace_id = str(service.call("POST", "/v1/workspaces", {"name": name})["id"])
        self.key = service.source_key(self.workspace_id, SOURCE)

    def listen(self, name: str = "Pager", *, routed: bool = True, **more: Any) -> Webhook:
        """A new webhook destination; `routed`: the default route goes to it, and to no other."""
        receiver = self._receivers.enter_context(Receiver())
        config = {"url": receiver.url, "secret": SECRET}
        made = self.make("destinations", name=name, kind="webhook", config=config, **more)
        if routed:
            path = f"/v1/workspaces/{self.workspace_id}/default-route"
            shipped = self.service.call("GET", path)["dispositions"]
            self.service.call("PUT", path, {"destinationIds": [made["id"]], "dispositions": shipped})
        return Webhook(made["id"], receiver)

    def make(self, what: str, **fields: Any) -> Any:
        """One more of `rules`, `routing-profiles`, `silences`, `destinations`."""
        return self.service.call("POST", f"/v1/{what}", {"workspaceId": self.workspace_id, **fields})

    def silence(self, ends_at: datetime) -> Any:
        """Silence everything until then."""
        return self.make("silences", matchText="any event", endsAt=moment(ends_at), comment="Upgrade, OPS-7")

    def settle(self, **settings: Any) -> None:
        """Change settings of the workspace."""
        self.service.call("PATCH", f"/v1/workspaces/{self.workspace_id}", {"settings": settings})

    def send(self, **fields: Any) -> None:
        """An event of the source, as any sender sends it."""
        event = {"title": "Backup of db-1 failed", "severity": "ERROR", "resource": "host:db-1", "dedupKey": "db-1"}
        headers = {"Authorization": f"Bearer {self.key}"}
        answer = requests.post(f"{self.service.address}/v1/events", json=event | fields, headers=headers, timeout=60)
        assert answer.status_code == 202, answer.text

    def recover(self) -> None:
        """The end of what `send` sends."""
        self.send(title="Backup of db-1 is back", severity="SUCCESS")

    def incident(self, **required: Any) -> dict[str, Any]:
        """The only incident of the workspace, as soon as it is so."""

        def found() -> Any:
            items = self.service.call("GET", f"/v1/incidents?workspaceId={self.workspace_id}")["items"]
            assert len(items) <= 1
            return next((item for item in items if required.items() <= item.items()), None)

        answer: dict[str, Any] = until(found, f"an incident that is {required}", 30)
        return answer

    def act(self, act: str, body: dict[str, Any] | None = None) -> None:
        """`POST /v1/incidents/{id}/{act}` by the person who is signed in."""
        self.service.call("POST", f"/v1/incidents/{self.incident()['id']}/{act}", body or {})

    def let_pass(self, minutes: int) -> None:
        """So much time passes for the incident: it and its timers are moved into the past, straight in the database.

        Nothing else is touched: the sweep finds the timers that are due by this, as it does after an outage.
        """
        id, passed = str(ids.decode("inc", self.incident()["id"])), timedelta(minutes=minutes)
        back = ", ".join(f"{name} = {name} - %(by)s" for name in _MOMENTS)
        flips = "state_change_times = ARRAY(SELECT at - %(by)s FROM unnest(state_change_times) WITH ORDINALITY x (at, n) ORDER BY n)"
        with _writing(self.service) as cursor:
            cursor.execute(f"UPDATE incidents SET {back}, {flips} WHERE id = %(id)s", {"by": passed, "id": id})
            cursor.execute("UPDATE timers SET due_at = due_at - %s WHERE subject_id = %s", (passed, id))

    def explained(self) -> list[dict[str, Any]]:
        """Why each recipient was notified of the incident or not, newest first."""
        items: list[dict[str, Any]] = self.service.call("GET", f"/v1/incidents/{self.incident()['id']}/explain")[
            "items"
        ]
        return items


@contextmanager
def _writing(service: RunningService) -> Iterator[Any]:
    connection = psycopg2.connect(service.servers.database_url)
    try:
        with connection, connection.cursor() as cursor:
            yield cursor
    finally:
        connection.close()


def moment(at: datetime) -> str:
    """In the form of the API."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def soon(seconds: float = 1.5) -> datetime:
    """In a moment: late enough to be set over the API, soon enough to be waited for."""
    return datetime.now(UTC) + timedelta(seconds=seconds)


def _checked(request: Request) -> dict[str, Any]:
    assert request.was_signed()
    body = request.json
    data: dict[str, Any] = body["data"]
    assert body.keys() == {"type", "timestamp", "data"} and data.keys() >= MEMBERS
    assert body["type"] == f"incident.{data['reason']}" and data["v"] == 1
    assert data["sourceName"] == SOURCE and data["workspaceName"]
    assert request.headers["content-type"] == "application/json"
    return data
