"""Devices: a token by which the installed app takes over a device that a browser paired."""

UP = """
ALTER TABLE device_tokens DROP CONSTRAINT device_tokens_kind_check;
ALTER TABLE device_tokens ADD CONSTRAINT device_tokens_kind_check CHECK (kind IN ('access', 'refresh', 'hand_off'));
"""

DOWN = """
DELETE FROM device_tokens WHERE kind = 'hand_off';
ALTER TABLE device_tokens DROP CONSTRAINT device_tokens_kind_check;
ALTER TABLE device_tokens ADD CONSTRAINT device_tokens_kind_check CHECK (kind IN ('access', 'refresh'));
"""


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
