"""Bounds the ids of the tables of events, so that a table becomes its own first partition without being written again.

The bound is not checked for existing rows here: `0003` checks them without a lock that stops others.
"""

TABLES = {"received_events": "id", "routed_events": "event_id", "routing_traces": "id"}
"""The tables, each with its time-ordered id."""

BOUND = """
SELECT lpad(to_hex((extract(epoch FROM month AT TIME ZONE 'UTC') * 1000)::bigint), 12, '0') || repeat('0', 20)
FROM (SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + interval '3 months' AS month) ahead
"""


def up(migrator, db):
    (bound,) = db.execute_sql(BOUND).fetchone()
    for table, id in TABLES.items():
        db.execute_sql(f"ALTER TABLE {table} ADD CONSTRAINT first_partition CHECK ({id} < '{bound}'::uuid) NOT VALID")


def down(migrator, db):
    for table in TABLES:
        db.execute_sql(f"ALTER TABLE {table} DROP CONSTRAINT first_partition")
