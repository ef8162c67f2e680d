"""Digests: a destination may gather its notices, and one delivery stands for those that it gathered.

The new status needs another check. It is not verified for stored rows, because each of them passes the stricter old one.
"""

STATUSES = "'pending', 'sending', 'retrying', 'held', 'sent', 'failed', 'skipped', 'expired'"


def up(migrator, db):
    db.execute_sql("ALTER TABLE destinations ADD COLUMN digest jsonb")
    db.execute_sql("ALTER TABLE deliveries ADD COLUMN digest_id uuid")
    _check(db, f"{STATUSES}, 'gathered'")
    db.execute_sql(
        "CREATE INDEX deliveries_gathering ON deliveries (destination_id, due_at)"
        " WHERE status = 'held' AND cause = 'digest'"
    )
    db.execute_sql("CREATE INDEX deliveries_gathered ON deliveries (digest_id, id) WHERE digest_id IS NOT NULL")


def down(migrator, db):
    raise RuntimeError("deliveries that a digest gathered have no earlier status; restore a backup instead")


def _check(db, statuses):
    db.execute_sql("ALTER TABLE deliveries DROP CONSTRAINT deliveries_status_check")
    db.execute_sql(
        f"ALTER TABLE deliveries ADD CONSTRAINT deliveries_status_check CHECK (status IN ({statuses})) NOT VALID"
    )
