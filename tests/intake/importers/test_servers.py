"""Answers of the APIs of other tools, and the database of Uptime Kuma, as plans (specification 22.6 to 22.10)."""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.intake.importers import gotify, healthchecks, oncall, opsgenie, uptime_kuma
from inbox.intake.importers.import_kind import Options
from inbox.intake.importers.plan import PING_URL, Item, ItemKind, Plan, Unreadable
from inbox.intake.importers.registry import KINDS
from tests.intake.importers.rotas import SPRING

NAMES = (
    *("checks", "name", "uuid", "timeout", "schedule", "tz", "grace", "tags", "status", "data", "heartbeats", "id"),
    *("interval", "intervalUnit", "results", "token", "monitorList", "type", "maxretries", "retryInterval", "route"),
    *("fullName", "username", "timezone", "rotations", "participants", "startDate", "steps", "contact", "rules"),
    *("routes", "matchers", "match", "receiver", "receivers", "startsAt", "endsAt", "value", "isRegex", "comment"),
)
"""Members that the readers look at."""

UUID = "31365bce-8da9-4729-8ff3-aaa71d56b712"


def check(**more: Any) -> dict[str, Any]:
    base = {"name": "Nightly", "slug": "nightly", "tags": "prod db", "desc": "", "grace": 600, "status": "up"}
    return {**base, "uuid": UUID, "ping_url": f"https://hc-ping.com/{UUID}", "timeout": 3600, **more}


def of_kind(made: Plan, kind: ItemKind) -> list[Item]:
    return [item for item in made.items if item.kind is kind]


def one_check(**more: Any) -> Item:
    [item] = of_kind(healthchecks.read({"checks": [check(**more)]}), ItemKind.MONITOR)
    return item


def test_a_check_with_a_period_becomes_a_monitor() -> None:
    item = one_check()

    assert item.fields == {
        "name": "Nightly",
        "schedule": {"kind": "simple", "periodSeconds": 3600},
        "grace_seconds": 600,
        "tags": ["prod", "db"],
        "slug": "nightly",
    }
    assert item.text == "Every hour, with 10 min of grace. Pings by slug: nightly."
    assert item.reference == f"healthchecks:{UUID}"
    assert item.snippet == f"sed -i 's|https://hc-ping.com/{UUID}|{PING_URL}|g' FILE"


def test_a_check_with_a_cron_schedule_keeps_its_zone_and_a_paused_one_is_paused() -> None:
    item = one_check(timeout=None, schedule="0 3 * * 1-5", tz="Europe/Riga", status="paused")

    assert item.fields["schedule"] == {"kind": "cron", "expression": "0 3 * * 1-5", "timezone": "Europe/Riga"}
    assert item.is_paused and not one_check().is_paused


def test_a_read_only_key_gives_no_uuid_and_the_unique_key_is_the_reference() -> None:
    item = one_check(uuid=None, ping_url=None, unique_key="a6c7b0a8")

    assert (item.reference, item.snippet) == ("healthchecks:a6c7b0a8", PING_URL)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"schedule": "Mon *-*-* 03:00", "tz": "UTC"}, "systemd"),
        ({"schedule": "0 3 * * *\n0 4 * * *", "tz": "UTC"}, "systemd"),
        ({"schedule": "99 3 * * *", "tz": "UTC"}, "minute field"),
        ({"schedule": "0 3 * * *", "tz": "Mars/Base"}, "time zone"),
        ({"timeout": 59}, "period"),
        ({"timeout": None}, "period"),
        ({"uuid": ""}, "uuid"),
    ],
)
def test_a_check_that_no_monitor_can_be_is_left_out(more: dict[str, Any], reason: str) -> None:
    made = healthchecks.read({"checks": [check(**more)]})

    assert reason in made.left_out[0].reason
    assert of_kind(made, ItemKind.MONITOR) == []


@pytest.mark.parametrize(("sent", "stored"), [(59, 60), (60, 60), (366 * 86400, 366 * 86400), (10**9, 366 * 86400)])
def test_a_grace_is_limited_to_the_range_of_a_monitor(sent: int, stored: int) -> None:
    assert one_check(grace=sent).fields["grace_seconds"] == stored


