"""Migrates the database to this version's tables. Waits for a database that is still starting."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import peewee

from inbox.config.settings import Settings
from inbox.database import migrate
from inbox.database.base import db
from inbox.services.instance import bootstrap

PATIENCE_SECONDS = 30.0

T = TypeVar("T")


def apply(settings: Settings) -> list[str]:
    """Returns the names of the migrations applied now. Raises peewee.OperationalError when the database is unreachable.

    The owner of the tables applies them, and lets a different role of `DATABASE_URL` use the tables.
    """
    owner = settings.migration_database_url
    bootstrap.configure(replace(settings, database_url=owner or settings.database_url), application="inbox-migrate")
    applied = _patiently(lambda: migrate.migrate(db))
    if owner:
        bootstrap.configure(settings, application="inbox-migrate")
        role = _patiently(_current_role)
        bootstrap.configure(replace(settings, database_url=owner), application="inbox-migrate")
        with db.connection_context():
            migrate.grant(db, role)
    bootstrap.configure(settings, application="inbox-migrate")
    return applied


def _patiently(work: Callable[[], T]) -> T:
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return work()
        except peewee.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.5)


def _current_role() -> str:
    with db.connection_context():
        return str(db.execute_sql("SELECT current_user").fetchone()[0])
