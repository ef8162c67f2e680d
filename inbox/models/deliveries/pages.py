"""Whom the steps of an incident paged (specification 23.13)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import peewee
from playhouse.postgres_ext import ArrayField

from inbox.database.base import Table, TimestampField, db
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


def of_incident(incident_id: UUID) -> Any:
    """Returns the pages of an incident."""
    return PageRow.select().where(PageRow.incident_id == incident_id)


class ContactReport(NamedTuple):
    """What became of a page at one contact of the person: its kind, the delivery, and the times of it."""

    kind: str
    delivery_id: UUID
    status: str
    cause: str | None
    due_at: datetime | None
    settled_at: datetime | None


def contacts(rows: Collection[PageRow]) -> dict[tuple[UUID, UUID], ContactReport]:
    """Returns the contacts of these pages, by notice and destination."""
    notice_ids = {row.notice_id for row in rows if row.destination_ids}
    if not notice_ids:
        return {}
    found = db.execute_sql(
        "SELECT d.notice_id, d.destination_id, CASE WHEN t.device_id IS NULL THEN t.kind ELSE 'push' END, d.id, d.status,"
        " d.cause, d.due_at, d.settled_at FROM deliveries d JOIN destinations t ON t.id = d.destination_id"
        " WHERE d.notice_id = ANY(%s::uuid[]) AND d.destination_id = ANY(%s::uuid[]) AND d.replay_of IS NULL",
        (
            array_literal(notice_ids, unquoted=True),
            array_literal({id for row in rows for id in row.destination_ids}, unquoted=True),
        ),
    )
    return {(notice_id, destination_id): ContactReport(*rest) for notice_id, destination_id, *rest in found.fetchall()}


def insert(pages: Iterable[tuple[UUID, StepKey, UUID, Page]], now: datetime, statements: Statements = AT_ONCE) -> None:
    """Inserts these pages, each with its id, its step and its notice."""
    written = [
        (id, key.incident_id, notice_id, key.opened_at, key.number, key.round)
        + (page.schedule_id, page.user_id, page.cause, array_literal(page.destination_ids, unquoted=True), now)
        for id, key, notice_id, page in pages
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


def paged_nobody(incident_id: UUID, opened_at: datetime) -> bool:
    """Returns whether all steps with people since this opening paged nobody."""
    own = [pages for key, pages in stored([incident_id]).items() if key.opened_at == opened_at]
    return bool(own) and all(map(has_nobody, own))


def reached_nobody(key: StepKey, destination_ids: Collection[UUID]) -> bool:
    """Returns whether a step paged nobody, and its notice was sent to none of these destinations."""
    own = (PageRow.incident_id == key.incident_id) & (PageRow.opened_at == key.opened_at)
    rows = list(PageRow.select().where(own & (PageRow.step == key.number) & (PageRow.round == key.round)))
    if not rows or any(row.cause is None for row in rows):
        return False
    sent = db.execute_sql(
        "SELECT FROM deliveries WHERE incident_id = %s AND notice_id = ANY(%s::uuid[])"
        " AND destination_id = ANY(%s::uuid[]) AND replay_of IS NULL AND status NOT IN ('skipped', 'held') LIMIT 1",
        (
            key.incident_id,
            array_literal({row.notice_id for row in rows}, unquoted=True),
            array_literal(destination_ids, unquoted=True),
        ),
    )
    return not sent.rowcount
