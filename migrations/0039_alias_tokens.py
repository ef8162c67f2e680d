"""A source has alias tokens beside its keys, and a preset by which it reads recoveries."""

UP = """
ALTER TABLE source_keys ADD COLUMN kind text NOT NULL DEFAULT 'source_key'
    CHECK (kind IN ('source_key', 'alias_token'));
ALTER TABLE sources ADD COLUMN recovery_preset text;
"""

DOWN = """
ALTER TABLE sources DROP COLUMN recovery_preset;
ALTER TABLE source_keys DROP COLUMN kind;
"""


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
