"""The export of a workspace: complete, without secrets, rate limited, and ended when the client leaves.

Specification 12.6.
"""

from __future__ import annotations

import base64
import re
from datetime import timedelta

import orjson
import peewee
from flask import Flask

from inbox.database.base import db, new_id
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import DeliveryAttempt
from inbox.models.incidents.tables import TimelineEntry
from inbox.models.people.accounts import Session, SetupLink, User
from inbox.models.people.devices import Device, DeviceToken
from inbox.models.people.factors import Passkey, RecoveryCode, TotpFactor
from inbox.models.people.links import Invite, Link
from inbox.models.records.audit import AuditEntry
from inbox.models.senders.sources import SourceKey
from inbox.models.workspaces.exports import SECTIONS
from inbox.runtime import sealing
from tests.api.workspaces.export_steps import (
    Browsers,
    events,
    path,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.clock import well_before_the_end_of
from tests.database.stored import store
from tests.database.tables import columns, tables
from tests.stand_ins.outgoing_posts import make_destination, make_incident, owe
from tests.stand_ins.receivers import SECRET

NOT_EXPORTED = {
    "event_queue": "work that waits",
    "received_events": "told by the events",
    "routed_events": "told by the events",
    "routing_traces": "told by the events",
    "timers": "work that waits",
    "oncall_shift_notices": "which mails were sent, kept until the shift begins",
    "incident_search": "told by the incidents",
    "incident_counters": "told by the incidents' numbers",
    "export_runs": "told by the audit log",
    "rule_matches": "counts of what the events tell",
    "costly_matches": "counts of what the events tell",
    "open_after_counters": "work that waits",
    "configuration_versions": "told by the audit log",
    "imported_records": "told by the records",
    "workspace_imports": "told by the audit log",
    "kept_records": "told by the files that keep records",
    "paid_messages": "counts of a day",
    "chat_accounts": "which account of a chat a person has linked",
    "rule_previews": "a question about the past, kept for a day",
}
"""Tables of a workspace that no export holds."""


KEPT_BACK = {
    "members": {"id", "workspace_id", "last_seen_at"},
    "invites": {"workspace_id", "token_hash", "deleted_at"},
    "sources": {"workspace_id"},
    "source_keys": {"workspace_id", "hash", "hint", "sealed", "last_used_network", "last_used_agent"},
    "destinations": {
        "workspace_id",
        "device_id",
        "owner_id",
        "method",
        "provider_id",
        "config",
        "sealed",
        "summarised_at",
        "rejections_in_a_row",
        "generation",
        "next_call_at",
    },
    "rules": {"workspace_id"},
    "routing_profiles": {"workspace_id"},
    "silences": {"workspace_id"},
    "oncall_schedules": {"workspace_id", "logged_until", "zone_digest", "known_problems"},
    "oncall_overrides": {"workspace_id"},
    "oncall_calendars": {
        *(
            "workspace_id",
            "sealed",
            "etag",
            "members_digest",
            "whole_at",
            "failures",
            "unmatched",
            "attempts",
            "due_at",
        ),
    },
    "oncall_slack": {"workspace_id", "failures", "attempts", "due_at"},
    "oncall_calendar_shifts": {"id", "workspace_id"},
    "oncall_forwardings": {"workspace_id"},
    "oncall_log": {"id", "workspace_id"},
    "oncall_feeds": {"workspace_id", "token_hash", "token_hint", "events"},
    "heartbeat_monitors": {
        *("workspace_id", "token_hash", "token_hint", "badge_hash", "watched_since", "late_since", "run_id"),
        *("check_at", "throttle_at"),
    },
    "watchers": {"workspace_id"},
    "heartbeat_pings": {"id", "workspace_id"},
    "heartbeat_flips": {"id", "workspace_id"},
    "saved_views": {"workspace_id"},
    "pages": {"id", "destination_ids"},
    "incidents": {"workspace_id", "notice_count", "state_change_times", "last_entry_at"},
    "timeline": {"id", "workspace_id"},
    "alerts": {"workspace_id", "search_text"},
    "notices": {"workspace_id"},
    "deliveries": {"workspace_id", "seq", "attempt", "due_at", "lease_until", "urgency"},
    "audit_log": {"workspace_id", "user_id"},
    "events": {"workspace_id", "routed_as"},
}
"""Columns that no export holds as they are; a new column must be exported or named here."""


def test_an_export_holds_all_records_of_the_workspace_and_no_others(browser: Browsers, cast: Cast, path: str) -> None:
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


def planted(olga: User, cast: Cast) -> dict[str, bytes]:
    """Secrets of every kind in the tables of the person and the workspace."""
    canaries = {
        name: f"canary-{name}-{n:032d}".encode() for n, name in enumerate(("sealed", "hash", "password", "key"))
    }
    now = present()
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
    return canaries


def with_hints_in_the_audit_log(adam: Browser, cast: Cast) -> str:
    """Create a key and delete a destination, whose audit entries have hints. Return the key."""
    made = adam.post(f"/v1/sources/{typeid('src', cast.source.id)}/keys", {"name": "CI"}).json
    assert adam.delete(f"/v1/destinations/{typeid('dst', Destination.get().id)}").status_code == 204
    created, deleted = (entry.details for entry in AuditEntry.select().order_by(AuditEntry.id))
    assert "hint" in created and "secretHint" in deleted["record"]["config"]
    return str(made["secret"])


def test_an_export_holds_no_secret(browser: Browsers, app: Flask, cast: Cast, path: str) -> None:
    canaries = planted(cast.users["olga"], cast)
    sent = {"title": f"key {cast.key}", "body": f"{SECRET} https://me:hunter2secret@example.org/", "severity": "ERROR"}
    by_key = {"json": sent, "headers": {"Authorization": f"Bearer {cast.key}"}}
    assert app.test_client().post("/v1/events", **by_key).status_code == 202
    key = with_hints_in_the_audit_log(browser("adam"), cast)
    hashes = [bytes(row.hash) for row in SourceKey.select()] + [bytes(row.token_hash) for row in Session.select()]

    exported = browser("olga").get(path).data

    secrets = [
        *canaries.values(),
        cast.key.encode(),
        key.encode(),
        SECRET.encode(),
        b"hunter2secret",
        *hashes,
    ]
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
        reported = " ".join(column.sql for column in section.columns if not column.sql.startswith("(SELECT"))
        named = set(re.findall(r"\bt\.(\w+)", reported))
        assert columns(table).keys() - named == KEPT_BACK[table], table
    assert owned - exported.keys() == NOT_EXPORTED.keys()
