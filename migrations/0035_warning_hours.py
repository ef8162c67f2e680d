"""The warnings of a source are also counted by the hour, for the number of the last 24 hours."""

TABLE = """
CREATE TABLE source_warning_hours (
    source_id uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    hour timestamptz NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (source_id, hour)
)
"""


def up(migrator, db):
    db.execute_sql(TABLE)


def down(migrator, db):
    db.execute_sql("DROP TABLE source_warning_hours")
