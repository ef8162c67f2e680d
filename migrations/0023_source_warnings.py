"""What was changed of the events of a source is counted per warning code, with the latest example."""

TABLE = """
CREATE TABLE source_warnings (
    source_id uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    code text NOT NULL,
    count bigint NOT NULL,
    last_at timestamptz NOT NULL,
    pointer text NOT NULL,
    detail text NOT NULL,
    PRIMARY KEY (source_id, code)
)
"""


def up(migrator, db):
    db.execute_sql(TABLE)


def down(migrator, db):
    db.execute_sql("DROP TABLE source_warnings")