def test_an_unsupported_setting_of_a_monitor_is_a_warning() -> None:
    assert len(one_check(success_kw="ok", manual_resume=True).warnings) == 2
    assert one_check().warnings == ()


def test_the_methods_that_count_are_kept() -> None:
    assert one_check(methods="POST").fields["methods"] == ["POST"]
    assert "methods" not in one_check(methods="").fields


@pytest.mark.parametrize("document", [None, [], {}, {"checks": 7}])
def test_an_unrelated_document_is_not_read_as_healthchecks(document: object) -> None:
    with pytest.raises(Unreadable):
        healthchecks.read(document)


TABLE = (
    "CREATE TABLE monitor (id INTEGER, name TEXT, type TEXT, interval INTEGER, maxretries INTEGER,"
    " retry_interval INTEGER, active INTEGER, upside_down INTEGER, push_token TEXT)"
)


def database(*extra: str) -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.execute(TABLE)
    rows = [
        (1, "Backup", "push", 86400, 2, 600, 1, 0, "secret-push"),
        (2, "Site", "http", 60, 0, 60, 1, 0, None),
        (3, "Quick", "push", 20, 0, 20, 1, 0, "x"),
        (4, "Paused", "push", 3600, 0, 60, 0, 1, "y"),
    ]
    connection.executemany("INSERT INTO monitor VALUES (?,?,?,?,?,?,?,?,?)", rows)
    for statement in extra:
        connection.execute(statement)
    connection.commit()
    return connection.serialize()


def test_push_monitors_of_a_database_become_heartbeat_monitors() -> None:
    made = uptime_kuma.read_bytes(database())

    first, paused = of_kind(made, ItemKind.MONITOR)
    assert first.fields == {
        "name": "Backup",
        "schedule": {"kind": "simple", "periodSeconds": 86400},
        "grace_seconds": 1200,
    }
    assert (first.is_paused, paused.is_paused, bool(paused.warnings)) == (False, True, True)
    assert [each.name for each in made.left_out] == ["Quick"]
    assert "1 monitors stay in Uptime Kuma" in made.warnings[0]
    assert "secret-push" not in repr(made)


def test_a_backup_of_version_1_is_read_alike() -> None:
    monitor = {"id": 1, "name": "Backup", "type": "push", "interval": 86400, "maxretries": 2, "retryInterval": 600}
    document = {
        "version": "1.23.16",
        "notificationList": [{"config": "{}"}],
        "monitorList": [{**monitor, "active": True}],
    }

    [item] = of_kind(uptime_kuma.read_backup(document), ItemKind.MONITOR)
    [same] = of_kind(uptime_kuma.read_bytes(database("DELETE FROM monitor WHERE id <> 1")), ItemKind.MONITOR)
    assert item == same


@pytest.mark.parametrize(
    ("upside_down", "warns"), [(True, True), (1, True), ("1", True), (False, False), (0, False), (None, False)]
)
def test_an_upside_down_monitor_of_a_backup_has_a_warning(upside_down: object, warns: bool) -> None:
    monitor = {"id": 1, "name": "Backup", "type": "push", "interval": 86400, "upsideDown": upside_down}

    [item] = of_kind(uptime_kuma.read_backup({"monitorList": [monitor]}), ItemKind.MONITOR)

    assert any("upside down" in warning for warning in item.warnings) is warns


@pytest.mark.parametrize("content", [b"", b"{}", uptime_kuma.HEADER, uptime_kuma.HEADER + b"x" * 5000])
def test_an_invalid_database_file_is_refused(content: bytes) -> None:
    with pytest.raises(Unreadable):
        uptime_kuma.read_bytes(content)


def test_a_database_with_names_that_are_no_utf_8_is_refused() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE monitor (id, unique_name)")
    connection.execute("INSERT INTO monitor VALUES (1, 'x')")
    connection.commit()

    with pytest.raises(Unreadable):
        uptime_kuma.read_bytes(connection.serialize().replace(b"unique_name", b"\xc1nique_name"))


TOKEN = "AZ.x_4-0123bcde"


def application(**more: Any) -> dict[str, Any]:
    return {"id": 3, "name": "NAS", "token": TOKEN, "internal": False, "defaultPriority": 0, **more}


