"""Sixty incidents and events that lists of all sorts find, and an empty database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import peewee
import pytest

from inbox.config.settings import Settings
from inbox.database.base import connect_arguments
from inbox.domain.values import ids
from tests.cast import NOW, Cast, make_source
from tests.models.rows import PROFILE, RULE, SILENCE, event, incident


@pytest.fixture
def names(cast: Cast) -> dict[str, str]:
    """Sixty incidents and events of three sources, full of ties; some live long, some have been seen across the moments."""
    homes = [cast.source, cast.foreign_source, make_source(cast.workspace, cast.foreign_source.name)[0]]
    made = [incident(homes[place % 3], place, cast.users["mia"].id) for place in range(60)]
    for place in range(60):
        event(homes[place % 3], place, made[place // 2].id)
    return {
        "source": ids.encode("src", homes[2].id),
        "other": ids.encode("src", homes[0].id),
        "rule": ids.encode("rul", RULE),
        "profile": ids.encode("prf", PROFILE),
        "silence": ids.encode("sil", SILENCE),
        "person": ids.encode("usr", cast.users["mia"].id),
        "incident": ids.encode("inc", made[0].id),
        "since": (NOW + timedelta(minutes=8)).isoformat().replace("+", "%2B"),
        "until": (NOW + timedelta(minutes=14)).isoformat().replace("+", "%2B"),
    }


@pytest.fixture
def empty(settings: Settings) -> Iterator[peewee.PostgresqlDatabase]:
    """A database without a table of ours, beside the one of this test process."""
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
