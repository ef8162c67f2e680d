"""What an explanation is read from: no more of it than belongs to the incident."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.models import explanations
from inbox.models.base import db, new_id
from inbox.models.notices import Notice
from tests.cast import NOW, Cast
from tests.posts import make_incident


def read() -> int:
    """How many notices this transaction read so far."""
    row = db.execute_sql("SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'notices'")
    return int(row.fetchone()[0])


@pytest.mark.parametrize("descending", [False, True])
def test_a_page_reads_the_notices_of_its_incident_and_nobody_elses(cast: Cast, descending: bool) -> None:
    mine, other = make_incident(cast), make_incident(cast)
    values = {"workspace_id": cast.workspace.id, "reason": "reoccurred", "created_at": NOW, "body": "{}" * 500}
    times = [(other, -1), (mine, 0), (other, 1)]
    rows = [
        {**values, "id": new_id(NOW + timedelta(days=day, seconds=n)), "incident_id": each.id, "seq": day * 1_000 + n}
        for each, day in times
        for n in range(300)
    ]
    Notice.insert_many(rows).execute()
    db.execute_sql("ANALYZE notices")

    with db.atomic():
        before = read()
        page = explanations.turn(mine, after=None, descending=descending, limit=10)
        assert read() - before <= 300

    expected = sorted((row["id"] for row in rows if row["incident_id"] == mine.id), reverse=descending)
    assert list(page.rows) == expected[:10]