def test_an_application_becomes_a_source_that_keeps_its_token() -> None:
    [item] = gotify.read([application(), application(id=4, internal=True)]).items

    assert (item.kind, item.name, item.reference, item.token) == (ItemKind.SOURCE, "NAS", "gotify:3", TOKEN)
    assert TOKEN not in repr(item)


@pytest.mark.parametrize("token", ["gtfya.abc", "", None, TOKEN + "x", "B" + TOKEN[1:]])
def test_an_unsupported_token_is_not_imported(token: object) -> None:
    [item] = gotify.read([application(token=token)]).items

    assert item.token == "" and item.warnings


def test_integrations_and_heartbeats_of_opsgenie() -> None:
    documents = {
        opsgenie.INTEGRATIONS: {"data": [{"id": "i1", "name": "Nagios", "type": "API", "enabled": True},
                                         {"id": "i2", "name": "Old", "type": "API", "enabled": False}]},
        opsgenie.HEARTBEATS: {"data": {"heartbeats": [
            {"name": "nightly", "interval": 2, "intervalUnit": "hours", "enabled": False},
            {"name": "bad", "interval": 2, "intervalUnit": "weeks", "enabled": True}]}},
    }  # fmt: skip
    made = opsgenie.read(documents, SPRING)

    assert [item.name for item in made.items] == ["Nagios", "Opsgenie heartbeats", "nightly"]
    assert made.items[2].fields["schedule"] == {"kind": "simple", "periodSeconds": 7200}
    assert made.items[2].is_paused
    assert [each.name for each in made.left_out] == ["Old", "bad"]


def test_integrations_of_oncall_become_sources_and_their_routes_are_left_out() -> None:
    documents = {
        oncall.INTEGRATIONS: {"next": "http://x?page=2", "results": [{"id": "CF", "name": "Grafana", "type": "grafana"}]},
        oncall.ROUTES: {"next": None, "results": [
            {"id": "R", "integration_id": "CF", "is_the_last_route": False},
            {"id": "L", "integration_id": "CF", "is_the_last_route": True}]},
    }  # fmt: skip
    made = oncall.read(documents, SPRING)

    assert [(item.name, item.reference) for item in made.items] == [("Grafana", "oncall:CF")]
    assert [each.name for each in made.left_out] == ["Route of Grafana"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=5), inner),
    max_leaves=20,
)


@pytest.mark.parametrize("kind", list(KINDS))
@given(document=JSON)
@settings(max_examples=60)
def test_any_answer_of_a_server_is_read_or_refused(kind: str, document: Any) -> None:
    each = KINDS[kind]
    with suppress(Unreadable):
        if each.read_answers is not None:
            each.read_answers(dict.fromkeys(each.paths, document))
        if each.read_text is not None:
            each.read_text(json.dumps(document), Options())


@pytest.mark.parametrize("kind", [kind for kind, each in KINDS.items() if each.read_text is not None])
@pytest.mark.parametrize("document", ["null", "7", "[[]]", '{"checks": [7, null]}', '[{"id": {}}]', "\x00", "{" * 5000])
def test_a_text_is_read_or_refused(kind: str, document: str) -> None:
    reader = KINDS[kind].read_text
    assert reader is not None
    try:
        made = reader(document, Options())
    except Unreadable as fault:
        assert str(fault)
    else:
        assert json.dumps([item.name for item in made.items])


SETUPS = [kind for kind, each in KINDS.items() if each.read_setup is not None]


@pytest.mark.parametrize("kind", SETUPS)
@given(document=JSON, entry=JSON)
@settings(max_examples=60)
def test_any_answers_of_a_whole_setup_are_read_or_refused(kind: str, document: Any, entry: Any) -> None:
    each = KINDS[kind]
    assert each.first_paths is not None and each.read_setup is not None
    hostile = [
        document,
        {"data": [entry], "results": [entry], "users": [entry]},
        {"data": {"id": "x", **_object(entry)}},
    ]
    for answer in hostile:
        paths = list(each.first_paths(SPRING))
        for path in paths[:40]:
            paths.extend(islice(each.further_paths(path, answer, SPRING), 40))
        with suppress(Unreadable):
            each.read_setup(dict.fromkeys(paths[:200], answer), SPRING)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
