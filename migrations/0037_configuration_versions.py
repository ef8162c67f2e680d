"""The versions of rules and routing profiles, so that an earlier one can be restored."""

UP = """
CREATE TABLE configuration_versions (
    record_id uuid NOT NULL,
    rev integer NOT NULL,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    at timestamptz NOT NULL,
    actor jsonb,
    fields jsonb NOT NULL,
    PRIMARY KEY (record_id, rev)
);
CREATE INDEX configuration_versions_workspace ON configuration_versions (workspace_id);

INSERT INTO configuration_versions (record_id, rev, workspace_id, at, fields)
SELECT id, rev, workspace_id, now(), jsonb_build_object(
    'name', name, 'enabled', enabled, 'source_ids', to_jsonb(source_ids), 'match', match, 'active_during', active_during,
    'open_after', open_after, 'actions', actions, 'continue_matching', continue_matching)
FROM rules WHERE deleted_at IS NULL;

INSERT INTO configuration_versions (record_id, rev, workspace_id, at, fields)
SELECT id, rev, workspace_id, now(), jsonb_build_object(
    'name', name, 'delay_seconds', hold_seconds, 'steps', steps, 'repeat', repeat, 'renotify_minutes', renotify_minutes,
    'renotify_max', renotify_max, 'ack_timeout_minutes', ack_timeout_minutes,
    'auto_resolve_minutes', auto_resolve_minutes, 'reopen_window_minutes', reopen_window_minutes,
    'quiet_hours', quiet_hours, 'fallback_destination_id', fallback_destination_id)
FROM routing_profiles WHERE deleted_at IS NULL;
"""


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql("DROP TABLE configuration_versions")
