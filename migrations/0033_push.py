"""Web push: the phones of people as destinations, and the key pair that signs the calls of push services."""

UP = """
ALTER TABLE destinations ADD COLUMN device_id uuid REFERENCES devices ON DELETE CASCADE;
CREATE UNIQUE INDEX destinations_device ON destinations (device_id, workspace_id)
    WHERE device_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX destinations_phones ON destinations (workspace_id) WHERE device_id IS NOT NULL AND deleted_at IS NULL;
CREATE TABLE push_keys (
    id uuid PRIMARY KEY,
    public_key text NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL
);
"""

DOWN = """
DROP TABLE push_keys;
DELETE FROM destinations WHERE device_id IS NOT NULL;
DROP INDEX destinations_phones;
DROP INDEX destinations_device;
ALTER TABLE destinations DROP COLUMN device_id;
"""


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
