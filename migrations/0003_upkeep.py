"""What the purge looks for, and what it takes along, is found by an index."""

INDEXES = """
CREATE INDEX deliveries_notice ON deliveries (notice_id);
CREATE INDEX incidents_resolved ON incidents (workspace_id, resolved_at) WHERE state = 'resolved';
"""


def up(migrator, db):
    db.execute_sql(INDEXES)


def down(migrator, db):
    raise RuntimeError("indexes of the purge stay; restore a backup instead")
