"""Debian's Prometheus pushes its alerts to the instance without an Alertmanager (specification 19.10)."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
import yaml

from inbox.models.senders.pushed_alerts import PushedAlert
from tests.faults.service_processes import until
from tests.runner.ports import free_port
from tests.senders.conftest import Instance, running
from tests.senders.programs import of_debian

pytestmark = pytest.mark.slow


def rules(expression: str) -> str:
    rule = {"alert": "Always", "expr": expression, "labels": {"severity": "warning", "instance": "db2:9100"}}
    group = {"name": "tests", "rules": [{**rule, "annotations": {"summary": "db2 is full"}}]}
    return yaml.safe_dump({"groups": [group]})


def test_an_alert_opens_one_incident_is_repeated_and_resolves_it(instance: Instance, tmp_path: Path) -> None:
    program = of_debian("prometheus", "usr/bin/prometheus")
    settings = {"global": {"evaluation_interval": "1s"}, "rule_files": ["rules.yml"]}
    (tmp_path / "prometheus.yml").write_text(yaml.safe_dump(settings) + instance.snippet("prometheus", "prometheus"))
    (tmp_path / "rules.yml").write_text(rules("vector(1)"))
    options = {
        "config.file": "prometheus.yml",
        "storage.tsdb.path": "data",
        "web.listen-address": f"127.0.0.1:{free_port()}",
        "rules.alert.resend-delay": "1s",
    }
    with running([program, *(f"--{name}={value}" for name, value in options.items())], tmp_path) as child:
        opened = instance.becomes(lambda found: found, "the alert is an incident")
        first = PushedAlert.get().ends_at
        until(lambda: PushedAlert.get().ends_at > first, "a repeat moves the end of the alert")
        repeated = len(instance.events())
        (tmp_path / "rules.yml").write_text(rules("vector(1) > 2"))
        child.send(signal.SIGHUP)
        ended = instance.becomes(lambda found: "resolved" in found.values(), "the end arrives")

    assert (opened, ended) == ({"db2 is full": "open"}, {"db2 is full": "resolved"})
    assert repeated == 1, "a repeat is no event"
    assert [event["action"] for event in instance.events()] == ["trigger", "resolve"]
