"""Whom the steps of an incident paged (specification 23.13)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from uuid import UUID

import peewee
from playhouse.postgres_ext import ArrayField

from inbox.database.base import Table, TimestampField, db, new_id
from inbox.database.bulk_sql import AT_ONCE, Statements, array_literal, unnest_rows
from inbox.domain.deliveries.pages import NOTIFICATION_RULE, Page, StepKey, has_nobody


class PageRow(Table):
    """A page of a step since an opening of the incident, or a row that says why nobody was paged (`cause`)."""

    id = peewee.UUIDField(primary_key=True)
    incident_id = peewee.UUIDField()
    notice_id = peewee.UUIDField()
    opened_at = TimestampField()
    step = peewee.SmallIntegerField()
    round = peewee.SmallIntegerField()
    schedule_id = peewee.UUIDField(null=True)
    user_id = peewee.UUIDField(null=True)
    cause = peewee.TextField(null=True)
    destination_ids = ArrayField(peewee.UUIDField, default=list, index=False)
    created_at = TimestampField()

    class Meta:
        table_name = "pages"


_WAITS = f"status = 'pending' AND cause = '{NOTIFICATION_RULE}'"


def stored(incident_ids: Collection[UUID]) -> dict[StepKey, tuple[Page, ...]]:
    """Returns the pages of these incidents by their steps."""
    if not incident_ids:
        return {}
    found: dict[StepKey, tuple[Page, ...]] = {}
    rows = PageRow.select().where(PageRow.incident_id.in_([*incident_ids])).order_by(PageRow.incident_id, PageRow.id)
    for row in rows:
        key = StepKey(row.incident_id, row.opened_at, row.step, row.round)
        page = Page(row.schedule_id, row.user_id, "", row.cause, tuple(row.destination_ids))
        found[key] = (*found.get(key, ()), page)
    return found


def insert(pages: Iterable[tuple[StepKey, UUID, Page]], now: datetime, statements: Statements = AT_ONCE) -> None:
    """Inserts these pages, each with its step and its notice."""
    written = [
        (new_id(now), key.incident_id, notice_id, key.opened_at, key.number, key.round)
        + (page.schedule_id, page.user_id, page.cause, array_literal(page.destination_ids, unquoted=True), now)
        for key, notice_id, page in pages
    ]
    if not written:
        return
    columns = {
        "id": "uuid", "incident_id": "uuid", "notice_id": "uuid", "opened_at": "timestamptz", "step": "smallint",
        "round": "smallint", "schedule_id": "uuid", "user_id": "uuid", "cause": "text", "destination_ids": "text",
        "created_at": "timestamptz",
    }  # fmt: skip
    rows, values = unnest_rows(columns, written)
    chosen = ", ".join("x.destination_ids::uuid[]" if name == "destination_ids" else f"x.{name}" for name in columns)
    statements.write(f"INSERT INTO pages ({', '.join(columns)}) SELECT {chosen} FROM {rows}", values)


def waiting(incident_ids: Collection[UUID]) -> set[tuple[UUID, UUID]]:
    """Returns (incident, destination) of the deliveries that wait for their notification rules."""
    if not incident_ids:
        return set()
    found = db.execute_sql(
        f"SELECT incident_id, destination_id FROM deliveries WHERE incident_id = ANY(%s::uuid[]) AND {_WAITS}",
        (array_literal(incident_ids, unquoted=True),),
    )
    return set(found.fetchall())


def paged_nobody(incident_id: UUID, opened_at: datetime, number: int | None = None) -> bool:
    """Returns whether steps since this opening paged nobody: all of them, or those with this number in a round."""
    own = {
        key: pages
        for key, pages in stored([incident_id]).items()
        if key.opened_at == opened_at and number in (None, key.number)
    }
    last_round = max((key.round for key in own), default=0)
    return bool(own) and all(
        has_nobody(pages) for key, pages in own.items() if number is None or key.round == last_round
    )
