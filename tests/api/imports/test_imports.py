"""Imports over HTTP: previewed, applied once, and never beyond the workspace (specification 22)."""

from __future__ import annotations

import json

import pytest

from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.records.audit import AuditEntry
from inbox.models.records.imports import ImportedRecord
from inbox.models.routing.rules import Rule
from inbox.models.routing.silences import Silence
from inbox.models.senders.sources import Source
from tests.api.imports.imports_steps import CRONTAB, IMPORT, PREVIEW, Browsers, adam, draft  # noqa: F401  a fixture
from tests.browser import Browser
from tests.cast import Cast, typeid
from tests.stand_ins.outgoing_posts import make_destination
from tests.stand_ins.receivers import Receiver as Webhook


def test_the_kinds_describe_themselves(adam: Browser) -> None:
    items = adam.get("/v1/import-kinds").json["items"]

    assert [each["kind"] for each in items] == [
        "crontab", "alertmanager", "alertmanager_silences", "healthchecks", "uptime_kuma", "gotify", "opsgenie", "pagerduty", "oncall", "goalert",
    ]  # fmt: skip
    assert all(each["forms"] and each["setup"] for each in items)
    assert [each["kind"] for each in items if each["hasSchedules"]] == ["crontab"]


def test_an_import_preview_lists_the_records_to_create_and_stores_nothing(adam: Browser, cast: Cast) -> None:
    plan = adam.post(PREVIEW, draft(cast)).json

    assert [(each["type"], each["name"], each["status"]) for each in plan["items"]] == [
        ("source", "Cron", "new"),
        ("monitor", "backup", "new"),
        ("monitor", "report", "new"),
    ]
    assert [each["name"] for each in plan["leftOut"]] == ["Line 3: start"]
    assert (HeartbeatMonitor.select().count(), ImportedRecord.select().count()) == (0, 0)


def test_an_import_creates_the_items_and_answers_each_ping_address_once(adam: Browser, cast: Cast) -> None:
    answered = adam.post(IMPORT, draft(cast))
    [source, backup, _] = answered.json["items"]

    assert answered.status_code == 201
    assert source["pingUrl"] is None and "/v1/heartbeats/svc_hb_" in backup["pingUrl"]
    assert f'"{backup["pingUrl"]}/$?"' in backup["snippet"]
    monitor = HeartbeatMonitor.get(HeartbeatMonitor.name == "backup")
    assert (typeid("mon", monitor.id), typeid("src", monitor.source_id)) == (backup["id"], source["id"])
    assert sorted(AuditEntry.select(AuditEntry.action).where(AuditEntry.action != "session.started").tuples()) == [
        ("monitor.created",), ("monitor.created",), ("source.created",),
    ]  # fmt: skip


def test_a_second_import_creates_only_new_records(adam: Browser, cast: Cast) -> None:
    first = adam.post(IMPORT, draft(cast)).json["items"]
    second = adam.post(IMPORT, draft(cast, document=CRONTAB + "\n5 5 * * * other")).json["items"]

    assert [each["created"] for each in second] == [False, False, False, True]
    assert [each["id"] for each in second][:3] == [each["id"] for each in first]
    assert [each["pingUrl"] for each in second][:3] == [None, None, None]
    assert HeartbeatMonitor.select().count() == 3
    assert [each["status"] for each in adam.post(PREVIEW, draft(cast)).json["items"]] == ["imported"] * 3


def test_a_record_that_was_deleted_is_created_again(adam: Browser, cast: Cast) -> None:
    [_, backup, _] = adam.post(IMPORT, draft(cast)).json["items"]
    assert adam.delete(f"/v1/heartbeat-monitors/{backup['id']}").status_code == 204

    [_, second, _] = adam.post(IMPORT, draft(cast)).json["items"]

    assert second["created"] and second["id"] != backup["id"]


def test_chosen_items_are_created_with_their_source(adam: Browser, cast: Cast) -> None:
    reference = adam.post(PREVIEW, draft(cast)).json["items"][2]["reference"]

    created = adam.post(IMPORT, {**draft(cast), "references": [reference]}).json["items"]

    assert [each["name"] for each in created] == ["Cron", "report"]


def test_an_unknown_reference_creates_nothing(adam: Browser, cast: Cast) -> None:
    refused = adam.post(IMPORT, {**draft(cast), "references": ["crontab", "crontab:gone"]})

    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/references/1")
    assert Source.select().count() == 2


def test_a_failure_in_the_middle_creates_nothing(adam: Browser, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    from inbox.services.heartbeats import monitors

    monkeypatch.setattr(monitors, "MAX_MONITORS", 1)
    refused = adam.post(IMPORT, draft(cast))

    assert (refused.status_code, refused.json["code"]) == (409, "conflict")
    assert (Source.select().count(), HeartbeatMonitor.select().count(), ImportedRecord.select().count()) == (2, 0, 0)


def test_an_import_shows_an_existing_record_with_the_same_name(adam: Browser, cast: Cast) -> None:
    adam.post("/v1/sources", {"workspaceId": typeid("wsp", cast.workspace.id), "name": "cron"})

    assert adam.post(PREVIEW, draft(cast)).json["items"][0]["status"] == "same_name"


ALERTMANAGER = """
route:
  receiver: default
  routes:
    - matchers: ['severity="page"']
      receiver: pager
receivers:
  - {name: default, webhook_configs: [{url: http://x}]}
  - {name: pager, pagerduty_configs: [{}]}
"""


def test_routes_become_rules_that_notify_destinations_with_the_names_of_receivers(adam: Browser, cast: Cast) -> None:
    with Webhook() as receiver:
        destination = make_destination(cast.workspace, receiver, name="Pager")
        plan = adam.post(PREVIEW, draft(cast, "alertmanager", document=ALERTMANAGER)).json
        adam.post(IMPORT, draft(cast, "alertmanager", document=ALERTMANAGER))

    rules = list(Rule.select().order_by(Rule.position))
    source = Source.get(Source.name == "Alertmanager")
    assert [len(each["warnings"]) for each in plan["items"]] == [0, 0, 1]
    assert [rule.actions.get("destinationIds") for rule in rules] == [[typeid("dst", destination.id)], []]
    assert [rule.source_ids for rule in rules] == [[source.id], [source.id]]
    assert [rule.position for rule in rules] == [1, 2]


def test_silences_of_a_server_join_the_source_of_its_rules(adam: Browser, cast: Cast) -> None:
    adam.post(IMPORT, draft(cast, "alertmanager", document=ALERTMANAGER))
    silence = {
        "id": "s1", "comment": "Upgrade", "status": {"state": "active"},
        "matchers": [{"name": "team", "value": "db", "isRegex": False, "isEqual": True}],
        "startsAt": "2026-11-24T10:00:00Z", "endsAt": "2099-11-24T18:00:00Z",
    }  # fmt: skip

    [source, created] = adam.post(IMPORT, draft(cast, "alertmanager_silences", document=json.dumps([silence]))).json[
        "items"
    ]

    stored = Silence.get()
    assert (source["created"], created["type"], typeid("sil", stored.id)) == (False, "silence", created["id"])
    assert stored.created_by == cast.users["adam"].id


def test_administrators_of_the_workspace_import_and_nobody_else(browser: Browsers, cast: Cast) -> None:
    for path in (PREVIEW, IMPORT):
        statuses = {name: browser(name).post(path, draft(cast)).status_code for name in ("vic", "mia", "eve")}
        assert statuses == {"vic": 403, "mia": 403, "eve": 422}
    assert Source.select().count() == 2
    assert browser("olga").post(IMPORT, draft(cast)).status_code == 201
