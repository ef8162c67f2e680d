"""A version that meets tables of a newer version reports it everywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import peewee
import pytest

from inbox.database.base import connection_released, db
from inbox.database.migrate import TablesTooNew, migrate, report_difference
from tests.browser import Browser
from tests.cast import Cast, typeid

Browsers = Callable[[str], Browser]
NEWER = "9999_newer"


@pytest.fixture
def newer_tables(cast: Cast) -> Iterator[None]:
    """The next version was here, and gave events a column that must be filled in."""
    db.execute_sql("INSERT INTO schema_migration (name, applied) VALUES (%s, now())", (NEWER,))
    db.execute_sql("ALTER TABLE event_queue ADD COLUMN newer integer NOT NULL")
    db.execute_sql("ALTER TABLE saved_views RENAME TO newer_views")
    yield
    db.execute_sql("ALTER TABLE newer_views RENAME TO saved_views")
    db.execute_sql("ALTER TABLE event_queue DROP COLUMN newer")
    db.execute_sql("DELETE FROM schema_migration WHERE name = %s", (NEWER,))


@pytest.mark.usefixtures("newer_tables")
def test_an_event_is_refused_with_the_reason(anonymous: Browser, cast: Cast) -> None:
    key = cast.key

    answer = anonymous.post("/v1/events", {"title": "Disk full"}, headers={"Authorization": f"Bearer {key}"})

    assert (answer.status_code, answer.json["code"]) == (503, "unavailable")
    assert answer.json["detail"].startswith(f"The tables are those of a newer version (migration {NEWER}")


@pytest.mark.usefixtures("newer_tables")
def test_a_list_is_refused_with_the_reason(browser: Browsers, cast: Cast) -> None:
    answer = browser("mia").get(f"/v1/views?workspaceId={typeid('wsp', cast.workspace.id)}")

    assert (answer.status_code, answer.json["code"]) == (503, "unavailable")
    assert NEWER in answer.json["detail"]


@pytest.mark.usefixtures("newer_tables")
def test_an_older_version_beside_newer_tables_stays_ready_and_degraded(anonymous: Browser) -> None:
    answer = anonymous.get("/readyz")

    assert (answer.status_code, answer.json["status"]) == (200, "degraded")
    assert NEWER in answer.json["detail"]


@pytest.mark.usefixtures("newer_tables")
def test_an_older_version_does_not_migrate_newer_tables() -> None:
    with connection_released(), pytest.raises(TablesTooNew, match="Start that version again, or restore a backup"):
        migrate(db)


def test_a_process_that_starts_writes_one_line(newer_tables: None, capsys: pytest.CaptureFixture[str]) -> None:
    del newer_tables
    database = peewee.PostgresqlDatabase(db.database, **db.connect_params)
    from inbox.runtime import logs

    logs.start("INFO", application="inbox-test")
    report_difference(database)

    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and NEWER in lines[0]
