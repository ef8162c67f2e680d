"""The ground: people, workspaces, sources, events, incidents, notices, deliveries and their clocks."""

TABLES = """
CREATE TYPE severity AS ENUM ('DEBUG', 'INFO', 'SUCCESS', 'WARNING', 'ERROR', 'CRITICAL');

CREATE TABLE users (
    id uuid PRIMARY KEY,
    email text NOT NULL,
    email_key text NOT NULL UNIQUE,
    name text NOT NULL,
    password_hash text,
    is_instance_admin boolean NOT NULL DEFAULT false,
    disabled_at timestamptz,
    timezone text NOT NULL DEFAULT 'UTC',
    locale text NOT NULL DEFAULT 'en',
    created_at timestamptz NOT NULL,
    rev integer NOT NULL DEFAULT 1
);

CREATE TABLE setup_links (
    token_hash bytea PRIMARY KEY,
    created_at timestamptz NOT NULL
);

CREATE TABLE sessions (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    token_hash bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    proved_at timestamptz NOT NULL,
    address text NOT NULL DEFAULT '',
    user_agent text NOT NULL DEFAULT '',
    revoked_at timestamptz
);
CREATE INDEX sessions_user ON sessions (user_id);

CREATE TABLE workspaces (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    slug text NOT NULL UNIQUE,
    timezone text NOT NULL DEFAULT 'UTC',
    settings jsonb NOT NULL DEFAULT '{}',
    default_route jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    rev integer NOT NULL DEFAULT 1
);

CREATE TABLE workspace_counters (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    incidents bigint NOT NULL DEFAULT 0
);

CREATE TABLE members (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
    joined_at timestamptz NOT NULL,
    last_seen_at timestamptz,
    UNIQUE (workspace_id, user_id)
);
CREATE INDEX members_user ON members (user_id);

CREATE TABLE throttles (
    bucket text PRIMARY KEY,
    tokens double precision NOT NULL,
    filled_at timestamptz NOT NULL
);

CREATE TABLE sources (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text NOT NULL,
    kind text NOT NULL DEFAULT 'events',
    enabled boolean NOT NULL DEFAULT true,
    default_severity severity NOT NULL DEFAULT 'INFO',
    group_by text[] NOT NULL DEFAULT '{}',
    resolve_by text NOT NULL DEFAULT 'dedupKey' CHECK (resolve_by IN ('dedupKey', 'fingerprint')),
    routing_profile_id uuid,
    allow_query_token boolean NOT NULL DEFAULT false,
    expect_every_seconds integer,
    recovery_pattern text,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    rev integer NOT NULL DEFAULT 1,
    UNIQUE (workspace_id, id)
);

CREATE TABLE source_keys (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    source_id uuid NOT NULL,
    name text NOT NULL DEFAULT '',
    hash bytea NOT NULL UNIQUE,
    hint text NOT NULL,
    created_at timestamptz NOT NULL,
    created_by uuid REFERENCES users ON DELETE SET NULL,
    last_used_at timestamptz,
    grace_ends_at timestamptz,
    revoked_at timestamptz,
    FOREIGN KEY (workspace_id, source_id) REFERENCES sources (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX source_keys_source ON source_keys (source_id);

CREATE TABLE idempotency_records (
    source_id uuid NOT NULL,
    route text NOT NULL,
    key text NOT NULL,
    body_hash bytea NOT NULL,
    status smallint NOT NULL,
    response bytea NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (source_id, route, key)
);
CREATE INDEX idempotency_records_age ON idempotency_records USING brin (created_at);

CREATE TABLE event_identities (
    source_id uuid NOT NULL,
    kind text NOT NULL,
    digest bytea NOT NULL,
    event_id uuid NOT NULL,
    content_digest bytea,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (source_id, kind, digest)
);
CREATE INDEX event_identities_age ON event_identities USING brin (created_at);

CREATE TABLE events (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    source_id uuid NOT NULL,
    received_at timestamptz NOT NULL,
    occurred_at timestamptz NOT NULL,
    severity severity NOT NULL,
    action text NOT NULL,
    title text NOT NULL,
    type text,
    resource text,
    dedup_key text,
    body text,
    tags text[] NOT NULL DEFAULT '{}',
    url text,
    external_id text,
    idempotency_key text,
    metadata jsonb,
    fingerprint text NOT NULL,
    flags text[] NOT NULL DEFAULT '{}',
    warnings jsonb NOT NULL DEFAULT '[]',
    disposition text NOT NULL DEFAULT 'pending',
    incident_id uuid,
    routing jsonb,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX events_source ON events (workspace_id, source_id, id);
CREATE INDEX events_incident ON events (incident_id, id) WHERE incident_id IS NOT NULL;

CREATE TABLE event_queue (
    shard smallint NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    workspace_id uuid NOT NULL,
    event_id uuid NOT NULL,
    attempts smallint NOT NULL DEFAULT 0,
    quarantined_at timestamptz,
    PRIMARY KEY (shard, seq)
);

CREATE TABLE routing_shards (
    shard smallint PRIMARY KEY,
    tries smallint NOT NULL DEFAULT 0
);
INSERT INTO routing_shards (shard) SELECT generate_series(0, 15);

CREATE TABLE incidents (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    number bigint NOT NULL,
    source_id uuid NOT NULL,
    fingerprint text NOT NULL,
    title text NOT NULL,
    severity severity NOT NULL,
    last_severity severity NOT NULL,
    state text NOT NULL CHECK (state IN ('open', 'acknowledged', 'snoozed', 'silenced', 'resolved')),
    state_before text,
    flapping boolean NOT NULL DEFAULT false,
    resource text,
    type text,
    tags text[] NOT NULL DEFAULT '{}',
    dedup_key text,
    rule_id uuid,
    routing_profile_id uuid,
    assignee_id uuid,
    event_count bigint NOT NULL DEFAULT 1,
    reopen_count integer NOT NULL DEFAULT 0,
    notice_count integer NOT NULL DEFAULT 0,
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    opened_at timestamptz NOT NULL,
    acknowledged_at timestamptz,
    acknowledged_by uuid,
    snoozed_until timestamptz,
    silenced_by uuid,
    resolved_at timestamptz,
    resolved_by jsonb,
    related_incident_id uuid,
    rev integer NOT NULL DEFAULT 1,
    UNIQUE (workspace_id, number),
    UNIQUE (workspace_id, id),
    FOREIGN KEY (workspace_id, source_id) REFERENCES sources (workspace_id, id)
);
CREATE UNIQUE INDEX incidents_one_unresolved ON incidents (source_id, fingerprint) WHERE state <> 'resolved';
CREATE INDEX incidents_fingerprint ON incidents (source_id, fingerprint, resolved_at);
CREATE INDEX incidents_unresolved ON incidents (workspace_id, state, last_seen_at DESC, id DESC) WHERE state <> 'resolved';
CREATE INDEX incidents_last_seen ON incidents (workspace_id, last_seen_at DESC, id DESC);

CREATE TABLE timeline (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    incident_id uuid NOT NULL,
    at timestamptz NOT NULL,
    kind text NOT NULL,
    actor jsonb NOT NULL,
    event_id uuid,
    details jsonb NOT NULL DEFAULT '{}',
    FOREIGN KEY (workspace_id, incident_id) REFERENCES incidents (workspace_id, id) ON DELETE CASCADE
        DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX timeline_incident ON timeline (incident_id, id);

CREATE TABLE destinations (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text NOT NULL,
    kind text NOT NULL,
    config jsonb NOT NULL DEFAULT '{}',
    sealed bytea,
    enabled boolean NOT NULL DEFAULT true,
    send_updates boolean NOT NULL DEFAULT true,
    min_severity severity,
    quiet_hours_threshold severity DEFAULT 'CRITICAL',
    stopped_at timestamptz,
    stopped_reason text,
    refusals integer NOT NULL DEFAULT 0,
    generation integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    rev integer NOT NULL DEFAULT 1,
    UNIQUE (workspace_id, id)
);

CREATE TABLE notices (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    incident_id uuid,
    event_id uuid,
    seq integer NOT NULL DEFAULT 0,
    reason text NOT NULL,
    created_at timestamptz NOT NULL,
    body text NOT NULL,
    decisions jsonb NOT NULL DEFAULT '[]',
    UNIQUE (workspace_id, id),
    UNIQUE (incident_id, seq),
    FOREIGN KEY (workspace_id, incident_id) REFERENCES incidents (workspace_id, id) ON DELETE CASCADE
        DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE deliveries (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    notice_id uuid NOT NULL,
    incident_id uuid,
    destination_id uuid NOT NULL,
    seq integer NOT NULL DEFAULT 0,
    reason text NOT NULL,
    status text NOT NULL CHECK (status IN
        ('pending', 'sending', 'retrying', 'held', 'sent', 'failed', 'skipped', 'expired')),
    attempt integer NOT NULL DEFAULT 0,
    due_at timestamptz,
    lease_until timestamptz,
    cause text,
    replay_of uuid,
    created_at timestamptz NOT NULL,
    settled_at timestamptz,
    FOREIGN KEY (workspace_id, notice_id) REFERENCES notices (workspace_id, id) ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, destination_id) REFERENCES destinations (workspace_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX deliveries_once ON deliveries (notice_id, destination_id) WHERE replay_of IS NULL;
CREATE INDEX deliveries_waiting ON deliveries (destination_id, due_at) WHERE status IN ('pending', 'sending', 'retrying', 'held');
CREATE INDEX deliveries_in_order ON deliveries (destination_id, incident_id, seq) WHERE status IN ('pending', 'sending', 'retrying', 'held');
CREATE INDEX deliveries_in_flight ON deliveries (destination_id, due_at) WHERE status = 'sending';
CREATE INDEX deliveries_replayed ON deliveries (replay_of) WHERE replay_of IS NOT NULL;
CREATE INDEX deliveries_destination ON deliveries (destination_id, id);
CREATE INDEX deliveries_incident ON deliveries (incident_id, id);
CREATE INDEX deliveries_settled ON deliveries (destination_id, settled_at DESC) WHERE status IN ('sent', 'failed');
CREATE INDEX deliveries_workspace ON deliveries (workspace_id, id);

CREATE TABLE delivery_attempts (
    delivery_id uuid NOT NULL REFERENCES deliveries ON DELETE CASCADE,
    number integer NOT NULL,
    at timestamptz NOT NULL,
    status_code integer,
    duration_ms integer,
    error text,
    excerpt text,
    PRIMARY KEY (delivery_id, number)
);

CREATE TABLE timers (
    kind text NOT NULL,
    subject_id uuid NOT NULL,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    due_at timestamptz NOT NULL,
    PRIMARY KEY (kind, subject_id)
);
CREATE INDEX timers_due ON timers (due_at);

CREATE TABLE changes (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    refs jsonb NOT NULL
);
"""


def up(migrator, db):
    db.execute_sql(TABLES)


def down(migrator, db):
    raise RuntimeError("the ground is never taken away; restore a backup instead")
