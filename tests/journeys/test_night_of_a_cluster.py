"""The night of a cluster: webhooks of Alertmanager to a chat that takes twenty messages a minute, in virtual time."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from zlib import crc32

import pytest
from flask import Flask

from inbox.flow.delivery.deliver import deliver
from inbox.flow.routing.route import route
from inbox.flow.timers.run import run_due
from inbox.models.deliveries.tables import Delivery
from tests.cast import Cast, present
from tests.flow.notices.storm_steps import make_telegram
from tests.flow.routing_fixtures import route_to
from tests.stand_ins.receivers import Receiver

SECOND = timedelta(seconds=1)
MOST_MESSAGES, MOST_IN_A_MINUTE = 12, 20
NODES = [f"node-{number:02d}" for number in range(40)]
DISKS = [f"disk-{number}" for number in range(8)]
LINKS = ["link-1", "link-2"]


class Night:
    """Alertmanager, the workers and the chat. Alertmanager sends its groups whole, as they are at that moment."""

    def __init__(self, app: Flask, cast: Cast, receiver: Receiver) -> None:
        self._client, self._key, self.receiver = app.test_client(), cast.key, receiver
        self.began, self.second = present(), 0
        self.starts: dict[str, datetime] = {}
        self.ended: set[str] = set()
        self.times: list[int] = []

    def now(self) -> datetime:
        return self.began + self.second * SECOND

    def send(self, name: str, severity: str, firing: Iterable[str], resolved: Iterable[str] = ()) -> None:
        """One webhook with the group `name`: these alerts fire, and these have ended."""
        alerts = [self._alert(name, severity, one, "firing") for one in firing]
        alerts += [self._alert(name, severity, one, "resolved") for one in resolved]
        body = {
            "version": "4", "groupKey": f'{{}}:{{alertname="{name}"}}', "truncatedAlerts": 0, "receiver": "inbox",
            "status": "firing" if any(each["status"] == "firing" for each in alerts) else "resolved",
            "groupLabels": {"alertname": name}, "commonLabels": {"alertname": name}, "commonAnnotations": {},
            "externalURL": "http://alertmanager.example.org", "alerts": alerts,
        }  # fmt: skip
        answer = self._client.post(
            "/v1/hooks/alertmanager", json=body, headers={"Authorization": f"Bearer {self._key}"}
        )
        assert answer.status_code == 202, answer.get_data(as_text=True)

    def _alert(self, name: str, severity: str, instance: str, status: str) -> dict[str, Any]:
        if instance not in self.starts or (status == "firing" and instance in self.ended):
            self.starts[instance] = self.began - timedelta(minutes=5) + len(self.starts) * SECOND + self.second * SECOND
            self.ended.discard(instance)
        if status == "resolved":
            self.ended.add(instance)
        ends = self.starts[instance] + SECOND if status == "resolved" else None
        return {
            "status": status, "fingerprint": f"{crc32((name + instance).encode()):016x}",
            "labels": {"alertname": name, "instance": instance, "severity": severity, "cluster": "dc2"},
            "annotations": {"summary": f"{instance}: {name}"},
            "startsAt": self.starts[instance].isoformat(),
            "endsAt": "0001-01-01T00:00:00Z" if ends is None else ends.isoformat(),
            "generatorURL": "http://prometheus.example.org/graph",
        }  # fmt: skip

    def pass_to(self, second: int, step: int = 3) -> None:
        """The workers route, fire timers and deliver until this second of the night."""
        while self.second <= second:
            route(self.now)
            run_due(self.now)
            deliver(self.now)
            self.times += [self.second] * (len(self.receiver.requests) - len(self.times))
            self.second += step
        self.second = second

    @property
    def texts(self) -> list[str]:
        """The texts of new messages and of changed ones."""
        return [request.json["text"] for request in self.receiver.requests]

    @property
    def messages(self) -> list[str]:
        """The texts of new messages."""
        return [each.json["text"] for each in self.receiver.requests if each.path.endswith("/sendMessage")]


@pytest.fixture
def night(app: Flask, cast: Cast, receiver: Receiver) -> Night:
    route_to(cast.workspace, [make_telegram(cast.workspace, receiver)])
    return Night(app, cast, receiver)


def test_the_night_of_a_cluster_is_twelve_messages_and_the_database_is_among_the_first(night: Night) -> None:
    night.send("NodeDown", "error", NODES)
    night.pass_to(3)
    night.send("DiskWillFill", "warning", DISKS)
    night.send("LinkDown", "warning", LINKS)
    night.send("DatabaseDown", "critical", ["db-1"])
    database_at = night.second
    night.pass_to(30)
    for _ in range(5):
        night.send("LinkDown", "warning", [], LINKS)
        night.pass_to(night.second + 15)
        night.send("LinkDown", "warning", LINKS)
        night.pass_to(night.second + 15)
    night.send("NodeDown", "error", NODES)
    night.pass_to(600)
    for back in (10, 20, 30, 40):
        night.send("NodeDown", "error", NODES[back:], NODES[:back])
        night.pass_to(night.second + 60)
    night.send("DatabaseDown", "critical", [], ["db-1"])
    night.pass_to(1_200, step=15)

    about_database = [number for number, text in enumerate(night.texts) if "db-1" in text]
    assert about_database[0] < 3
    assert night.times[about_database[0]] - database_at <= 10
    assert len(night.messages) <= MOST_MESSAGES, "\n\n".join(night.messages)
    assert all(sum(at <= one < at + 60 for one in night.times) <= MOST_IN_A_MINUTE for at in night.times)
    assert not Delivery.select().where(Delivery.status.in_(["pending", "retrying"])).exists()
