"""Tables in a schema other than `public`: the database's address names it, and no second set of tables is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import quote

import peewee
import pytest

from inbox.config.settings import Settings
from inbox.database.base import connect_arguments
from inbox.database.migrate import TablesElsewhere, difference, grant, migrate

WHERE = """
SELECT DISTINCT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE relkind IN ('r', 'v') AND nspname NOT LIKE 'pg_%%' AND nspname <> 'information_schema' ORDER BY 1
"""
ROLE = "inbox_test_other_schema"

Open = Callable[..., peewee.PostgresqlDatabase]


@pytest.fixture
def opened(empty: peewee.PostgresqlDatabase, settings: Settings) -> Iterator[Open]:
    """Opens the empty database by an address with these options."""
    found = []

    def open_it(options: str = "") -> peewee.PostgresqlDatabase:
        more = "&" if "?" in settings.database_url else "?"
        url = settings.database_url + (f"{more}options={quote(options)}" if options else "")
        arguments = {**connect_arguments(url, application="inbox-test"), "database": empty.database}
        found.append(peewee.PostgresqlDatabase(arguments.pop("database"), **arguments))
        return found[-1]

    with empty.connection_context():
        empty.execute_sql('CREATE SCHEMA shop; CREATE SCHEMA "the inbox"')
    yield open_it
    for database in found:
        database.close()


@pytest.mark.parametrize("schema", ["public", "shop", '"the\\ inbox"'])
def test_tables_are_in_the_schema_that_the_address_names(opened: Open, schema: str) -> None:
    database = opened(f"-c search_path={schema}")
    migrate(database)

    with database.connection_context():
        assert {row[0] for row in database.execute_sql(WHERE).fetchall()} == {
            schema.strip('"').replace("\\", ""),
        }
        assert not str(difference(database))
        columns = database.execute_sql(
            "SELECT resume_after FROM timers UNION ALL SELECT used_at::text::uuid FROM undo_tokens"
        )
        assert columns.fetchall() == []
    assert migrate(database) == []
    with database.connection_context():
        assert not str(difference(database))
        tables = "SELECT count(*) FROM pg_class WHERE relname = 'schema_migration'"
        assert database.execute_sql(tables).fetchone() == (1,)


def test_tables_that_the_address_does_not_reach_are_not_made_again(opened: Open) -> None:
    migrate(opened("-c search_path=shop"))

    with pytest.raises(TablesElsewhere, match="The tables are in the schema shop") as refused:
        migrate(opened())

    assert "options=-csearch_path%3Dshop" in str(refused.value)
    database = opened()
    with database.connection_context():
        assert [row[0] for row in database.execute_sql(WHERE).fetchall()] == ["shop"]


def test_a_table_of_another_program_is_no_obstacle(opened: Open) -> None:
    database = opened()
    with database.connection_context():
        database.execute_sql("CREATE TABLE shop.event_queue (id int)")

    assert "0001_baseline" in migrate(database)


def test_the_role_of_the_services_uses_tables_in_another_schema(opened: Open) -> None:
    database = opened("-c search_path=shop")
    migrate(database)
    with database.connection_context():
        may = database.execute_sql("SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user")
        if not may.fetchone()[0]:
            pytest.skip("the role of the test database may not make another one")
        database.execute_sql(f"CREATE ROLE {ROLE}")
        try:
            grant(database, ROLE)
            database.execute_sql(f"SET ROLE {ROLE}")
            for table in ("incidents", "undo_tokens", "shop.incidents"):
                assert database.execute_sql(f"SELECT count(*) FROM {table}").fetchone() == (0,)
            database.execute_sql("RESET ROLE")
        finally:
            database.execute_sql(f"DROP OWNED BY {ROLE}; DROP ROLE {ROLE}")
