"""The alerts that Prometheus repeats while they fire, with the time at which each ends without a repeat."""

UP = """
CREATE TABLE pushed_alerts (
    source_id uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    dedup_key text NOT NULL,
    ends_at timestamptz NOT NULL,
    expired_at timestamptz,
    PRIMARY KEY (source_id, dedup_key)
) WITH (fillfactor = 70);
CREATE INDEX pushed_alerts_ends ON pushed_alerts (ends_at);
"""

DOWN = "DROP TABLE pushed_alerts;"


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
