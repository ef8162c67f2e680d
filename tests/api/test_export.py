"""The export of a workspace: complete, without any secret, one a minute, and gone when nobody reads it.

Specification 12.6.
"""

from __future__ import annotations

import base64
import re
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import orjson
import peewee
import psycopg2
import pytest
from flask import Flask

from inbox import sealing
from inbox.domain.refusals import RateLimited
from inbox.models.exports import SECTIONS
from inbox.models.sql.base import db, new_id
from inbox.models.tables.accounts import Session, SetupLink, User
from inbox.models.tables.audit import AuditEntry, ExportRun
from inbox.models.tables.devices import Device, DeviceToken
from inbox.models.tables.events import ReceivedEvent
from inbox.models.tables.factors import Passkey, RecoveryCode, TotpFactor
from inbox.models.tables.incidents import TimelineEntry
from inbox.models.tables.links import Invite, Link
from inbox.models.tables.notices import Delivery, DeliveryAttempt
from inbox.models.tables.sources import SourceKey
from inbox.models.tables.workspaces import Workspace
from inbox.services import export
from inbox.settings import Settings
from tests.browser import Browser
from tests.cast import Cast, make_workspace, present, sign_in, typeid
from tests.clock import well_before_the_end_of
from tests.ops.processes import until
from tests.outgoing_posts import make_destination, make_incident, owe
from tests.receivers import SECRET
from tests.stored import store
from tests.tables import columns, tables

Browsers = Callable[[str], Browser]

NOT_EXPORTED = {
    "event_queue": "work that waits",
    "received_events": "told by the events",
    "routed_events": "told by the events",
    "routing_traces": "told by the events",
    "timers": "work that waits",
    "incident_search": "told by the incidents",
    "incident_counters": "told by the incidents' numbers",
    "export_runs": "told by the audit log",
    "rule_matches": "counts of what the events tell",
    "open_after_counters": "work that waits",
    "rule_previews": "a question about the past, kept for a day",
}
"""Tables of a workspace that no export holds."""

KEPT_BACK = {
    "members": {"id", "workspace_id", "last_seen_at"},
    "invites": {"workspace_id", "token_hash", "deleted_at"},
    "sources": {"workspace_id"},
    "source_keys": {"workspace_id", "hash", "hint"},
    "destinations": {"workspace_id", "config", "sealed", "rejections_in_a_row", "generation"},
    "rules": {"workspace_id"},
    "routing_profiles": {"workspace_id"},
    "silences": {"workspace_id"},
    "saved_views": {"workspace_id"},
    "incidents": {"workspace_id", "state_before_silence", "notice_count", "state_change_times", "last_entry_at"},
    "timeline": {"id", "workspace_id"},
    "notices": {"workspace_id"},
    "deliveries": {"workspace_id", "seq", "attempt", "due_at", "lease_until"},
    "audit_log": {"workspace_id", "user_id"},
    "events": {"workspace_id", "routed_as"},
}
"""Columns that no export holds as they are; a new column must be exported or named here."""


@pytest.fixture
def path(cast: Cast) -> str:
    return f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/export"


def connections() -> int:
    found = db.execute_sql(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'inbox-export' AND datname = current_database()"
    )
    return int(found.fetchone()[0])


def events(cast: Cast, count: int) -> None:
    db.execute_sql(
        "INSERT INTO received_events (workspace_id, id, source_id, received_at, occurred_at, severity, action, title,"
        " fingerprint, metadata) SELECT %s, ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, %s, now(), now(),"
        " 'ERROR', 'trigger', 'Title ' || n, 'f1:x', '{\"a\": [1, null]}' FROM generate_series(1, %s) n",
        (cast.workspace.id, cast.source.id, count),
    )


