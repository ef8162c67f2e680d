"""Heartbeat monitors, their pings and status changes, and when this instance could last receive pings."""

UP = """
CREATE TABLE heartbeat_monitors (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    source_id uuid NOT NULL,
    name text NOT NULL,
    tags text[] NOT NULL DEFAULT '{}',
    schedule jsonb NOT NULL,
    grace_seconds integer NOT NULL,
    severity severity NOT NULL DEFAULT 'ERROR',
    failures_before_incident integer NOT NULL DEFAULT 1,
    max_runtime_seconds integer,
    never_seen_seconds integer,
    token_hash bytea NOT NULL,
    token_hint text NOT NULL,
    badge_hash bytea,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    rev integer NOT NULL DEFAULT 1,
    status text NOT NULL DEFAULT 'new',
    watched_since timestamptz NOT NULL,
    last_ping_at timestamptz,
    last_duration_ms bigint,
    started_at timestamptz,
    run_id uuid,
    due_at timestamptz,
    failures integer NOT NULL DEFAULT 0,
    late_since timestamptz,
    down_since timestamptz,
    paused_at timestamptz,
    check_at timestamptz,
    throttle_at timestamptz NOT NULL,
    bar jsonb NOT NULL DEFAULT '[]'
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX heartbeat_monitors_token ON heartbeat_monitors (token_hash);
CREATE UNIQUE INDEX heartbeat_monitors_badge ON heartbeat_monitors (badge_hash) WHERE badge_hash IS NOT NULL;
CREATE INDEX heartbeat_monitors_workspace ON heartbeat_monitors (workspace_id, id) WHERE deleted_at IS NULL;
CREATE INDEX heartbeat_monitors_source ON heartbeat_monitors (source_id) WHERE deleted_at IS NULL;
CREATE INDEX heartbeat_monitors_deleted ON heartbeat_monitors (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE heartbeat_pings (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    monitor_id uuid NOT NULL REFERENCES heartbeat_monitors ON DELETE CASCADE,
    at timestamptz NOT NULL,
    kind text NOT NULL,
    exit_code smallint,
    run_id uuid,
    duration_ms bigint,
    method text NOT NULL,
    user_agent text NOT NULL DEFAULT '',
    body text NOT NULL DEFAULT ''
);
CREATE INDEX heartbeat_pings_monitor ON heartbeat_pings (monitor_id, id);
CREATE INDEX heartbeat_pings_workspace ON heartbeat_pings (workspace_id, id);

CREATE TABLE heartbeat_flips (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    monitor_id uuid NOT NULL REFERENCES heartbeat_monitors ON DELETE CASCADE,
    at timestamptz NOT NULL,
    from_status text NOT NULL,
    to_status text NOT NULL,
    cause text NOT NULL
);
CREATE INDEX heartbeat_flips_monitor ON heartbeat_flips (monitor_id, id);
CREATE INDEX heartbeat_flips_workspace ON heartbeat_flips (workspace_id, id);

CREATE TABLE ping_availability (
    id smallint PRIMARY KEY CHECK (id = 1),
    alive_at timestamptz NOT NULL
);
"""

DOWN = """
DROP TABLE ping_availability;
DROP TABLE heartbeat_flips;
DROP TABLE heartbeat_pings;
DROP TABLE heartbeat_monitors;
"""


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql("DELETE FROM timers WHERE kind = 'heartbeat.check'")
    db.execute_sql(DOWN)
