"""Events that only the database refuses, to test a missing validation."""

from __future__ import annotations

from collections.abc import Iterator

import peewee
import pytest

from inbox.database.base import db


@pytest.fixture
def poison(ground: peewee.Database) -> Iterator[None]:
    """The title `unfit` is refused as a value out of range; `broken` fails in a way that nobody foresaw."""
    db.execute_sql(
        """
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF new.title = 'unfit' THEN RAISE EXCEPTION 'unfit' USING ERRCODE = '22003'; END IF;
            IF new.title = 'broken' THEN RAISE EXCEPTION 'broken'; END IF;
            RETURN new;
        END $$;
        CREATE TRIGGER poison BEFORE INSERT ON received_events FOR EACH ROW EXECUTE FUNCTION refuse();
        """
    )
    yield
    db.execute_sql("DROP TRIGGER poison ON received_events; DROP FUNCTION refuse()")
