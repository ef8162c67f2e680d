"""A source has signing secrets beside its keys, each for one tool. They are sealed, because a check needs their text."""

UP = """
ALTER TABLE source_keys DROP CONSTRAINT source_keys_kind_check;
ALTER TABLE source_keys ADD COLUMN tool text;
ALTER TABLE source_keys ADD COLUMN sealed bytea;
ALTER TABLE source_keys ADD CONSTRAINT source_keys_kind_check
    CHECK (kind IN ('source_key', 'alias_token', 'signing_secret'));
ALTER TABLE source_keys ADD CONSTRAINT source_keys_tool_check CHECK ((kind = 'signing_secret') = (tool IS NOT NULL));
"""

DOWN = """
DELETE FROM source_keys WHERE kind = 'signing_secret';
ALTER TABLE source_keys DROP CONSTRAINT source_keys_tool_check;
ALTER TABLE source_keys DROP CONSTRAINT source_keys_kind_check;
ALTER TABLE source_keys DROP COLUMN sealed;
ALTER TABLE source_keys DROP COLUMN tool;
ALTER TABLE source_keys ADD CONSTRAINT source_keys_kind_check CHECK (kind IN ('source_key', 'alias_token'));
"""


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
