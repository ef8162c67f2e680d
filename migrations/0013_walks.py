"""A timer whose work takes several transactions keeps up to where it has come."""


def up(migrator, db):
    db.execute_sql("ALTER TABLE timers ADD COLUMN walked_to uuid")


def down(migrator, db):
    db.execute_sql("ALTER TABLE timers DROP COLUMN walked_to")
