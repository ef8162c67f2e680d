"""A source has a mapping of payloads of any sender. The new column has no default, so that no row is written."""

UP = "ALTER TABLE sources ADD COLUMN mapping jsonb;"

DOWN = "ALTER TABLE sources DROP COLUMN mapping;"


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
