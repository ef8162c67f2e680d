"""Migrates the database to this version's tables. Waits for a database that is still starting."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import peewee

from inbox.config.settings import Settings
from inbox.database import migrate, role_settings
from inbox.database.base import db
from inbox.services.instance import bootstrap

PATIENCE_SECONDS = 30.0

T = TypeVar("T")


class DirectAddressMissing(migrate.TablesDoNotFit):
    """Migrations hold a lock of their session, which a pooler of transactions gives to other clients."""

    def __init__(self) -> None:
        super().__init__(
            "Migrations need the address of the server itself, without the pooler:"
            " set INBOX_MIGRATION_DATABASE_URL to it."
        )


def apply(settings: Settings) -> list[str]:
    """Returns the names of the migrations applied now. Raises peewee.OperationalError when the database is unreachable.

    The owner of the tables applies them, and lets a different role of `DATABASE_URL` use the tables. Behind a pooler
    the role also keeps the settings of its sessions. Raises `DirectAddressMissing`.
    """
    owner = settings.migration_database_url
    if settings.database_pooler and not owner:
        raise DirectAddressMissing
    as_owner = replace(settings, database_url=owner or settings.database_url, database_pooler="")
    bootstrap.configure(as_owner, application="inbox-migrate")
    applied = _patiently(lambda: migrate.migrate(db))
    if owner:
        bootstrap.configure(settings, application="inbox-migrate")
        role = _patiently(_current_role)
        bootstrap.configure(as_owner, application="inbox-migrate")
        with db.connection_context():
            migrate.grant(db, role)
    bootstrap.configure(settings, application="inbox-migrate")
    if settings.database_pooler:
        _patiently(lambda: role_settings.keep(db))
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
