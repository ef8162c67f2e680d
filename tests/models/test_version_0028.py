"""SQL of version 0028, copied from it, on the tables of migration 0029: its processes run until they are replaced."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID

import peewee
import pytest

from inbox.migrate import migrate
from inbox.models.sql.base import connect_arguments, new_id
from inbox.settings import Settings
from tests.cast import NOW
from tests.models.test_migrations import up_to
from tests.models.version_0028 import (
    CLEAR_TIMER,
    COLUMNS,
    DROPPED,
    KINDS,
    MINUTE,
    OTHER,
    SET_TIMER,
    SOURCE,
    SUBJECT,
    TAKE_TIMER,
    WAITING,
    WORKSPACE,
    Old,
    Renamed,
    new,  # noqa: F401
    old,  # noqa: F401
    renamed,  # noqa: F401
)


def test_every_column_of_before_is_read_and_written_by_its_name(old: Old, renamed: Renamed) -> None:
    here = set(old(COLUMNS))

    assert len(renamed.before) > 300
    assert [row for row in renamed.before if row not in here and row[:2] != DROPPED] == []
    for table in sorted({row[0] for row in renamed.before}):
        columns = ", ".join(f'"{name}"' for of, name, *_ in renamed.before if of == table and (of, name) != DROPPED)
        assert old(f"SELECT {columns} FROM {table} WHERE false") == []


@pytest.mark.parametrize(
    "table", ["incidents", "rules", "workspaces", "destinations", "rule_previews", "mails", "undos"]
)
def test_rows_are_locked_by_the_old_name(old: Old, table: str) -> None:
    rows = f"SELECT t.* FROM {table} t"
    assert old(f"{rows} FOR NO KEY UPDATE OF t SKIP LOCKED") == old(rows)


def test_what_was_there_has_the_new_names(old: Old, new: Any, renamed: Renamed) -> None:
    assert new("SELECT name, continue_matching, actions FROM rules") == [("Disks", True, {})]
    assert old("SELECT name, goes_on, outcome FROM rules") == [("Disks", True, {})]
    assert sorted(renamed.timers) == sorted(KINDS.items())


def test_timers_of_either_version_are_seen_set_and_cleared_by_the_other(old: Old, new: Any) -> None:
    old(SET_TIMER, ["incident.wake", "incident.step"], [SUBJECT, SUBJECT], [WORKSPACE] * 2, [NOW, NOW])
    assert new("SELECT kind, old_kind, due_at FROM timers ORDER BY kind") == [
        ("incident.snooze_end", "incident.wake", NOW),
        ("incident.step", "incident.step", NOW),
    ]

    repeated = "INSERT INTO timers (kind, subject_id, workspace_id, due_at) VALUES (%s, %s, %s, %s)"
    repeated += (
        " ON CONFLICT (kind, subject_id) DO UPDATE SET due_at = excluded.due_at, resume_after = NULL RETURNING due_at"
    )
    assert new(repeated, "incident.snooze_end", SUBJECT, WORKSPACE, NOW + MINUTE) == [(NOW + MINUTE,)]
    assert new(repeated, "silence.transition", OTHER, WORKSPACE, NOW - MINUTE) == [(NOW - MINUTE,)]
    assert old("SELECT kind, walked_to FROM timers ORDER BY kind") == [
        ("incident.step", None),
        ("incident.wake", None),
        ("silence.turn", None),
    ]

    taken = old(TAKE_TIMER.replace("%(now)s", "now()").replace("%(patient)s", "ARRAY['silence.turn']"))
    assert taken == [("incident.step", SUBJECT)]
    assert old(CLEAR_TIMER, "silence.turn", OTHER, NOW - MINUTE) == [(1,)]
    old(SET_TIMER, ["incident.wake"], [SUBJECT], [WORKSPACE], [NOW + 2 * MINUTE])
    assert new("DELETE FROM timers WHERE kind LIKE 'incident.%%' RETURNING due_at") == [(NOW,), (NOW + 2 * MINUTE,)]
    assert old("SELECT count(*) FROM timers") == [(0,)]


def test_every_renamed_kind_of_timer_has_one_old_name(old: Old, new: Any) -> None:
    insert = "INSERT INTO timers (kind, subject_id, workspace_id, due_at) VALUES (%s, %s, %s, %s) RETURNING kind"
    for number, (before, now) in enumerate(KINDS.items()):
        assert old(insert, before, UUID(int=2 * number), WORKSPACE, NOW) == [(before,)]
        assert new(insert, now, UUID(int=2 * number + 1), WORKSPACE, NOW) == [(now,)]

    stored = new("DELETE FROM timers RETURNING old_kind, kind")

    assert sorted(stored) == sorted(2 * list(KINDS.items()))


def test_what_an_old_worker_copies_of_routed_events_is_read_by_both(old: Old, new: Any) -> None:
    first, shared, record = new_id(NOW), new_id(NOW), new_id(NOW)
    for event_id in (first, shared):
        old(
            "INSERT INTO received_events (workspace_id, id, source_id, received_at, occurred_at, severity, action, title,"
            " fingerprint) VALUES (%s, %s, %s, %s, %s, 'ERROR', 'trigger', 'Disk full', 'f1:x')",
            WORKSPACE, event_id, SOURCE, NOW, NOW,
        )  # fmt: skip
    old(
        "INSERT INTO routing_records (workspace_id, id, source_id, record) VALUES (%s, %s, %s, '{\"by\": \"rule\"}') ON CONFLICT DO NOTHING",
        WORKSPACE, record, SOURCE,
    )  # fmt: skip
    lines = [
        f"{WORKSPACE}\t{first}\tlogged\t\\N\t{{}}\t\\N",
        f"{WORKSPACE}\t{shared}\topened\t{SUBJECT}\t\\N\t{record}",
    ]
    with old.connection.cursor() as cursor:
        columns = "workspace_id, event_id, disposition, incident_id, routing, record_id"
        cursor.copy_expert(f"COPY routed_events ({columns}) FROM STDIN", BytesIO("\n".join(lines).encode()))
    joined = "UPDATE routed_events r SET incident_id = %s WHERE r.workspace_id = %s AND r.event_id = %s"
    assert old(joined, SUBJECT, WORKSPACE, first) == [(1,)]

    stored = new("SELECT event_id, trace::text, trace_id, routing, record_id FROM routed_events ORDER BY event_id")
    assert stored == sorted([(first, "{}", None, None, None), (shared, None, record, None, None)])
    ask = "SELECT id, disposition, routed_as, incident_id, routing::text FROM {} ORDER BY id"
    expected = sorted(
        [(first, "logged", "logged", SUBJECT, "{}"), (shared, "opened", "opened", SUBJECT, '{"by": "rule"}')]
    )
    assert old(ask.format("events")) == old(ask.format("settled_events")) == expected
    assert new(ask.format("events")) == new(ask.format("routed_events_view")) == expected
    assert old(ask.format("waiting_events")) == []


ONE = "00000000-0000-0000-0000-000000000001"


UPSERTS = {
    "throttles": (
        "rate_limit_buckets",
        """INSERT INTO throttles AS t (bucket, tokens, filled_at) VALUES ('a', 9, now()) ON CONFLICT (bucket) DO UPDATE
        SET tokens = least(10, t.tokens + 0) - 1 WHERE t.tokens >= 1 RETURNING tokens""",
        [9, 8],
    ),
    "workspace_counters": (
        "incident_counters",
        f"""INSERT INTO workspace_counters (workspace_id, incidents) VALUES ('{ONE}', 2) ON CONFLICT (workspace_id) DO UPDATE
        SET incidents = workspace_counters.incidents + excluded.incidents RETURNING incidents""",
        [2, 4],
    ),
    "rule_waits": (
        "open_after_counters",
        f"""INSERT INTO rule_waits (workspace_id, rule_id, fingerprint, seen_at, event_ids, last_at)
        VALUES ('{ONE}', '{ONE}', 'f1:x', '{{}}', '{{}}', now()) ON CONFLICT (rule_id, fingerprint) DO UPDATE
        SET last_at = excluded.last_at RETURNING fingerprint""",
        ["f1:x", "f1:x"],
    ),
    "spent_tickets": (
        "consumed_tokens",
        "INSERT INTO spent_tickets (digest, expires_at) VALUES ('x', now()) ON CONFLICT DO NOTHING RETURNING 1",
        [1],
    ),
    "changes": ("change_feed", "INSERT INTO changes (refs) VALUES ('[]') RETURNING refs", [[], []]),
}


@pytest.mark.parametrize("former", UPSERTS)
def test_rows_are_inserted_updated_and_purged_by_the_old_name(old: Old, new: Any, former: str) -> None:
    present, sql, answers = UPSERTS[former]
    found = [row[0] for _ in range(2) for row in old(sql)]
    assert found == answers
    rows = len(answers) if former == "changes" else 1
    assert new(f"SELECT count(*) FROM {present}") == [(rows,)]

    purge = (
        "DELETE FROM {0} WHERE ctid = ANY(ARRAY(SELECT t.ctid FROM {0} t WHERE true LIMIT 10 FOR UPDATE SKIP LOCKED))"
    )
    assert old(purge.format(former)) == [(rows,)]
    assert new(f"SELECT count(*) FROM {present}") == [(0,)]


def test_it_waits_for_a_long_transaction_and_lets_others_work_meanwhile(
    empty: peewee.PostgresqlDatabase, settings: Settings, tmp_path: Path
) -> None:
    migrate(empty, directory=up_to("0028_zzz", tmp_path))
    arguments = {**connect_arguments(settings.database_url, application="inbox-test"), "database": empty.database}
    long, other = Old(arguments), Old(arguments)
    long.connection.autocommit = False
    long("SELECT count(*) FROM timers")

    with ThreadPoolExecutor(1) as pool:
        migration = pool.submit(migrate, empty)
        until(lambda: other(WAITING) == [("timers",)])
        assert other("SELECT count(*) FROM incidents") == [(0,)]
        until(lambda: other(WAITING) == [])
        until(lambda: other(WAITING) == [("timers",)])
        long.connection.rollback()
        assert migration.result()[0] == "0029_standard_names"

    assert other("SELECT count(kind) FROM timers") == [(0,)]
    for session in (long, other):
        session.connection.close()


def until(is_so: Callable[[], bool]) -> None:
    for _ in range(6_000):
        if is_so():
            return
        time.sleep(0.01)
    raise AssertionError("it never was so")
