"""An incident stores the severity of its last notice: while it flaps, only a higher one is notified."""


def up(migrator, db):
    db.execute_sql("ALTER TABLE incidents ADD COLUMN told_severity severity")


def down(migrator, db):
    db.execute_sql("ALTER TABLE incidents DROP COLUMN told_severity")
