"""Migrations of a database that is in use: they take their time, and lose nothing."""

from __future__ import annotations

import json
import runpy
import shutil
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import peewee
import pytest

from inbox.domain import ids
from inbox.migrate import DIRECTORY, migrate
from inbox.models.sql.base import new_id
from tests.cast import NOW

WORKSPACE, SOURCE, INCIDENT = (UUID(int=number) for number in (1, 2, 3))


def up_to(last: str, into: Path) -> Path:
    """A folder with the migrations before and with this one."""
    for each in sorted(DIRECTORY.glob("0*.py")):
        if each.stem <= last:
            shutil.copy(each, into)
    return into


def test_what_became_of_events_is_kept_as_it_moves_to_a_table_of_its_own(
    empty: peewee.PostgresqlDatabase, tmp_path: Path
) -> None:
    migrate(empty, directory=up_to("0010_rules", tmp_path))
    events = {"opened": (INCIDENT, '{"by": "rule"}'), "logged": (None, '{"by": "default"}'), "pending": (None, None)}
    aside = new_id(NOW)
    with empty.connection_context():
        stored = [(new_id(NOW), name, *rest) for name, rest in events.items()]
        for event_id, *rest in (*stored, (aside, "pending", None, '{"trace": ["set aside"]}')):
            empty.execute_sql(
                "INSERT INTO events (workspace_id, id, source_id, received_at, occurred_at, severity, action, title,"
                " fingerprint, disposition, incident_id, routing)"
                " VALUES (%s, %s, %s, %s, %s, 'ERROR', 'trigger', 'Disk full', 'f1:x', %s, %s, %s::jsonb)",
                (WORKSPACE, event_id, SOURCE, NOW, NOW, *rest),
            )
            if rest[0] == "pending":
                queue = "INSERT INTO event_queue (shard, workspace_id, event_id) VALUES (0, %s, %s)"
                empty.execute_sql(queue, (WORKSPACE, event_id))

    migrate(empty)

    with empty.connection_context():
        ask = "SELECT id, disposition, incident_id, routing::jsonb::text, title FROM {} ORDER BY id"
        expected = sorted(
            (*row, "Disk full") for row in (*stored, (aside, "pending", None, '{"trace": ["set aside"]}'))
        )
        assert empty.execute_sql(ask.format("events")).fetchall() == expected
        settled = [row for row in expected if row[1] != "pending"]
        assert empty.execute_sql(ask.format("routed_events_view")).fetchall() == settled
        waiting = [row for row in expected if row[1] == "pending"]
        assert empty.execute_sql(ask.format("pending_events_view")).fetchall() == waiting


def test_audit_entries_of_before_name_the_account_that_they_are_about(
    empty: peewee.PostgresqlDatabase, tmp_path: Path
) -> None:
    migrate(empty, directory=up_to("0027_zzz", tmp_path))
    olga, mia, device = (new_id(NOW) for _ in range(3))
    actor = {"type": "user", "id": ids.encode("usr", olga), "name": "Olga"}
    system = {"type": "system", "id": "", "name": ""}
    entries = [
        (None, actor, {"type": "user", "id": ids.encode("usr", mia), "name": "Mia"}, mia),
        (None, actor, {"type": "session", "id": ids.encode("ses", new_id(NOW)), "name": ""}, olga),
        (None, system, {"type": "device", "id": ids.encode("dev", device), "name": "Phone"}, mia),
        (None, actor, {"type": "device", "id": ids.encode("dev", new_id(NOW)), "name": "Gone"}, None),
        (None, system, {"type": "user", "id": "", "name": ""}, None),
        (None, actor, {"type": "user", "id": "usr_broken", "name": ""}, None),
        (WORKSPACE, actor, {"type": "user", "id": ids.encode("usr", mia), "name": "Mia"}, None),
    ]
    with empty.connection_context():
        for user_id, name in ((olga, "olga"), (mia, "mia")):
            empty.execute_sql(
                "INSERT INTO users (id, email, email_key, name, created_at) VALUES (%s, %s, %s, %s, %s)",
                (user_id, name, name, name, NOW),
            )
        empty.execute_sql(
            "INSERT INTO devices (id, user_id, name, platform, created_at) VALUES (%s, %s, 'Phone', 'ios', %s)",
            (device, mia, NOW),
        )
        expected = {}
        for workspace_id, by, target, about in entries:
            expected[entry := new_id(NOW)] = about
            empty.execute_sql(
                "INSERT INTO audit_log (id, at, workspace_id, actor, action, target) VALUES (%s, %s, %s, %s, 'x.y', %s)",
                (entry, NOW, workspace_id, json.dumps(by), json.dumps(target)),
            )

    migrate(empty)

    with empty.connection_context():
        assert dict(empty.execute_sql("SELECT id, user_id FROM audit_log").fetchall()) == expected
        with pytest.raises(peewee.ProgrammingError, match="only grows"):
            empty.execute_sql("UPDATE audit_log SET user_id = NULL")


