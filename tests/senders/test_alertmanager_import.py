"""An imported configuration decides as Debian's Alertmanager does, and its silences are read from the running server.

Specification 22.5.
"""

from __future__ import annotations

import itertools
import subprocess
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import requests
import yaml

from inbox.domain.routing import matchers
from inbox.domain.values import times
from inbox.intake.importers import alertmanager as importer
from inbox.intake.importers.plan import Item, ItemKind
from inbox.intake.importers.registry import KINDS
from inbox.services.senders.import_reading import Draft, read
from tests.cast import present
from tests.senders.conftest import Instance
from tests.senders.programs import of_debian
from tests.senders.test_alertmanager import alertmanager

pytestmark = pytest.mark.slow

ROUTE: dict[str, Any] = {
    "receiver": "default",
    "routes": [
        {"matchers": ['severity="page"', 'team=~"db|web"'], "receiver": "pager"},
        {
            "match": {"team": "db"},
            "receiver": "db",
            "routes": [
                {"matchers": ['env!="prod"'], "receiver": "quiet"},
                {"match_re": {"severity": "warn.*"}, "receiver": "warnings"},
            ],
        },
        {"matchers": ['env=""'], "receiver": "unlabelled"},
        {"matchers": ['team!~"web|db|"', "severity=page"], "receiver": "others", "continue": True},
        {"matchers": ['env=~"(prod|)"', "severity=~.+"], "receiver": "production"},
        {"matchers": ['{team="web",env!~"prod|dev"}'], "receiver": "web"},
    ],
}
LABELS = {
    "severity": ("page", "warning", "warn", ""),
    "team": ("db", "web", "webserver", "storage", ""),
    "env": ("prod", "dev", "test", ""),
}
RECEIVERS = ["default", "pager", "db", "quiet", "warnings", "unlabelled", "others", "production", "web"]


def decided_here(rules: list[Item], labels: dict[str, str]) -> list[str]:
    """The receivers of the rules that apply, in the order of the rules."""
    metadata = {"labels": {name: value for name, value in labels.items() if value}}
    found = []
    for rule in rules:
        if matchers.compile_match(rule.fields["match"])(SimpleNamespace(metadata=metadata)):  # type: ignore[arg-type]
            found += rule.destinations
            if not rule.fields["continue_matching"]:
                break
    return found


def test_the_rules_choose_the_receivers_that_amtool_names(tmp_path: Path) -> None:
    amtool = of_debian("prometheus-alertmanager", "usr/bin/amtool")
    file = tmp_path / "alertmanager.yml"
    receivers = [{"name": name, "webhook_configs": [{"url": "http://127.0.0.1:9/"}]} for name in RECEIVERS]
    file.write_text(yaml.safe_dump({"route": ROUTE, "receivers": receivers}))
    rules = [item for item in importer.read(file.read_text()).items if item.kind is ItemKind.RULE]

    differ = {}
    for values in itertools.product(*LABELS.values()):
        labels = dict(zip(LABELS, values, strict=True))
        given = [f"{name}={value}" for name, value in labels.items() if value]
        command = [amtool, "config", "routes", "test", f"--config.file={file}", *given]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        here, there = decided_here(rules, labels), done.stdout.strip().split(",")
        # A route that continues has the rule of its parent after it, where no later rule of its level matches.
        if here != there and not ("others" in there and here == [*there, "default"]):
            differ[tuple(given)] = (here, there)

    assert differ == {}


def test_silences_are_read_from_the_running_server(instance: Instance, tmp_path: Path) -> None:
    with alertmanager(instance.snippet("alertmanager", "alertmanager"), "webhook", tmp_path) as server:
        now = present()
        matcher = {"name": "team", "value": "db|web", "isRegex": True, "isEqual": False}
        silence = {
            "matchers": [matcher], "comment": "Upgrade", "createdBy": "olga",
            "startsAt": times.rfc3339(now), "endsAt": times.rfc3339(now + timedelta(hours=2)),
        }  # fmt: skip
        made = requests.post(f"{server.address}/api/v2/silences", json=silence, timeout=30)
        plan = read(Draft(KINDS["alertmanager_silences"], address=server.address))

    assert made.status_code == 200, made.text
    [_, item] = plan.items
    assert (item.name, item.reference) == ("Upgrade", f"alertmanager:silence:{made.json()['silenceID']}")
    assert matchers.to_text(item.fields["match"]) == 'all (not metadata.labels.team matches "^(?:db|web)$")'
    assert abs(item.fields["ends_at"] - now - timedelta(hours=2)) < timedelta(seconds=2)
