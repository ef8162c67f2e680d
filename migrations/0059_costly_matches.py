"""How often a rule or silence cost too much for an event, by the hour and the shard."""

UP = """
CREATE TABLE costly_matches (
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    match_id uuid NOT NULL,
    hour timestamptz NOT NULL,
    shard smallint NOT NULL,
    events bigint NOT NULL,
    last_at timestamptz NOT NULL,
    PRIMARY KEY (match_id, hour, shard)
);
CREATE INDEX costly_matches_age ON costly_matches (hour);
CREATE INDEX costly_matches_workspace ON costly_matches (workspace_id);
"""

DOWN = "DROP TABLE costly_matches;"


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
