"""An incident keeps with which severity it was last told: while it flaps, only what is worse than that is told."""


def up(migrator, db):
    db.execute_sql("ALTER TABLE incidents ADD COLUMN told_severity severity")


def down(migrator, db):
    db.execute_sql("ALTER TABLE incidents DROP COLUMN told_severity")
