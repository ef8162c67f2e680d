"""Behind a pooler: settings that the role keeps, statements without a session, and addresses that cannot serve."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from inbox.config.settings import Settings, SettingsInvalid
from inbox.database import role_settings
from inbox.database.base import SESSION, connect_arguments, db
from inbox.models.events.ingest_store import IngestConnection
from inbox.services.instance import bootstrap
from ops import migrate

REQUIRED = {
    "DATABASE_URL": "postgresql://inbox@127.0.0.1/inbox",
    "REDIS_URL": "redis://127.0.0.1",
    "INBOX_SECRET_KEYS": "k1:" + "MTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTE=",
    "INBOX_SIGNING_KEY": "0" * 32,
}


@pytest.fixture
def pooled(settings: Settings) -> Iterator[Settings]:
    chosen = replace(settings, database_pooler="transaction")
    bootstrap.configure(chosen, application="inbox-test")
    yield chosen
    db.close_all()
    bootstrap.configure(settings, application="inbox-test")


@pytest.fixture
def kept(pooled: Settings) -> Iterator[None]:
    role_settings.keep(db)
    db.close_all()
    yield
    with db.connection_context():
        [name] = db.execute_sql("SELECT quote_ident(current_database())").fetchone()
        for setting in SESSION:
            db.execute_sql(f"ALTER ROLE CURRENT_USER IN DATABASE {name} RESET {setting}")


def test_a_session_behind_a_pooler_sends_no_options(pooled: Settings) -> None:
    assert "options" not in connect_arguments(pooled.database_url, application="t", pooled=True)
    with db.connection_context():
        lacking = role_settings.lacking(db)

    assert "lock_timeout is 0 and must be 5000" in lacking


@pytest.mark.usefixtures("kept")
def test_a_session_has_the_settings_that_the_role_keeps() -> None:
    with db.connection_context():
        assert role_settings.lacking(db) == []


@pytest.mark.usefixtures("kept")
def test_the_connection_that_keeps_the_settings_has_them_at_once() -> None:
    with db.connection_context():
        db.execute_sql("SET lock_timeout = 0")  # as in a session that began before
        role_settings.keep(db)

        assert role_settings.lacking(db) == []


def test_statements_of_ingest_are_not_prepared_behind_a_pooler(pooled: Settings) -> None:
    connection = IngestConnection()
    try:
        store = connection.store()
        assert store.find_keys([("00" * 32, None)]).keys == {}
        store._cursor.execute("SELECT count(*) FROM pg_prepared_statements")
        assert store._cursor.fetchone() == (0,)
    finally:
        connection.close()


def test_migrations_through_a_pooler_are_refused_with_the_setting_that_is_missing(pooled: Settings) -> None:
    with pytest.raises(migrate.DirectAddressMissing, match="INBOX_MIGRATION_DATABASE_URL"):
        migrate.apply(pooled)


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"INBOX_DATABASE_POOLER": "session"}, "INBOX_DATABASE_POOLER must be empty or transaction"),
        (
            {"DATABASE_URL": "postgresql://i@h/x?options=-csearch_path%3Dmine", "INBOX_DATABASE_POOLER": "transaction"},
            "DATABASE_URL has options",
        ),
    ],
)
def test_settings_that_cannot_serve_a_pooler_are_refused(changed: dict[str, str], fault: str) -> None:
    with pytest.raises(SettingsInvalid, match=fault):
        Settings.from_env(REQUIRED | changed)


def test_a_pooler_and_its_address_are_accepted() -> None:
    assert Settings.from_env(REQUIRED | {"INBOX_DATABASE_POOLER": "transaction"}).database_pooler == "transaction"
