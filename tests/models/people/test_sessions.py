"""Parameters that every database session sets, whatever the server's configuration."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg2
import pytest

from inbox.config.settings import Settings
from inbox.database.base import connect_arguments, db
from inbox.models.events.ingest_store import IngestConnection


def setting(name: str) -> tuple[str, str]:
    row = db.execute_sql("SELECT setting, source FROM pg_settings WHERE name = %s", (name,)).fetchone()
    return row[0], row[1]


@pytest.mark.parametrize(
    ("name", "value"),
    [("jit", "off"), ("synchronous_commit", "on"), ("TimeZone", "UTC"), ("statement_timeout", "15000")],
)
@pytest.mark.usefixtures("ground")
def test_a_session_does_not_depend_on_the_settings_of_the_server(name: str, value: str) -> None:
    assert setting(name) == (value, "client")


def test_options_of_the_database_url_are_added_to_the_options_of_the_service(settings: Settings) -> None:
    more = settings.database_url + ("&" if "?" in settings.database_url else "?") + "options=-c%20work_mem%3D5MB"

    connection = psycopg2.connect(**connect_arguments(more, application="inbox-test"))
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('work_mem'), current_setting('lock_timeout')")
        assert cursor.fetchone() == ("5MB", "5s")
    connection.close()


def test_parameters_of_the_database_url_override_the_ones_of_the_service() -> None:
    arguments = connect_arguments("postgresql://u@a/x?connect_timeout=9&sslmode=require", application="inbox-test")

    assert (arguments["connect_timeout"], arguments["sslmode"], arguments["database"]) == ("9", "require", "x")
    assert arguments["application_name"] == "inbox-test"


def test_a_url_with_several_hosts_selects_the_primary() -> None:
    several = "postgresql://u@a:1,b:2/x"

    assert connect_arguments(several, application="t")["target_session_attrs"] == "read-write"
    assert connect_arguments(several + "?target_session_attrs=any", application="t")["target_session_attrs"] == "any"
    assert "target_session_attrs" not in connect_arguments("postgresql://u@a/x", application="t")


@pytest.fixture
def line(settings: Settings) -> Iterator[IngestConnection]:
    line = IngestConnection()
    yield line
    line.close()


@pytest.mark.usefixtures("ground")
def test_ingest_compiles_no_statement_either(line: IngestConnection) -> None:
    line.store()
    with line._connection.cursor() as cursor:
        cursor.execute("SELECT setting, source FROM pg_settings WHERE name = 'jit'")
        assert cursor.fetchone() == ("off", "client")


@pytest.mark.usefixtures("ground")
def test_no_prepared_statement_of_ingest_has_a_plan_that_was_switched_off(line: IngestConnection) -> None:
    """Such a plan costs more than any: its steps cannot be compared any more."""
    line.store()
    with line._connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_prepared_statements ORDER BY name")
        names = [row[0] for row in cursor.fetchall()]
        for name in names:
            cursor.execute(f"EXPLAIN (FORMAT JSON) EXECUTE {name}('[]')")
            assert cursor.fetchone()[0][0]["Plan"]["Total Cost"] < 1e9, name
    assert len(names) == 6
