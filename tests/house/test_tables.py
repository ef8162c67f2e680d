"""The models say what the migrations made."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import peewee

from inbox import models as floor
from inbox.database.base import Table
from inbox.live import feed
from inbox.models.events import tables as events
from tests.database.tables import columns, tables
from tests.database.tables import views as view_names

ROOMS = (
    feed,
    *(import_module(each.name) for each in pkgutil.walk_packages(floor.__path__, f"{floor.__name__}.")),
)
"""Every module with a model is loaded, so that the model is looked at."""


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
