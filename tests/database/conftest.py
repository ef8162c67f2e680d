"""A second, empty database next to the one of the test process."""

from __future__ import annotations

from collections.abc import Iterator

import peewee
import pytest

from inbox.config.settings import Settings
from inbox.database.base import connect_arguments


@pytest.fixture
def empty(settings: Settings) -> Iterator[peewee.PostgresqlDatabase]:
    """Provides an empty database beside the database of this test process."""
    arguments = connect_arguments(settings.database_url, application="inbox-test")
    name = f"{arguments.pop('database')}_empty"
    server = peewee.PostgresqlDatabase("postgres", **arguments)
    server.execute_sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    server.execute_sql(f"CREATE DATABASE {name}")
    database = peewee.PostgresqlDatabase(name, **arguments)
    yield database
    database.close()
    server.execute_sql(f"DROP DATABASE {name} WITH (FORCE)")
    server.close()
