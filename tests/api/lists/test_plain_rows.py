"""The plain functions of the four longest lists return the same as their schemas."""

from __future__ import annotations

from datetime import UTC
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import marshmallow as ma
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inbox.api.deliveries.schemas.deliveries import DeliveriesPage, DeliveryRecord
from inbox.api.deliveries.schemas.notices import NoticeDelivery
from inbox.api.http.schemas.base import Prerendered, Schema, SeverityName, Timestamp, TypeId
from inbox.api.http.schemas.event_rows import EventRow
from inbox.api.incidents.schemas.incidents import IncidentRecord, IncidentsPage
from inbox.api.senders.schemas.events import EventsPage
from inbox.api.workspaces.schemas.audit import AuditPage, AuditRecord
from inbox.domain.values.severity import Severity

TIMES = st.datetimes(timezones=st.just(UTC))
JSON = st.dictionaries(st.text(max_size=3), st.integers(), max_size=2)
VALUES: dict[type[Any], st.SearchStrategy[Any]] = {
    TypeId: st.uuids(),
    Timestamp: TIMES,
    SeverityName: st.sampled_from([*Severity, "ERROR"]),
    Prerendered: st.fixed_dictionaries({"matched": st.lists(st.text(max_size=3), max_size=2)}),
    ma.fields.String: st.text(max_size=5),
    ma.fields.Integer: st.integers(),
    ma.fields.Boolean: st.booleans(),
    ma.fields.Function: st.integers(),
    ma.fields.Dict: JSON,
}
OBJECTS = {"DestinationRef", "AttemptRecord", "DigestRef"}
"""The nested records that are objects; the others are stored JSON or dictionaries."""


def values(field: ma.fields.Field[Any]) -> st.SearchStrategy[Any]:
    if isinstance(field, ma.fields.List):
        return st.lists(values(field.inner), max_size=2)
    if isinstance(field, ma.fields.Nested) and not isinstance(field, Prerendered):
        found = fixed(field.schema)
        has_objects = type(field.schema).__name__ in OBJECTS
        found = found.map(lambda has: SimpleNamespace(**has)) if has_objects else found
    elif type(field) is ma.fields.String and _choices(field):
        found = st.sampled_from(_choices(field))
    else:
        found = next(each for kind, each in VALUES.items() if isinstance(field, kind))
    return st.one_of(found, found, st.none()) if field.allow_none else found


def _choices(field: ma.fields.String) -> list[str]:
    """The values of a field with closed ones: a function may look at them."""
    return [str(each) for kind in field.validators if isinstance(kind, ma.validate.OneOf) for each in kind.choices]


def fixed(schema: ma.Schema) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({field.attribute or name: values(field) for name, field in schema.dump_fields.items()})


@pytest.mark.parametrize("kind", [IncidentRecord, EventRow, DeliveryRecord, AuditRecord])
def test_a_row_of_a_long_list_equals_the_dump_of_its_schema(kind: type[Schema]) -> None:
    schema = kind()

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(fixed(schema).map(lambda has: SimpleNamespace(**has)), max_size=2))
    def check(rows: list[Any]) -> None:
        assert repr(schema.dump(rows, many=True)) == repr([ma.Schema.dump(schema, row) for row in rows])

    check()


@pytest.mark.parametrize("page", [IncidentsPage, EventsPage, DeliveriesPage, AuditPage])
def test_the_long_lists_use_the_plain_functions(page: type[Any]) -> None:
    assert "row" in vars(type(page.item))


def test_a_schema_with_further_fields_does_not_inherit_the_function() -> None:
    schema = NoticeDelivery()
    has: dict[str, Any] = {"request_headers": {"a": "b"}, "id": UUID(int=1)}

    (dumped,) = schema.dump([SimpleNamespace(**has)], many=True)

    assert dumped["requestHeaders"] == {"a": "b"}
