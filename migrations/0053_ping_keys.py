"""A source has ping keys, and a heartbeat monitor has a slug. No row is written: the column has no default."""

UP = """
ALTER TABLE source_keys DROP CONSTRAINT source_keys_kind_check;
ALTER TABLE source_keys ADD CONSTRAINT source_keys_kind_check
    CHECK (kind IN ('source_key', 'alias_token', 'signing_secret', 'mail_address', 'ping_key'));
ALTER TABLE heartbeat_monitors ADD COLUMN slug text;
CREATE UNIQUE INDEX heartbeat_monitors_slug ON heartbeat_monitors (source_id, slug) WHERE deleted_at IS NULL;
"""

DOWN = """
DROP INDEX heartbeat_monitors_slug;
ALTER TABLE heartbeat_monitors DROP COLUMN slug;
DELETE FROM source_keys WHERE kind = 'ping_key';
ALTER TABLE source_keys DROP CONSTRAINT source_keys_kind_check;
ALTER TABLE source_keys ADD CONSTRAINT source_keys_kind_check
    CHECK (kind IN ('source_key', 'alias_token', 'signing_secret', 'mail_address'));
"""


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