def test_everything_of_the_workspace_is_in_it_and_nothing_of_another(browser: Browsers, cast: Cast, path: str) -> None:
    events(cast, 600)
    store(
        workspace_id=cast.foreign.id, source_id=cast.foreign_source.id, received_at=present(), occurred_at=present(),
        title="Eve's",
    )  # fmt: skip
    destination, incident = make_destination(cast.workspace, "https://example.org/hook"), make_incident(cast)
    delivery = owe(destination, incident, status="sent")
    DeliveryAttempt.create(delivery=delivery, number=1, at=present(), status_code=200)
    for number in range(300):
        TimelineEntry.create(
            id=new_id(), workspace_id=cast.workspace.id, incident_id=incident.id, at=present(), kind="note",
            actor={"type": "user", "id": "", "name": "Mia"}, details={"number": number},
        )  # fmt: skip

    well_before_the_end_of(timedelta(days=1))

    answer = browser("olga").get(path)

    assert answer.status_code == 200
    assert answer.content_type == "application/json"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="acme-{present():%Y-%m-%d}.json"'
    document = orjson.loads(answer.data)
    assert document["format"] == "incident-inbox-export" and document["workspace"]["name"] == "Acme"
    assert [len(document[name]) for name in ("events", "incidents", "timeline", "members", "sources")] == [
        600, 1, 300, 4, 1,
    ]  # fmt: skip
    assert {entry["details"]["number"] for entry in document["timeline"]} == set(range(300))
    first = document["events"][0]
    assert (first["title"], first["metadata"], first["sourceId"]) == (
        "Title 1", {"a": [1, None]}, typeid("src", cast.source.id),
    )  # fmt: skip
    assert document["destinations"][0]["config"] == {"url": "https://example.org/hook"}
    assert document["deliveries"][0]["attempts"][0]["statusCode"] == 200
    assert [entry["action"] for entry in document["auditLog"]] == ["workspace.exported"]
    assert b"Eve's" not in answer.data


def test_no_secret_of_any_kind_is_in_it(browser: Browsers, app: Flask, cast: Cast, path: str) -> None:
    canaries = {
        name: f"canary-{name}-{n:032d}".encode() for n, name in enumerate(("sealed", "hash", "password", "key"))
    }
    olga, now = cast.users["olga"], present()
    User.update(password_hash=canaries["password"].decode()).where(User.id == olga.id).execute()
    make_destination(cast.workspace, "https://example.org/hook")
    TotpFactor.create(user=olga, sealed=canaries["sealed"], created_at=now)
    RecoveryCode.create(user=olga, hash=canaries["hash"])
    Passkey.create(
        id=new_id(), user=olga, credential_id=b"c", public_key=canaries["key"], sign_count=0, name="K", created_at=now
    )
    device = Device.create(id=new_id(), user=olga, name="Phone", created_at=now)
    DeviceToken.create(
        hash=canaries["hash"], device=device, kind="access", generation=1, created_at=now, expires_at=now
    )
    Link.create(
        id=new_id(), purpose="password_reset", token_hash=canaries["hash"], user=olga, created_at=now, expires_at=now
    )
    Invite.create(
        id=new_id(), workspace=cast.workspace, token_hash=canaries["key"], role="viewer", created_at=now,
        expires_at=now + timedelta(days=1),
    )  # fmt: skip
    SetupLink.create(token_hash=canaries["hash"], created_at=now)
    sent = {"title": f"key {cast.key}", "body": f"{SECRET} https://me:hunter2secret@example.org/", "severity": "ERROR"}
    headers = {"Authorization": f"Bearer {cast.key}"}
    assert app.test_client().post("/v1/events", json=sent, headers=headers).status_code == 202
    hashes = [bytes(row.hash) for row in SourceKey.select()] + [bytes(row.token_hash) for row in Session.select()]

    exported = browser("olga").get(path).data

    secrets = [*canaries.values(), cast.key.encode(), SECRET.encode(), b"hunter2secret", *hashes]
    secrets += [bytes(row[0]) for row in db.execute_sql("SELECT sealed FROM destinations")]
    for secret in secrets:
        for form in (secret, secret.hex().encode(), base64.b64encode(secret), base64.urlsafe_b64encode(secret)):
            assert form not in exported
    assert sealing.current().newest.encode() + b":" not in exported
    assert b"Hint" not in exported and b'"hint"' not in exported


def test_each_table_and_column_of_a_workspace_is_exported_or_kept_back_knowingly(ground: peewee.Database) -> None:
    exported = {section.table: section for section in SECTIONS}
    owned = {table for table in tables() if "workspace_id" in columns(table)}

    for table, section in exported.items():
        told = " ".join(column.sql for column in section.columns if not column.sql.startswith("(SELECT"))
        named = set(re.findall(r"\bt\.(\w+)", told))
        assert columns(table).keys() - named == KEPT_BACK[table], table
    assert owned - exported.keys() == NOT_EXPORTED.keys()


def test_a_second_one_within_a_minute_waits(browser: Browsers, cast: Cast, path: str) -> None:
    olga = browser("olga")
    assert olga.get(path).data.endswith(b"}\n")

    refused = olga.get(path)
    ExportRun.update(started_at=present() - timedelta(seconds=60)).execute()
    later = olga.get(path)

    assert (refused.status_code, refused.json["code"]) == (429, "rate_limited")
    assert 58 <= int(refused.headers["Retry-After"]) <= 60
    assert later.status_code == 200 and later.data
    assert AuditEntry.select().where(AuditEntry.action == "workspace.exported").count() == 2
    assert ExportRun.get().finished_at is not None


