"""Watchers: agents on hosts that check in."""

UP = """
CREATE TABLE watchers (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    source_id uuid NOT NULL,
    monitor_id uuid NOT NULL REFERENCES heartbeat_monitors ON DELETE CASCADE,
    watcher_id text NOT NULL,
    name text NOT NULL,
    reported_name text NOT NULL,
    hostname text NOT NULL DEFAULT '',
    version text NOT NULL DEFAULT '',
    interval_seconds integer NOT NULL,
    labels jsonb NOT NULL DEFAULT '{}',
    checks jsonb NOT NULL DEFAULT '[]',
    last_check_in_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    rev integer NOT NULL DEFAULT 1
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX watchers_monitor ON watchers (monitor_id);
CREATE UNIQUE INDEX watchers_own_id ON watchers (workspace_id, watcher_id) WHERE deleted_at IS NULL;
CREATE INDEX watchers_workspace ON watchers (workspace_id, id) WHERE deleted_at IS NULL;
CREATE INDEX watchers_source ON watchers (source_id) WHERE deleted_at IS NULL;
CREATE INDEX watchers_deleted ON watchers (deleted_at) WHERE deleted_at IS NOT NULL;
"""

DOWN = "DROP TABLE watchers;"


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
