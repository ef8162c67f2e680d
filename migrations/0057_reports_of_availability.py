"""The time of the last report that pings can be received, by the clock of the database; one row."""

UP = "ALTER TABLE ping_availability ADD COLUMN reported_at timestamptz NOT NULL DEFAULT now();"

DOWN = "ALTER TABLE ping_availability DROP COLUMN reported_at;"


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
