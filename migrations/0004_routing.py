"""Rules, routing profiles and silences, and the columns of an incident for its routing and its notices."""

TABLES = """
ALTER TABLE workspaces ADD COLUMN routing_rev bigint NOT NULL DEFAULT 1;

CREATE TABLE rules (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text NOT NULL,
    enabled boolean NOT NULL DEFAULT true,
    position integer NOT NULL,
    source_ids uuid[] NOT NULL DEFAULT '{}',
    match jsonb NOT NULL,
    active_during jsonb,
    open_after jsonb,
    outcome jsonb NOT NULL,
    goes_on boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    rev integer NOT NULL DEFAULT 1,
    UNIQUE (workspace_id, id)
);
CREATE INDEX rules_in_order ON rules (workspace_id, position) WHERE deleted_at IS NULL;

CREATE TABLE rule_matches (
    workspace_id uuid NOT NULL,
    rule_id uuid NOT NULL,
    hour timestamptz NOT NULL,
    events bigint NOT NULL,
    last_at timestamptz NOT NULL,
    PRIMARY KEY (rule_id, hour),
    FOREIGN KEY (workspace_id, rule_id) REFERENCES rules (workspace_id, id) ON DELETE CASCADE
);

CREATE TABLE rule_waits (
    workspace_id uuid NOT NULL,
    rule_id uuid NOT NULL,
    fingerprint text NOT NULL,
    seen_at timestamptz[] NOT NULL,
    last_at timestamptz NOT NULL,
    PRIMARY KEY (rule_id, fingerprint),
    FOREIGN KEY (workspace_id, rule_id) REFERENCES rules (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX rule_waits_age ON rule_waits (last_at);

CREATE TABLE routing_profiles (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text NOT NULL,
    hold_seconds integer NOT NULL DEFAULT 0,
    steps jsonb NOT NULL,
    repeat integer NOT NULL DEFAULT 0,
    renotify_minutes jsonb,
    renotify_max integer,
    ack_timeout_minutes integer,
    auto_resolve_minutes integer,
    reopen_window_minutes integer,
    quiet_hours text NOT NULL DEFAULT 'inherit' CHECK (quiet_hours IN ('inherit', 'ignore')),
    fallback_destination_id uuid,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    rev integer NOT NULL DEFAULT 1,
    UNIQUE (workspace_id, id)
);
CREATE INDEX routing_profiles_workspace ON routing_profiles (workspace_id, id) WHERE deleted_at IS NULL;

CREATE TABLE silences (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    match jsonb NOT NULL,
    source_ids uuid[] NOT NULL DEFAULT '{}',
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    recurrence jsonb,
    comment text NOT NULL DEFAULT '',
    created_by uuid,
    hits bigint NOT NULL DEFAULT 0,
    last_hit_at timestamptz,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    rev integer NOT NULL DEFAULT 1,
    UNIQUE (workspace_id, id)
);
CREATE INDEX silences_workspace ON silences (workspace_id, ends_at) WHERE deleted_at IS NULL;

ALTER TABLE incidents
    ADD COLUMN destination_ids uuid[] NOT NULL DEFAULT '{}',
    ADD COLUMN flips timestamptz[] NOT NULL DEFAULT '{}',
    ADD COLUMN steps_taken integer NOT NULL DEFAULT 0,
    ADD COLUMN renotified integer NOT NULL DEFAULT 0,
    ADD COLUMN told_at timestamptz,
    ADD COLUMN held_until timestamptz;
CREATE INDEX incidents_silenced ON incidents (silenced_by) WHERE silenced_by IS NOT NULL;
CREATE INDEX incidents_dedup_key ON incidents (source_id, dedup_key) WHERE state <> 'resolved' AND dedup_key IS NOT NULL;
"""


def up(migrator, db):
    db.execute_sql(TABLES)


def down(migrator, db):
    raise RuntimeError("rules and silences are never taken away; restore a backup instead")