def test_head_begins_no_export(browser: Browsers, cast: Cast, path: str) -> None:
    olga = browser("olga")
    heads = [olga.call("HEAD", path) for _ in range(2)]

    assert [(head.status_code, head.mimetype, head.data) for head in heads] == [(200, "application/json", b"")] * 2
    assert ExportRun.select().count() == 0
    assert AuditEntry.select().where(AuditEntry.action == "workspace.exported").count() == 0
    assert olga.get(path).status_code == 200


def test_nobody_is_told_to_wait_longer_than_a_minute(browser: Browsers, cast: Cast, path: str) -> None:
    olga = browser("olga")
    assert olga.get(path).data
    ExportRun.update(started_at=present() + timedelta(seconds=5)).execute()  # by the clock of another machine

    assert olga.get(path).headers["Retry-After"] == "60"


def test_of_many_at_once_one_begins_and_other_workspaces_do_not_wait(cast: Cast) -> None:
    begun: list[Any] = []

    def go() -> None:
        with db.connection_context():
            try:
                begun.append(export.begin(cast.workspace.id, cast.users["olga"].id, now=present()))
            except RateLimited:
                pass

    threads = [threading.Thread(target=go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    other = export.begin(cast.foreign.id, cast.users["eve"].id, now=present())

    assert len(begun) == 1
    for each in (*begun, other):
        each.close()
    until(lambda: connections() == 0, "the connection is free")


def test_it_shows_one_moment(cast: Cast) -> None:
    events(cast, 10)
    body = export.begin(cast.workspace.id, cast.users["olga"].id, now=present())
    pieces = [next(body), next(body)]

    ReceivedEvent.delete().execute()
    document = orjson.loads(b"".join([*pieces, *body]))
    body.close()

    assert len(document["events"]) == 10


def test_a_client_that_goes_away_frees_the_connection_and_its_place(cast: Cast) -> None:
    events(cast, 600)
    for _ in range(export.AT_ONCE + 1):
        ExportRun.delete().execute()
        body = export.begin(cast.workspace.id, cast.users["olga"].id, now=present())
        next(body)
        assert connections() == 1

        body.close()
        body.close()

        until(lambda: connections() == 0, "the connection is free")
    assert ExportRun.get().finished_at is None


def test_a_document_that_is_cut_is_no_json(cast: Cast) -> None:
    events(cast, 600)
    body = export.begin(cast.workspace.id, cast.users["olga"].id, now=present())
    got = [next(body) for _ in range(8)]

    db.execute_sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'inbox-export'")
    with pytest.raises(psycopg2.OperationalError):
        got.extend(body)
    body.close()

    with pytest.raises(orjson.JSONDecodeError):
        orjson.loads(b"".join(got))


@pytest.mark.parametrize("who", ["adam", "mia", "vic"])
def test_only_owners_export(browser: Browsers, path: str, who: str) -> None:
    refused = browser(who).get(path)

    assert (refused.status_code, refused.json["requiredRole"]) == (403, "owner")


def test_eve_learns_nothing_and_a_deleted_workspace_is_not_exported(browser: Browsers, cast: Cast, path: str) -> None:
    assert browser("eve").get(path).status_code == 404
    make_workspace("Second", olga=cast.users["olga"])
    Workspace.update(deleted_at=present()).where(Workspace.id == cast.workspace.id).execute()

    assert browser("olga").get(path).status_code == 404


def test_it_wants_a_proof_of_the_last_five_minutes(app: Flask, settings: Settings, cast: Cast, path: str) -> None:
    proved = present() - timedelta(minutes=5, seconds=1)
    olga = Browser(app, settings.base_url, cookie=sign_in(cast.users["olga"], proved_at=proved))

    refused = olga.get(path)

    assert (refused.status_code, refused.json["code"]) == (403, "reauth_required")
    assert ExportRun.select().count() == 0


def test_another_site_cannot_start_one(browser: Browsers, path: str) -> None:
    assert browser("olga").get(path, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_deliveries_keep_their_order_of_ids(browser: Browsers, cast: Cast, path: str) -> None:
    destination, incident = make_destination(cast.workspace, "https://example.org/hook"), make_incident(cast)
    for seq in range(3):
        owe(destination, incident, seq=seq, status="sent")

    told = orjson.loads(browser("olga").get(path).data)["deliveries"]

    assert [row["id"] for row in told] == [typeid("dlv", row.id) for row in Delivery.select().order_by(Delivery.id)]