def test_a_chat_account_of_before_is_kept_without_a_key_and_the_newest_survives_the_way_back(
    empty: peewee.PostgresqlDatabase, tmp_path: Path
) -> None:
    migrate(empty, directory=up_to("0054_zzz", tmp_path))
    user, older, newer = (new_id(NOW + timedelta(seconds=number)) for number in range(3))
    columns = "id, user_id, workspace_id, service, account_id, name, created_at"
    row = (user, WORKSPACE, "slack", "T0001/U0002", "mia", NOW)
    with empty.connection_context():
        empty.execute_sql(
            "INSERT INTO users (id, email, email_key, name, created_at) VALUES (%s, 'm', 'm', 'M', %s)", (user, NOW)
        )
        empty.execute_sql(
            "INSERT INTO workspaces (id, name, slug, created_at) VALUES (%s, 'W', 'w', %s)", (WORKSPACE, NOW)
        )
        empty.execute_sql(f"INSERT INTO chat_accounts ({columns}) VALUES (%s, %s, %s, %s, %s, %s, %s)", (older, *row))

    migrate(empty)

    with empty.connection_context():
        add = f"INSERT INTO chat_accounts ({columns}, verifier) VALUES (%s, %s, %s, %s, %s, %s, %s, 'digest')"
        empty.execute_sql(add, (newer, *row))
        found = empty.execute_sql("SELECT id, verifier FROM chat_accounts ORDER BY id").fetchall()
        assert found == [(older, ""), (newer, "digest")]
        empty.execute_sql(runpy.run_path(str(DIRECTORY / "0055_chat_account_verifiers.py"))["DOWN"])
        assert empty.execute_sql("SELECT id FROM chat_accounts").fetchall() == [(newer,)]


def test_only_an_address_of_an_invitation_stays_unconfirmed(empty: peewee.PostgresqlDatabase, tmp_path: Path) -> None:
    migrate(empty, directory=up_to("0055_zzz", tmp_path))
    made, admin, guest, invited, audited = users = [new_id(NOW + timedelta(seconds=number)) for number in range(5)]
    accepted = {admin: NOW, guest: NOW + timedelta(days=1), invited: NOW}
    with empty.connection_context():
        for user in users:
            columns = "id, email, email_key, name, is_instance_admin, created_at"
            row = (user, str(user), str(user), "M", user == admin, NOW)
            empty.execute_sql(f"INSERT INTO users ({columns}) VALUES (%s, %s, %s, %s, %s, %s)", row)
        empty.execute_sql(
            "INSERT INTO workspaces (id, name, slug, created_at) VALUES (%s, 'W', 'w', %s)", (WORKSPACE, NOW)
        )
        for user, accepted_at in accepted.items():
            empty.execute_sql(
                "INSERT INTO invites (id, workspace_id, token_hash, role, created_at, expires_at, accepted_at, accepted_by)"
                " VALUES (%s, %s, %s, 'member', %s, %s, %s, %s)",
                (user, WORKSPACE, user.bytes, NOW, NOW, accepted_at, user),
            )
        empty.execute_sql(
            "INSERT INTO audit_log (id, at, actor, action, target, user_id, details)"
            " VALUES (%s, %s, '{}', 'account.created', '{}', %s, '{\"by\": \"invitation\"}')",
            (audited, NOW, audited),
        )

    migrate(empty)

    with empty.connection_context():
        found = dict(empty.execute_sql("SELECT id, email_verified_at FROM users").fetchall())
        assert found == {made: NOW, admin: NOW, guest: NOW, invited: None, audited: None}


def test_a_migration_may_take_longer_than_any_statement_otherwise(
    empty: peewee.PostgresqlDatabase, tmp_path: Path
) -> None:
    with empty.connection_context():
        assert empty.execute_sql("SHOW statement_timeout").fetchone()[0] != "0"
    (tmp_path / "0001_slow.py").write_text(
        "def up(migrator, db):\n"
        "    db.execute_sql(\"CREATE TABLE seen AS SELECT current_setting('statement_timeout') AS timeout\")\n"
    )

    assert migrate(empty, directory=tmp_path) == ["0001_slow"]

    with empty.connection_context():
        assert empty.execute_sql("SELECT timeout FROM seen").fetchone()[0] == "0"
