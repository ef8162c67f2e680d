"""A source has mail addresses beside its keys. The part before the `@` is the secret, and only its hash is stored."""

UP = """
ALTER TABLE source_keys DROP CONSTRAINT source_keys_kind_check;
ALTER TABLE source_keys ADD CONSTRAINT source_keys_kind_check
    CHECK (kind IN ('source_key', 'alias_token', 'signing_secret', 'mail_address'));
"""

DOWN = """
DELETE FROM source_keys WHERE kind = 'mail_address';
ALTER TABLE source_keys DROP CONSTRAINT source_keys_kind_check;
ALTER TABLE source_keys ADD CONSTRAINT source_keys_kind_check
    CHECK (kind IN ('source_key', 'alias_token', 'signing_secret'));
"""


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
