"""Whoever may only add to the audit log and read it removes old entries by functions, and nobody truncates it.

The functions run with the rights of the owner of the tables. They leave what is younger than a day.
"""

FUNCTIONS = """
CREATE FUNCTION purge_audit_log(of_workspace uuid, before_id uuid, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = {schema}, pg_temp AS $$
DECLARE
    removed bigint;
BEGIN
    PERFORM set_config('inbox.purging', 'on', true);
    DELETE FROM audit_log WHERE id IN (
        SELECT id FROM audit_log
        WHERE workspace_id = of_workspace AND id < before_id AND at < now() - interval '1 day'
        ORDER BY id LIMIT most FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS removed = ROW_COUNT;
    PERFORM set_config('inbox.purging', 'off', true);
    RETURN removed;
END
$$;

CREATE FUNCTION purge_ownerless_audit_log(before timestamptz, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = {schema}, pg_temp AS $$
DECLARE
    removed bigint;
BEGIN
    PERFORM set_config('inbox.purging', 'on', true);
    DELETE FROM audit_log WHERE id IN (
        SELECT id FROM audit_log a
        WHERE at < least(before, now() - interval '1 day')
            AND (workspace_id IS NULL OR NOT EXISTS (SELECT FROM workspaces w WHERE w.id = a.workspace_id))
        LIMIT most FOR UPDATE OF a SKIP LOCKED);
    GET DIAGNOSTICS removed = ROW_COUNT;
    PERFORM set_config('inbox.purging', 'off', true);
    RETURN removed;
END
$$;

REVOKE EXECUTE ON FUNCTION purge_audit_log, purge_ownerless_audit_log FROM PUBLIC;

CREATE TRIGGER audit_log_is_not_truncated BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_only_grows();
"""


def up(migrator, db):
    (schema,) = db.execute_sql("SELECT quote_ident(current_schema())").fetchone()
    db.execute_sql(FUNCTIONS.replace("{schema}", schema))


def down(migrator, db):
    db.execute_sql(
        "DROP TRIGGER audit_log_is_not_truncated ON audit_log;"
        " DROP FUNCTION purge_audit_log; DROP FUNCTION purge_ownerless_audit_log"
    )
