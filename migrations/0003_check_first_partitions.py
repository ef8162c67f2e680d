"""Checks the bound of `0002` for the existing rows. Others read and write the tables meanwhile."""

TABLES = ("received_events", "routed_events", "routing_traces")


def up(migrator, db):
    for table in TABLES:
        db.execute_sql(f"ALTER TABLE {table} VALIDATE CONSTRAINT first_partition")


def down(migrator, db):
    pass
