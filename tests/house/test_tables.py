"""The models say what the migrations made."""

from __future__ import annotations

import peewee

from inbox.models import sealed
from inbox.models.incidents import search_text
from inbox.models.sql.base import Table
from inbox.models.tables import (
    accounts,
    audit,
    change_feed,
    destinations,
    devices,
    events,
    factors,
    heartbeats,
    incidents,
    known_clients,
    links,
    mail,
    notices,
    preferences,
    previews,
    profiles,
    push_keys,
    rate_limit_buckets,
    rules,
    silences,
    source_warnings,
    sources,
    undo_tokens,
    versions,
    views,
    watchers,
    workspaces,
)
from tests.tables import columns, tables
from tests.tables import views as view_names

ROOMS = (
    *(
        accounts,
        audit,
        change_feed,
        destinations,
        devices,
        events,
        factors,
        heartbeats,
        incidents,
        links,
        mail,
        notices,
    ),
    profiles,
    *(
        known_clients,
        preferences,
        previews,
        push_keys,
        rules,
        sealed,
        silences,
        source_warnings,
        sources,
        rate_limit_buckets,
        undo_tokens,
        versions,
        views,
        watchers,
        search_text,
    ),
    workspaces,
)


def models() -> list[type[Table]]:
    return sorted(Table.__subclasses__(), key=lambda model: model._meta.table_name)


def test_every_table_of_the_migrations_has_a_model_and_every_model_a_table(ground: peewee.Database) -> None:
    assert ROOMS
    found = set(tables()) - {"schema_migration"}

    assert {model._meta.table_name for model in models()} == found


def test_every_model_has_the_columns_of_its_table_with_the_same_nullability(ground: peewee.Database) -> None:
    for model in models():
        named = {field.column_name: field.null for field in model._meta.sorted_fields}

        assert named == columns(model._meta.table_name), model.__name__


def test_every_view_has_the_columns_of_its_model(ground: peewee.Database) -> None:
    named = {model._meta.table_name: model for model in (events.Event, events.RoutedEventView, events.PendingEventView)}

    assert set(view_names()) == named.keys()
    for name, model in named.items():
        assert {field.column_name for field in model._meta.sorted_fields} == columns(name).keys(), name
