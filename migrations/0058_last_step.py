"""The last due step of an incident: `{number, minutes after the delay, minutes of the first step}` of its plan.

The version before changes `steps_taken` alone. A `last_step` with another number is not valid any more.
"""

UP = "ALTER TABLE incidents ADD COLUMN last_step integer[];"

DOWN = "ALTER TABLE incidents DROP COLUMN last_step;"


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
