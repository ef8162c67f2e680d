"""Rows that a claim and a settling read: bounded, whatever the backlog and the statistics."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.database.base import db, new_id
from inbox.models.deliveries import claims as delivery_claims
from inbox.models.deliveries import deferred as deferred_deliveries
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from tests.cast import NOW, Cast
from tests.stand_ins.outgoing_posts import make_destination, make_incident, owe

THOUSAND = 1_000
ROOM = 8


@pytest.fixture
def destination(cast: Cast) -> Destination:
    """With three thousand deliveries, each of another incident; all are due at the same moment."""
    destination = make_destination(cast.workspace, "http://127.0.0.1:9/")
    fill(owe(destination, make_incident(cast), 1, due_at=NOW))
    return destination


def fill(model: Delivery) -> None:
    """Three thousand more like this one, each for another incident."""
    own = ("id", "incident_id", "replay_of")
    rows = [{**model.__data__, **{column: new_id() for column in own}} for _ in range(3 * THOUSAND)]
    Delivery.insert_many(rows).execute()


def grow_after_analyze(destination: Destination, smaller: str | None = None) -> None:
    """Statistics from a moment at which one delivery was in a table of many pages. The planner prefers a `smaller` index."""
    model = Delivery.get(destination_id=destination.id)
    Delivery.delete().where(Delivery.id != model.id).execute()
    db.execute_sql("ANALYZE deliveries")
    if smaller:
        db.execute_sql(f"REINDEX INDEX {smaller}")
    fill(model)


def fetched() -> int:
    """How many deliveries this transaction read by an index so far."""
    row = db.execute_sql(
        "SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'deliveries'"
    )
    return int(row.fetchone()[0])


def claimed(destination: Destination) -> int:
    (locked,) = delivery_claims.lock_due([destination.id])
    required = {"now": NOW, "lease_until": NOW + timedelta(seconds=45), "per_destination": ROOM, "room": 50}
    return len(delivery_claims.claim([locked[0].id], **required))


@pytest.mark.parametrize("existing", ["nothing", "everything", "one of them", "one of them, in a small index"])
def test_a_claim_reads_the_first_few_of_a_destination_however_much_is_due_at_one_moment(
    destination: Destination, existing: str
) -> None:
    if existing == "everything":
        db.execute_sql("ANALYZE deliveries")
    if existing == "one of them":
        grow_after_analyze(destination)
    if existing == "one of them, in a small index":
        grow_after_analyze(destination, smaller="deliveries_destination")

    with db.atomic():
        before = fetched()
        assert claimed(destination) == ROOM
        assert fetched() - before < 10 * ROOM


def forget_what_waits() -> None:
    """Statistics from a moment at which nothing waited, as when much comes at once."""
    Delivery.update(status="sent", due_at=None, settled_at=NOW).execute()
    db.execute_sql("ANALYZE deliveries")
    Delivery.update(status="pending", due_at=NOW, settled_at=None).execute()


def test_a_claim_reads_few_rows_without_statistics(destination: Destination) -> None:
    forget_what_waits()

    with db.atomic():
        before = fetched()
        assert claimed(destination) == ROOM
        assert fetched() - before < 10 * ROOM


def test_deliveries_behind_a_retry_are_found_without_reading_the_backlog(destination: Destination) -> None:
    forget_what_waits()
    heads = [row.id for row in Delivery.select(Delivery.id).limit(ROOM)]
    Delivery.update(due_at=NOW + timedelta(seconds=5), status="retrying").where(Delivery.id.in_(heads)).execute()

    with db.atomic():
        before = fetched()
        delivery_results.defer_followers(heads)
        assert fetched() - before < 10 * ROOM


def test_the_end_of_quiet_hours_reads_held_deliveries_a_bounded_number_of_times(
    destination: Destination,
) -> None:
    forget_what_waits()
    Delivery.update(status="held", cause="quiet_hours").execute()

    with db.atomic():
        before = fetched()
        delivery_claims.lock_due([destination.id])
        assert len(deferred_deliveries.due([destination.id], NOW)) == deferred_deliveries.MAX_INCIDENTS
        assert fetched() - before < 10 * THOUSAND


@pytest.mark.parametrize("existing", ["nothing", "everything", "nothing waits"])
def test_a_claim_needs_no_sort_where_sorts_are_switched_off(
    destination: Destination, existing: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A plan that sorts all the same costs more than any, and a server with `jit` on would compile it each time."""
    if existing == "everything":
        db.execute_sql("ANALYZE")
    if existing == "nothing waits":
        forget_what_waits()

    with db.atomic(), caplog.at_level("DEBUG", logger="peewee"):
        assert claimed(destination) == ROOM
        deferred_deliveries.due([destination.id], NOW)
        delivery_results.defer_followers([row.id for row in Delivery.select(Delivery.id).limit(ROOM)])
        ran = [record.msg for record in caplog.records if "enable_sort = off" in record.msg[0]]

    assert len(ran) == 5
    for sql, values in ran:
        statement = sql.rpartition(";")[2]
        with db.atomic():
            db.execute_sql("SET LOCAL enable_sort = off")
            (plan,) = db.execute_sql(f"EXPLAIN (FORMAT JSON) {statement}", values).fetchone()[0]
        assert plan["Plan"]["Total Cost"] < 1e9, statement
    assert db.execute_sql("SHOW enable_sort").fetchone()[0] == "on"


def test_sorts_are_switched_off_for_single_statements_only(destination: Destination) -> None:
    with db.atomic():
        claimed(destination)
        assert db.execute_sql("SHOW enable_sort").fetchone()[0] == "on"
