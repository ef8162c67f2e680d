"""The minutes of an incident's last due step after the delay. Incidents of the version before have only its number."""

UP = "ALTER TABLE incidents ADD COLUMN last_step_minutes integer;"

DOWN = "ALTER TABLE incidents DROP COLUMN last_step_minutes;"


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
