"""The sections know every field of the requests, and refer to earlier sections only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import marshmallow as ma
import pytest

from inbox.api.configuration.exports import CALENDAR
from inbox.api.configuration.keys import SECTION_OF
from inbox.api.configuration.sections import SECTIONS, Section
from inbox.api.http.schemas.base import TypeId
from inbox.domain.values.ids import Prefix

MATCHES = {"match", "matchText"}


def prefixes(field: Any) -> Iterator[str]:
    """The prefixes of the ids in a field."""
    if isinstance(field, TypeId):
        yield field.prefix
    elif isinstance(field, ma.fields.List):
        yield from prefixes(field.inner)
    elif isinstance(field, ma.fields.Nested):
        for inner in field.schema.fields.values():
            yield from prefixes(inner)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_each_field_of_a_request_is_read_back_or_is_a_known_secret(section: Section) -> None:
    fields = {str(each.data_key) for each in section.shape.fields.values()}
    read = section.document(section.table(**section.unsaved, match=None) if section.has_match else section.table())

    assert fields - read.keys() - MATCHES == set()
    assert {str(each.data_key) for each in section.shape.fields.values() if each.load_only} <= {CALENDAR}


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_records_refer_to_records_that_are_created_before_them(section: Section) -> None:
    earlier = SECTIONS[: SECTIONS.index(section)]
    named = {each for field in section.shape.fields.values() for each in prefixes(field)} - {"usr", "lay"}

    assert {SECTION_OF[Prefix(each)].name for each in named} <= {each.name for each in earlier}
