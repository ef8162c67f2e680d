"""Debian's Alertmanager sends through its webhook, its PagerDuty and its Opsgenie integration (specification 19.5, 19.8)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml

from inbox.domain.values import times
from tests.cast import present
from tests.faults.service_processes import until
from tests.runner.ports import free_port
from tests.senders.conftest import Instance, running
from tests.senders.programs import with_shared_files

pytestmark = pytest.mark.slow

ROUTE = {"group_by": ["job"], "group_wait": "1s", "group_interval": "1s", "repeat_interval": "1s", "receiver": "inbox"}
"""Groups are sent again each second."""


class Alertmanager:
    """A running Alertmanager."""

    def __init__(self, port: int, integration: str) -> None:
        self.address = f"http://127.0.0.1:{port}"
        self._integration = integration

    def post(self, *names: str, ended: bool = False) -> None:
        """Alerts of one group, which fire or have ended."""
        ends = {"endsAt": times.rfc3339(present() - timedelta(seconds=1))} if ended else {}
        alerts = [
            {
                "labels": {"alertname": name, "job": "disks", "instance": "db2:9100", "severity": "critical"},
                "annotations": {"summary": f"{name} on db2"},
                "startsAt": times.rfc3339(present() - timedelta(minutes=5)),
                **ends,
            }
            for name in names
        ]
        answer = requests.post(f"{self.address}/api/v2/alerts", json=alerts, timeout=30)
        assert answer.status_code == 200, answer.text

    def is_ready(self) -> bool:
        try:
            return requests.get(f"{self.address}/-/ready", timeout=5).status_code == 200
        except requests.RequestException:
            return False

    def sent(self) -> int:
        """How many notifications it has sent."""
        return self._counter("notifications_total")

    def failed(self) -> int:
        """How many notifications failed."""
        return self._counter("notifications_failed_total")

    def _counter(self, name: str) -> int:
        text = requests.get(f"{self.address}/metrics", timeout=30).text
        found = re.findall(rf'^alertmanager_{name}{{integration="{self._integration}".*}} (\d+)$', text, re.MULTILINE)
        return sum(map(int, found))


@contextmanager
def alertmanager(snippet: str, integration: str, folder: Path) -> Iterator[Alertmanager]:
    """An Alertmanager with the receivers of a snippet."""
    program = with_shared_files("prometheus-alertmanager", "usr/bin/prometheus-alertmanager")
    configuration: dict[str, Any] = {"route": ROUTE, **yaml.safe_load(snippet)}
    (folder / "alertmanager.yml").write_text(yaml.safe_dump(configuration))
    port = free_port()
    options = {
        "config.file": folder / "alertmanager.yml",
        "storage.path": folder / "alerts",
        "web.listen-address": f"127.0.0.1:{port}",
        "cluster.listen-address": "",
    }
    with running([*program, *(f"--{name}={value}" for name, value in options.items())], folder) as child:
        started = Alertmanager(port, integration)
        until(lambda: started.is_ready() or not child.running, "Alertmanager is ready")
        assert child.running, child.log and child.log.read_text()
        yield started


def test_the_webhook_opens_an_incident_for_each_group_that_ends_with_its_last_alert(
    instance: Instance, tmp_path: Path
) -> None:
    with alertmanager(instance.snippet("alertmanager", "alertmanager"), "webhook", tmp_path) as sender:
        sender.post("DiskFull", "DiskSlow")
        opened = instance.becomes(lambda found: found, "the group is an incident")
        before = sender.sent()
        until(lambda: sender.sent() >= before + 3, "the group is repeated")
        repeated = len(instance.events())
        sender.post("DiskFull", ended=True)
        until(lambda: any(each["action"] == "resolve" for each in instance.events()), "the end of one alert arrives")
        partly = instance.incidents()
        sender.post("DiskSlow", ended=True)
        ended = instance.becomes(lambda found: "resolved" in found.values(), "the end of the group arrives")

        assert sender.failed() == 0
    assert opened == partly == {"DiskFull on db2": "open"}
    assert repeated == 2, "a repeat is a duplicate"
    assert ended == {"DiskFull on db2": "resolved"}
    [event, _, end, _] = instance.events()
    assert (event["severity"], event["resource"], end["action"]) == ("CRITICAL", "host:db2", "resolve")


@pytest.mark.parametrize(("kind", "more"), [("pagerduty", ""), ("opsgenie", ""), ("opsgenie", "update_alerts: true")])
def test_a_group_is_one_incident_of_the_integration_and_its_end_resolves_it(
    kind: str, more: str, instance: Instance, tmp_path: Path
) -> None:
    snippet = f"{instance.snippet(kind, 'alertmanager')}\n        {more}"
    with alertmanager(snippet, kind, tmp_path) as sender:
        sender.post("DiskFull", "DiskSlow")
        opened = instance.becomes(lambda found: found, "the group is an incident")
        before = sender.sent()
        until(lambda: sender.sent() >= before + 3, "the group is repeated")
        repeated = instance.incidents()
        sender.post("DiskFull", ended=True)
        until(lambda: any(is_partly_resolved(each) for each in instance.events()), "one of the group has ended")
        partly = instance.incidents()
        sender.post("DiskSlow", ended=True)
        ended = instance.becomes(lambda found: "resolved" in found.values(), "the end of the group arrives")

        assert sender.failed() == 0
    assert list(opened.values()) == list(repeated.values()) == list(partly.values()) == ["open"]
    assert list(ended.values()) == ["resolved"]
    assert instance.events()[0]["severity"] == "CRITICAL", "the severity of the alerts"


def is_partly_resolved(event: dict[str, Any]) -> bool:
    """Whether the texts of the integrations name an alert that fires, and one that has ended."""
    body = event["body"] or ""
    return "num_firing: 1" in body or "Alerts Resolved" in body
