"""Searches the texts of incidents, in a table that events do not update (`write.write_search` fills it)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import peewee
from playhouse.postgres_ext import ArrayField

from inbox.database.base import Table
from inbox.database.patterns import like_pattern
from inbox.models.incidents import alert_search

_TRIGRAMS = re.compile(r"[^\W_]{3}")


class IncidentSearch(Table):
    """The title, resource and dedup key of an incident as one text, its tags, and its normalised title.

    Specification 4.6.

    Every counted event updates the incident's own row and all its indexes. This row stays unchanged.
    """

    incident_id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    number = peewee.BigIntegerField()
    text = peewee.TextField()
    tags = ArrayField(peewee.TextField, default=list, index=False)
    title_key = peewee.TextField(null=True)

    class Meta:
        table_name = "incident_search"


def has_trigram(text: str) -> bool:
    """Returns whether the text has three letters or digits in a row. The trigram index cannot find a shorter text."""
    return _TRIGRAMS.search(text) is not None


def number_in(text: str) -> int | None:
    """Returns the incident number in a search, as `12` or `#12`."""
    digits = text.removeprefix("#")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else None


def row_matches(incident_id: Any, condition: Any) -> Any:
    """Returns a condition: the search row of the incident fulfils `condition`.

    It is checked for one incident at a time. OFFSET 0 prevents a search for all matching rows.
    """
    found = IncidentSearch.select(peewee.SQL("1")).where(IncidentSearch.incident_id == incident_id, condition)
    return peewee.fn.EXISTS(found.offset(0))


def text_filter(text: str) -> Any:
    """Returns a condition on search rows: they contain the text, in any case, or have this number."""
    found, number = IncidentSearch.text ** like_pattern(text), number_in(text)
    return found if number is None else found | (IncidentSearch.number == number)


def with_alerts(workspace_ids: Sequence[UUID], text: str) -> Any:
    """Returns a condition on search rows: like `text_filter`, or an alert of the incident has the text."""
    return text_filter(text) | alert_search.has_alert(IncidentSearch.incident_id, workspace_ids, text)
