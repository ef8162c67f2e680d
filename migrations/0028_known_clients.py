"""Addresses and browsers that signed in to an account lately; audit entries name the account that they are about.

Entries of before get their account here. The table is locked by its new column anyway, so that the trigger which refuses
every update can be switched off for this transaction.
"""

COLUMNS = """
ALTER TABLE audit_log ADD COLUMN user_id uuid;

CREATE TABLE known_clients (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('address', 'browser')),
    digest bytea NOT NULL,
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, kind, digest)
);
CREATE INDEX known_clients_age ON known_clients (last_seen_at);
"""

DECODE = """
CREATE FUNCTION pg_temp.typeid_uuid(typeid text) RETURNS uuid LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    letters text := split_part(typeid, '_', 2);
    bits text := '';
    digits text := '';
    place int;
BEGIN
    IF letters !~ '^[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}$' THEN
        RETURN NULL;
    END IF;
    FOR place IN 1..26 LOOP
        bits := bits || (strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(letters, place, 1)) - 1)::bit(5)::text;
    END LOOP;
    FOR place IN 0..31 LOOP
        digits := digits || to_hex(substr(bits, 3 + place * 4, 4)::bit(4)::int);
    END LOOP;
    RETURN digits::uuid;
END
$$;
"""

FILL = """
UPDATE audit_log a SET user_id = CASE a.target ->> 'type'
    WHEN 'user' THEN pg_temp.typeid_uuid(a.target ->> 'id')
    WHEN 'session' THEN pg_temp.typeid_uuid(a.actor ->> 'id')
    WHEN 'device' THEN (SELECT d.user_id FROM devices d WHERE d.id = pg_temp.typeid_uuid(a.target ->> 'id'))
END
WHERE a.workspace_id IS NULL AND a.target ->> 'type' IN ('user', 'session', 'device');
"""

INDEXES = """
CREATE INDEX audit_log_user ON audit_log (user_id, id) WHERE workspace_id IS NULL AND user_id IS NOT NULL;
CREATE INDEX audit_log_instance ON audit_log (id) WHERE workspace_id IS NULL;
CREATE INDEX audit_log_instance_action ON audit_log (action, id) WHERE workspace_id IS NULL;
CREATE INDEX audit_log_instance_actor ON audit_log (jsonb_extract_path_text(actor, 'id'), id) WHERE workspace_id IS NULL;
"""


def up(migrator, db):
    db.execute_sql(COLUMNS)
    db.execute_sql(DECODE)
    db.execute_sql("ALTER TABLE audit_log DISABLE TRIGGER audit_log_only_grows")
    db.execute_sql(FILL)
    db.execute_sql("ALTER TABLE audit_log ENABLE TRIGGER audit_log_only_grows")
    db.execute_sql("DROP FUNCTION pg_temp.typeid_uuid(text)")
    db.execute_sql(INDEXES)


def down(migrator, db):
    db.execute_sql("DROP TABLE known_clients")
    db.execute_sql("ALTER TABLE audit_log DROP COLUMN user_id")
    for name in ("instance", "instance_action", "instance_actor"):
        db.execute_sql(f"DROP INDEX audit_log_{name}")
