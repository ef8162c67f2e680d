"""Durability: every commit waits for the disk, whatever the setting of the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import orjson
import peewee
import psycopg2
import pytest

from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.flow.ingest.group_commit import GroupCommitter
from inbox.flow.routing.route import route
from inbox.models.events.tables import Event
from inbox.services.instance import bootstrap
from tests.cast import NOW, Cast
from tests.flow.concurrent_connections import offer, tried
from tests.flow.routing_fixtures import accept

NAME = "SELECT current_database()"


@pytest.fixture
def careless(ground: peewee.Database) -> Iterator[None]:
    """A database whose owner has set it to acknowledge before the disk."""
    name = db.execute_sql(NAME).fetchone()[0]
    db.execute_sql(f"ALTER DATABASE {name} SET synchronous_commit = off")
    yield
    db.execute_sql(f"ALTER DATABASE {name} RESET synchronous_commit")


@pytest.fixture
def commits(ground: peewee.Database) -> Iterator[Callable[[str], set[str]]]:
    """`commits(table)` are the values of `synchronous_commit` at the commits that wrote to the table so far."""
    db.execute_sql(
        """
        CREATE TABLE seen_commits (name text, setting text);
        CREATE FUNCTION see_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO seen_commits VALUES (tg_table_name, current_setting('synchronous_commit'));
            RETURN NULL;
        END $$;
        CREATE CONSTRAINT TRIGGER see_commit AFTER INSERT ON event_queue
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION see_commit();
        CREATE CONSTRAINT TRIGGER see_commit AFTER INSERT ON incidents
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION see_commit();
        """
    )
    sql = "SELECT setting FROM seen_commits WHERE name = %s"
    yield lambda table: {row[0] for row in db.execute_sql(sql, (table,)).fetchall()}
    db.execute_sql(
        "DROP TRIGGER see_commit ON event_queue; DROP TRIGGER see_commit ON incidents;"
        " DROP FUNCTION see_commit(); DROP TABLE seen_commits"
    )


@pytest.mark.usefixtures("careless")
def test_events_are_committed_to_disk_before_they_are_acknowledged(
    cast: Cast, commits: Callable[[str], set[str]]
) -> None:
    answer = tried(GroupCommitter(), offer(cast.key))

    assert isinstance(answer, bytes)
    assert {receipt["status"] for receipt in orjson.loads(answer)["events"]} == {"accepted"}
    assert commits("event_queue") == {"on"}


@pytest.mark.usefixtures("careless")
def test_incidents_are_committed_to_disk(cast: Cast, commits: Callable[[str], set[str]], settings: Settings) -> None:
    accept(cast.source)
    pool = db.obj
    bootstrap.configure(settings, application="inbox-test")
    try:
        with db.connection_context():
            route(lambda: NOW)
            assert commits("incidents") == {"on"}
    finally:
        db.initialize(pool)


def test_an_event_is_not_acknowledged_when_its_commit_fails(cast: Cast) -> None:
    db.execute_sql(
        """
        CREATE FUNCTION fail_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
        CREATE CONSTRAINT TRIGGER fail_commit AFTER INSERT ON event_queue
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail_commit();
        """
    )
    try:
        answer = tried(GroupCommitter(), offer(cast.key))
    finally:
        db.execute_sql("DROP TRIGGER fail_commit ON event_queue; DROP FUNCTION fail_commit()")

    assert isinstance(answer, psycopg2.Error)
    assert Event.select().count() == 0
