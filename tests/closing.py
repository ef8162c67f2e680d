"""A database that runs but refuses connections."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from urllib.parse import urlsplit

import psycopg2

from inbox.config.settings import Settings


@contextmanager
def closed(server: str, settings: Settings, *, ends: str | None = None) -> Iterator[None]:
    """While this lasts the database of the tests takes no new connection; those of the application `ends` are ended."""
    name = urlsplit(settings.database_url).path.lstrip("/")
    with closing(psycopg2.connect(server)) as connection:
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        try:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND application_name = %s",
                (name, ends),
            )
            yield
        finally:
            cursor.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
