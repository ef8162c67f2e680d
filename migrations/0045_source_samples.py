"""The last payload of a source that was refused or read in part, redacted and for a day."""

UP = """
CREATE TABLE source_samples (
    source_id uuid PRIMARY KEY REFERENCES sources ON DELETE CASCADE,
    tool text NOT NULL,
    received_at timestamptz NOT NULL,
    headers jsonb NOT NULL,
    body text NOT NULL,
    truncated boolean NOT NULL,
    detail text NOT NULL,
    faults jsonb NOT NULL
);
"""

DOWN = "DROP TABLE source_samples;"


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
