"""Rows read for an explanation: only those of the incident or the event."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.database.base import db, new_id
from inbox.models.deliveries.tables import Notice
from inbox.models.insight import explanations
from tests.cast import NOW, Cast
from tests.database.stored import store
from tests.stand_ins.outgoing_posts import make_incident


def read() -> int:
    """How many notices this transaction read so far."""
    row = db.execute_sql("SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'notices'")
    return int(row.fetchone()[0])


@pytest.mark.parametrize("descending", [False, True])
def test_a_page_reads_only_the_notices_of_its_incident(cast: Cast, descending: bool) -> None:
    own_one, other = make_incident(cast), make_incident(cast)
    values = {"workspace_id": cast.workspace.id, "reason": "reoccurred", "created_at": NOW, "body": "{}" * 500}
    times = [(other, -1), (own_one, 0), (other, 1)]
    rows = [
        {**values, "id": new_id(NOW + timedelta(days=day, seconds=n)), "incident_id": each.id, "seq": day * 1_000 + n}
        for each, day in times
        for n in range(300)
    ]
    Notice.insert_many(rows).execute()
    db.execute_sql("ANALYZE notices")

    with db.atomic():
        before = read()
        page = explanations.page(own_one, after=None, descending=descending, limit=10)
        assert read() - before <= 300

    expected = sorted((row["id"] for row in rows if row["incident_id"] == own_one.id), reverse=descending)
    assert list(page.rows) == expected[:10]


def test_the_notice_of_an_event_is_found_among_many_others(cast: Cast) -> None:
    values = {"workspace_id": cast.workspace.id, "reason": "informational", "created_at": NOW, "body": "{}" * 500}
    rows = [{**values, "id": new_id(), "event_id": new_id()} for _ in range(600)]
    Notice.insert_many(rows).execute()
    db.execute_sql("ANALYZE notices")
    about = {"workspace_id": cast.workspace.id, "source_id": cast.source.id, "received_at": NOW, "occurred_at": NOW}
    event = store(id=rows[300]["event_id"], disposition="notified", **about)

    with db.atomic():
        before = read()
        assert explanations.notices_caused_by(event) == [rows[300]["id"]]
        assert read() - before == 1
