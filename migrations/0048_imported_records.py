"""Which record an entry of another tool became, so that a second import creates nothing twice."""

UP = """
CREATE TABLE imported_records (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    reference text NOT NULL,
    record_type text NOT NULL,
    record_id uuid NOT NULL,
    PRIMARY KEY (workspace_id, reference)
);
"""

DOWN = "DROP TABLE imported_records;"


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
