"""What quiet hours hold is found by destination and incident."""

HELD = """
CREATE INDEX deliveries_quiet ON deliveries (destination_id, incident_id)
    WHERE status = 'held' AND cause = 'quiet_hours';
"""


def up(migrator, db):
    db.execute_sql(HELD)


def down(migrator, db):
    raise RuntimeError("the index of what quiet hours hold is never taken away; restore a backup instead")
