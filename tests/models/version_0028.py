"""SQL of version 0028, copied from it, and a database that migration 0029 has changed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

import peewee
import psycopg2
import pytest

from inbox.migrate import migrate
from inbox.models.sql.base import connect_arguments
from inbox.settings import Settings
from tests.cast import NOW
from tests.models.test_migrations import up_to

WORKSPACE, SOURCE, SUBJECT, OTHER = (UUID(int=number) for number in (1, 2, 3, 4))


MINUTE = timedelta(minutes=1)


SET_TIMER = """
INSERT INTO timers (kind, subject_id, workspace_id, due_at) SELECT x.* FROM unnest(%s::text[], %s::uuid[], %s::uuid[], %s::timestamptz[])
    x(kind, subject_id, workspace_id, due_at) ORDER BY x.subject_id, x.kind
ON CONFLICT (kind, subject_id) DO UPDATE SET due_at = excluded.due_at, walked_to = NULL
WHERE timers.due_at <> excluded.due_at OR timers.walked_to IS NOT NULL
"""


TAKE_TIMER = """
WITH due AS MATERIALIZED
    ((SELECT kind, subject_id FROM timers WHERE due_at <= %(now)s AND kind <> ALL(%(patient)s) ORDER BY due_at, kind DESC LIMIT 20)
    UNION ALL (SELECT kind, subject_id FROM timers WHERE due_at <= %(now)s AND kind = ANY(%(patient)s) ORDER BY due_at LIMIT 20))
SELECT kind, subject_id FROM due WHERE pg_try_advisory_xact_lock(7, hashtext(subject_id::text)) LIMIT 1
"""


CLEAR_TIMER = """
DELETE FROM timers WHERE (kind, subject_id) IN (SELECT kind, subject_id FROM timers
    WHERE kind = %s AND subject_id = %s AND due_at = %s FOR UPDATE SKIP LOCKED)
"""


COLUMNS = """
SELECT table_name, column_name, data_type, is_updatable FROM information_schema.columns
WHERE table_schema = 'public' AND NOT column_name = 'ctid' ORDER BY 1, 2
"""


KINDS = {
    "incident.wake": "incident.snooze_end",
    "incident.calm": "incident.flapping_end",
    "notice.unheard": "notice.fallback_check",
    "silence.turn": "silence.transition",
    "silence.look": "silence.recheck",
    "silence.hit": "silence.stray_check",
    "workspace.quiet": "workspace.quiet_recheck",
    "workspace.quiet_again": "workspace.quiet_recheck_late",
    "workspace.rewind": "workspace.reschedule",
    "workspace.rewind_again": "workspace.reschedule_late",
    "source.gone": "source.deleted",
    "source.gone_again": "source.deleted_late",
    "incident.hold": "incident.hold",
}


WAITING = """
SELECT relation::regclass::text FROM pg_locks l JOIN pg_database d ON d.oid = l.database
WHERE NOT granted AND locktype = 'relation' AND d.datname = current_database()
"""


DROPPED = ("routing_shards", "tries")


class Old:
    """A session with the search path of version 0028."""

    def __init__(self, arguments: dict[str, Any]) -> None:
        self.connection = psycopg2.connect(**{**arguments, "options": "-c timezone=UTC"})
        self.connection.autocommit = True

    def __call__(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with self.connection.cursor() as cursor:
            cursor.execute(sql, values or None)
            return list(cursor.fetchall()) if cursor.description else [(cursor.rowcount,)]


class Renamed(NamedTuple):
    """A database that migration 0029 has changed, how to connect to it, the columns of its tables before, and its timers after."""

    database: peewee.PostgresqlDatabase
    arguments: dict[str, Any]
    before: list[tuple[Any, ...]]
    timers: list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def renamed(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Renamed]:
    """A database of its own. Its timers are gone once they are read: each test begins without any, in whatever order."""
    arguments = connect_arguments(settings.database_url, application="inbox-test")
    name = f"{arguments.pop('database')}_renamed"
    server = peewee.PostgresqlDatabase("postgres", **arguments)
    server.execute_sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    server.execute_sql(f"CREATE DATABASE {name}")
    database = peewee.PostgresqlDatabase(name, **arguments)
    migrate(database, directory=up_to("0028_zzz", tmp_path_factory.mktemp("migrations")))
    connect_to_it = {**arguments, "database": name}
    session = Old(connect_to_it)
    before = session(COLUMNS)
    session(
        "INSERT INTO workspaces (id, name, slug, timezone, created_at) VALUES (%s, 'Acme', 'acme', 'UTC', now())",
        WORKSPACE,
    )
    session(
        "INSERT INTO rules (id, workspace_id, name, position, source_ids, match, outcome, goes_on, created_at)"
        " VALUES (%s, %s, 'Disks', 1, '{}', '{}', '{}', true, now())",
        WORKSPACE, WORKSPACE,
    )  # fmt: skip
    for kind in KINDS:
        session(SET_TIMER, [kind], [SUBJECT], [WORKSPACE], [NOW])
    migrate(database)
    timers = session("DELETE FROM inbox_renamed.timers RETURNING old_kind, kind")
    session.connection.close()
    yield Renamed(database, connect_to_it, before, timers)
    database.close()
    server.execute_sql(f"DROP DATABASE {name} WITH (FORCE)")
    server.close()


@pytest.fixture
def new(renamed: Renamed) -> Iterator[Any]:
    """Statements of this version."""
    with renamed.database.connection_context():
        yield lambda sql, *values: renamed.database.execute_sql(sql, values or None).fetchall()


@pytest.fixture
def old(renamed: Renamed) -> Iterator[Old]:
    """Statements of version 0028."""
    session = Old(renamed.arguments)
    yield session
    session.connection.close()
