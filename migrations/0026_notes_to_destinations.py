"""A destination may be set not to be notified of notes that people add to incidents.

The column has a default, so that the version before can still add destinations.
"""


def up(migrator, db):
    db.execute_sql("ALTER TABLE destinations ADD COLUMN send_notes boolean NOT NULL DEFAULT true")


def down(migrator, db):
    db.execute_sql("ALTER TABLE destinations DROP COLUMN send_notes")
