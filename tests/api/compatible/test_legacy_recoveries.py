"""Recoveries that are read in the text of messages (specification 19.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from inbox.models.events.tables import Event
from inbox.models.senders.sources import Source
from tests.api.compatible.legacy_push_steps import push
from tests.browser import Browser
from tests.cast import Cast, make_key, typeid

Browsers = Callable[[str], Browser]


@pytest.fixture
def token(cast: Cast) -> str:
    return make_key(cast.source, kind="alias_token")


def set_recovery(source: Source, **fields: str) -> None:
    Source.update(**fields).where(Source.id == source.id).execute()


@pytest.mark.parametrize(
    ("recovery", "alarm", "end", "key"),
    [({"recovery_preset": "uptime_kuma"}, {"title": "Uptime-Kuma", "message": "[a [b] c] [🔴 Down] timeout"},
      {"title": "Uptime-Kuma", "message": "[a [b] c] [✅ Up] 200 - OK"}, "uptime_kuma:a [b] c"),
     ({"recovery_preset": "netdata"}, {"title": "CRITICAL, disk = 95%, on web1", "message": "x", "priority": 10},
      {"title": "CLEAR, disk = 5%, on web1", "message": "x", "priority": 1}, "netdata:disk:web1"),
     ({"recovery_preset": "healthchecks"}, {"title": "nightly is DOWN", "message": "x"},
      {"title": "nightly is UP", "message": "x"}, "healthchecks:nightly"),
     ({"recovery_preset": "proxmox"}, {"title": "vzdump backup status (pve): backup failed: full", "message": "x"},
      {"title": "vzdump backup status (pve): backup successful", "message": "x"}, "proxmox:pve"),
     ({"recovery_pattern": "^(?:(?P<recovery>Up)|Down): (?P<key>.+)", "recovery_preset": "netdata"},
      {"title": "Down: web", "message": "x"}, {"message": "Up: web"}, "web")],
)  # fmt: skip
def test_the_end_of_an_alarm_is_read_from_its_text(
    app: Flask, token: str, cast: Cast, recovery: dict[str, str], alarm: Any, end: Any, key: str
) -> None:
    set_recovery(cast.source, **recovery)

    assert {push(app, token, sent).status_code for sent in (alarm | {"priority": 8}, end)} == {200}

    stored = Event.select().order_by(Event.id)
    assert [(event.severity, event.dedup_key) for event in stored] == [("ERROR", key), ("SUCCESS", key)]


def test_a_match_of_a_pattern_without_groups_is_a_recovery(app: Flask, token: str, cast: Cast) -> None:
    set_recovery(cast.source, recovery_pattern="^RESOLVED")

    push(app, token, {"message": "RESOLVED disk", "priority": 8})
    push(app, token, {"message": "FIRING disk", "priority": 8})

    assert [event.severity for event in Event.select().order_by(Event.id)] == ["SUCCESS", "ERROR"]


def test_librenms_names_its_alert(app: Flask, token: str) -> None:
    for state in (1, 0):
        extras = {"monitoring::librenms": {"id": 17, "state": state, "severity": "critical", "hostname": "sw1"}}
        assert push(app, token, {"message": "x", "priority": 8, "extras": extras}).status_code == 200

    stored = Event.select().order_by(Event.id)
    assert [(event.severity, event.dedup_key, event.resource) for event in stored] == [
        ("ERROR", "librenms:17", "host:sw1"),
        ("SUCCESS", "librenms:17", "host:sw1"),
    ]


def test_a_source_takes_its_recovery_and_its_query_token(browser: Browsers, cast: Cast) -> None:
    adam, path = browser("adam"), f"/v1/sources/{typeid('src', cast.source.id)}"
    fields = {"allowQueryToken": True, "recoveryPattern": "^OK (?P<key>.*)", "recoveryPreset": "netdata"}

    changed = adam.call("PATCH", path, fields)
    refused = [
        adam.call("PATCH", path, {"recoveryPattern": bad}).json["errors"][0]["pointer"]
        for bad in ("(", "", "x" * 513, "(?:a{1,99}){9}")
    ]

    assert {name: changed.json[name] for name in fields} == fields
    assert refused == ["/recoveryPattern"] * 4
    assert (
        adam.call("PATCH", path, dict.fromkeys(("recoveryPattern", "recoveryPreset"))).json["recoveryPattern"] is None
    )
