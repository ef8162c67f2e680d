"""The tables of version 1.0, grouped by noun.

`tests/house/test_tables.py` compares them with the Peewee classes. The order of the indexes of a table counts: where
statistics are missing, several indexes cost the same, and the planner takes one by its age.
"""

TYPES = """
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- The order is the rank, so that severities are compared in SQL.
CREATE TYPE severity AS ENUM ('DEBUG', 'INFO', 'SUCCESS', 'WARNING', 'ERROR', 'CRITICAL');
"""

PEOPLE = """
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
    rev integer NOT NULL DEFAULT 1,
    email_verified_at timestamptz,
    deleted_at timestamptz
);

-- The link of the first start, which creates the first account. Only its hash is stored.
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

-- Addresses and browsers that signed in to an account lately, as digests: a new one is worth a mail.
CREATE TABLE known_clients (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('address', 'browser')),
    digest bytea NOT NULL,
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, kind, digest)
);
CREATE INDEX known_clients_age ON known_clients (last_seen_at);

-- Browsers in which a sign-in skips the second factor. Only the SHA-256 of their cookie is stored.
CREATE TABLE trusted_browsers (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    token_hash bytea NOT NULL UNIQUE,
    user_agent text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    last_used_at timestamptz
);
CREATE INDEX trusted_browsers_user_id ON trusted_browsers (user_id);

CREATE TABLE identities (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    provider text NOT NULL,
    subject text NOT NULL,
    email text,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz,
    UNIQUE (provider, subject)
);
CREATE INDEX identities_user ON identities (user_id);

CREATE TABLE passkeys (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    credential_id bytea NOT NULL UNIQUE,
    public_key bytea NOT NULL,
    sign_count bigint NOT NULL,
    transports text[] NOT NULL DEFAULT '{}',
    name text NOT NULL,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz
);
CREATE INDEX passkeys_user ON passkeys (user_id);

CREATE TABLE totp_factors (
    user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    sealed bytea NOT NULL,
    last_step bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    confirmed_at timestamptz
);

CREATE TABLE recovery_codes (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    hash bytea NOT NULL,
    used_at timestamptz,
    PRIMARY KEY (user_id, hash)
);

CREATE TABLE links (
    id uuid PRIMARY KEY,
    purpose text NOT NULL CHECK (purpose IN ('password_reset', 'email_change', 'verify_email')),
    token_hash bytea NOT NULL UNIQUE,
    user_id uuid REFERENCES users ON DELETE CASCADE,
    payload jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    -- An implication: only the link that confirms the address of a sign-up has no account.
    CHECK ((user_id IS NULL) <= (purpose = 'verify_email'))
);
CREATE INDEX links_user ON links (user_id, purpose);
-- A second sign-up with the same address replaces the open link of the first.
CREATE INDEX links_sign_up ON links ((payload ->> 'emailKey')) WHERE user_id IS NULL AND used_at IS NULL;
CREATE INDEX links_age ON links (expires_at);

-- Token buckets of sign-ins and other guesses. They are stored here, so that they survive the loss of Redis.
CREATE TABLE rate_limit_buckets (
    bucket text PRIMARY KEY,
    tokens double precision NOT NULL,
    filled_at timestamptz NOT NULL
);

-- Signed tokens that work once, until they expire anyway.
CREATE TABLE consumed_tokens (
    digest bytea PRIMARY KEY,
    expires_at timestamptz NOT NULL
);
CREATE INDEX consumed_tokens_age ON consumed_tokens (expires_at);

CREATE TABLE user_preferences (
    user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    preferences jsonb NOT NULL,
    rev integer NOT NULL DEFAULT 1
);

CREATE TABLE contact_methods (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    kind text NOT NULL,
    address text NOT NULL,
    provider_id uuid,
    code_hash bytea,
    code_expires_at timestamptz,
    wrong_tries smallint NOT NULL DEFAULT 0,
    confirmed_at timestamptz,
    disabled_at timestamptz,
    created_at timestamptz NOT NULL
);
CREATE INDEX contact_methods_user ON contact_methods (user_id);
CREATE INDEX contact_methods_provider ON contact_methods (provider_id) WHERE provider_id IS NOT NULL;

CREATE TABLE notification_rules (
    user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    rules jsonb NOT NULL,
    rev integer NOT NULL DEFAULT 1,
    offered jsonb
);

CREATE TABLE devices (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    name text NOT NULL,
    platform text NOT NULL DEFAULT '',
    generation integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    last_seen_at timestamptz,
    revoked_at timestamptz,
    rev integer NOT NULL DEFAULT 1
);
CREATE INDEX devices_user ON devices (user_id);

CREATE TABLE device_tokens (
    hash bytea PRIMARY KEY,
    device_id uuid NOT NULL REFERENCES devices ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('access', 'refresh', 'hand_off')),
    generation integer NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    rotated_at timestamptz
);
CREATE INDEX device_tokens_device ON device_tokens (device_id, generation);
CREATE INDEX device_tokens_age ON device_tokens (expires_at);

CREATE TABLE device_pairings (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
    selector text NOT NULL,
    code_hash bytea NOT NULL,
    wrong_tries smallint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    claimed_at timestamptz,
    device_id uuid REFERENCES devices ON DELETE SET NULL
);
CREATE INDEX device_pairings_selector ON device_pairings (selector) WHERE claimed_at IS NULL;
CREATE INDEX device_pairings_session ON device_pairings (session_id);
CREATE INDEX device_pairings_age ON device_pairings (expires_at);
"""

WORKSPACES = """
CREATE TABLE workspaces (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    slug text NOT NULL UNIQUE,
    timezone text NOT NULL DEFAULT 'UTC',
    settings jsonb NOT NULL DEFAULT '{}',
    default_route jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    rev integer NOT NULL DEFAULT 1,
    config_rev bigint NOT NULL DEFAULT 1,
    rule_order_rev integer NOT NULL DEFAULT 1,
    default_route_rev integer NOT NULL DEFAULT 1,
    wall_hash bytea,
    wall_created_at timestamptz
);
CREATE UNIQUE INDEX workspaces_wall ON workspaces (wall_hash) WHERE wall_hash IS NOT NULL;

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

CREATE TABLE invites (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    token_hash bytea NOT NULL UNIQUE,
    email text,
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
    created_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    accepted_at timestamptz,
    accepted_by uuid REFERENCES users ON DELETE SET NULL,
    deleted_at timestamptz
);
CREATE INDEX invites_workspace ON invites (workspace_id, id);

CREATE TABLE saved_views (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    user_id uuid REFERENCES users ON DELETE SET NULL,
    name text NOT NULL,
    list text NOT NULL CHECK (list IN ('incidents', 'events', 'deliveries', 'audit')),
    filters jsonb NOT NULL,
    shared boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    rev integer NOT NULL DEFAULT 1,
    columns jsonb,
    is_default boolean NOT NULL DEFAULT false,
    position integer NOT NULL DEFAULT 0,
    icon text
);
CREATE INDEX saved_views_workspace ON saved_views (workspace_id, id) WHERE deleted_at IS NULL;
CREATE INDEX saved_views_user ON saved_views (user_id);

CREATE TABLE export_runs (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    user_id uuid NOT NULL,
    started_at timestamptz NOT NULL,
    finished_at timestamptz
);

-- Which record an entry of another tool became, so that a second import creates nothing twice.
CREATE TABLE imported_records (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    reference text NOT NULL,
    record_type text NOT NULL,
    record_id uuid NOT NULL,
    PRIMARY KEY (workspace_id, reference)
);

-- Which records the files of an operator keep, and the document of each after its last application.
CREATE TABLE kept_records (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    record_type text NOT NULL,
    key text NOT NULL,
    record_id uuid NOT NULL UNIQUE,
    file text NOT NULL,
    applied jsonb NOT NULL,
    applied_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, record_type, key)
);

-- Imports of exported workspaces. A batch is stored with the position of the next record in the file.
CREATE TABLE workspace_imports (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    digest bytea NOT NULL UNIQUE,
    origin_id uuid NOT NULL,
    position bigint NOT NULL,
    section text NOT NULL,
    record bigint NOT NULL DEFAULT 0,
    -- The ids of the file that other records had, 16 bytes each.
    new_ids bytea NOT NULL,
    copies_events boolean NOT NULL,
    counts jsonb NOT NULL DEFAULT '{}',
    started_at timestamptz NOT NULL,
    finished_at timestamptz
);

-- Versions of rules and routing profiles, so that an earlier one can be restored.
CREATE TABLE configuration_versions (
    record_id uuid NOT NULL,
    rev integer NOT NULL,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    at timestamptz NOT NULL,
    actor jsonb NOT NULL,
    fields jsonb NOT NULL,
    PRIMARY KEY (record_id, rev)
);
CREATE INDEX configuration_versions_workspace ON configuration_versions (workspace_id);

-- Accounts of members at chat services, by which buttons in messages act for them. `verifier` names the key that
-- verified the account.
CREATE TABLE chat_accounts (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    service text NOT NULL,
    account_id text NOT NULL,
    name text NOT NULL,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz,
    verifier text NOT NULL DEFAULT ''
);
CREATE INDEX chat_accounts_user_id ON chat_accounts (user_id);
CREATE UNIQUE INDEX chat_accounts_account ON chat_accounts (workspace_id, service, account_id, verifier);
"""

SENDERS = """
CREATE TABLE sources (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text NOT NULL,
    kind text NOT NULL DEFAULT 'events',
    enabled boolean NOT NULL DEFAULT true,
    default_severity severity NOT NULL DEFAULT 'INFO',
    group_by text[] NOT NULL DEFAULT '{}',
    resolve_by text NOT NULL DEFAULT 'dedupKey' CHECK (resolve_by IN ('dedupKey', 'fingerprint')),
    resolve_when text NOT NULL DEFAULT 'all' CHECK (resolve_when IN ('all', 'any')),
    incident_for text NOT NULL DEFAULT 'group' CHECK (incident_for IN ('group', 'alert')),
    routing_profile_id uuid,
    allow_query_token boolean NOT NULL DEFAULT false,
    expect_every_seconds integer,
    recovery_pattern text,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    rev integer NOT NULL DEFAULT 1,
    recovery_preset text,
    mapping jsonb,
    allow_sender_acknowledge boolean NOT NULL DEFAULT false,
    keep_open_on_missing_data boolean NOT NULL DEFAULT false,
    built_in boolean NOT NULL DEFAULT false,
    UNIQUE (workspace_id, id)
);
-- The source of incidents that people open.
CREATE UNIQUE INDEX sources_built_in ON sources (workspace_id) WHERE built_in AND deleted_at IS NULL;

-- All credentials of a source. Only hashes are stored, except signing secrets: a check needs their text, so it is sealed.
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
    last_used_network text,
    last_used_agent text,
    kind text NOT NULL DEFAULT 'source_key'
        CHECK (kind IN ('source_key', 'alias_token', 'signing_secret', 'mail_address', 'ping_key')),
    tool text,
    sealed bytea,
    CONSTRAINT source_keys_tool_check CHECK ((kind = 'signing_secret') = (tool IS NOT NULL)),
    FOREIGN KEY (workspace_id, source_id) REFERENCES sources (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX source_keys_source ON source_keys (source_id);

-- The last payload that was refused or read in part, redacted and kept for a day.
CREATE TABLE source_samples (
    source_id uuid PRIMARY KEY REFERENCES sources ON DELETE CASCADE,
    tool text NOT NULL,
    received_at timestamptz NOT NULL,
    headers jsonb NOT NULL,
    body text NOT NULL,
    truncated boolean NOT NULL,
    detail text NOT NULL,
    faults jsonb NOT NULL
);

-- Changed fields of a source's events, counted per warning code with the latest example, and by the hour.
CREATE TABLE source_warnings (
    source_id uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    code text NOT NULL,
    count bigint NOT NULL,
    last_at timestamptz NOT NULL,
    pointer text NOT NULL,
    detail text NOT NULL,
    PRIMARY KEY (source_id, code)
);

CREATE TABLE source_warning_hours (
    source_id uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    hour timestamptz NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (source_id, hour)
);

-- Alerts that Prometheus repeats while they fire, with the time at which each ends without a repeat. Each repeat updates
-- a row: the free space keeps the new version on the same page.
CREATE TABLE pushed_alerts (
    source_id uuid NOT NULL REFERENCES sources ON DELETE CASCADE,
    dedup_key text NOT NULL,
    ends_at timestamptz NOT NULL,
    expired_at timestamptz,
    PRIMARY KEY (source_id, dedup_key)
) WITH (fillfactor = 70);
CREATE INDEX pushed_alerts_ends ON pushed_alerts (ends_at);
"""

HEARTBEATS = """
-- Each ping updates its monitor: the free space keeps the new version on the same page.
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
    methods text[] NOT NULL DEFAULT '{GET,HEAD,POST}',
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
    bar jsonb NOT NULL DEFAULT '[]',
    slug text
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX heartbeat_monitors_token ON heartbeat_monitors (token_hash);
CREATE UNIQUE INDEX heartbeat_monitors_badge ON heartbeat_monitors (badge_hash) WHERE badge_hash IS NOT NULL;
CREATE INDEX heartbeat_monitors_workspace ON heartbeat_monitors (workspace_id, id) WHERE deleted_at IS NULL;
CREATE INDEX heartbeat_monitors_source ON heartbeat_monitors (source_id) WHERE deleted_at IS NULL;
CREATE INDEX heartbeat_monitors_deleted ON heartbeat_monitors (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE UNIQUE INDEX heartbeat_monitors_slug ON heartbeat_monitors (source_id, slug) WHERE deleted_at IS NULL;

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

-- One row: when this instance could last receive pings. `reported_at` is by the clock of the database.
CREATE TABLE ping_availability (
    id smallint PRIMARY KEY CHECK (id = 1),
    alive_at timestamptz NOT NULL,
    reported_at timestamptz NOT NULL DEFAULT now()
);

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

EVENTS = """
-- Events as they arrived. The row is never updated, so that ingest and routing do not wait for each other.
CREATE TABLE received_events (
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
    group_fingerprint text,
    flags text[] NOT NULL DEFAULT '{}',
    warnings jsonb NOT NULL DEFAULT '[]',
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX events_source ON received_events (workspace_id, source_id, id);
CREATE INDEX events_severity ON received_events (workspace_id, severity, id);
CREATE INDEX events_occurred ON received_events (workspace_id, occurred_at, id);
CREATE INDEX events_title ON received_events (workspace_id, title, id);

-- Dispositions of events, written once by routing. Events with the same trace share one row of `routing_traces`.
CREATE TABLE routed_events (
    workspace_id uuid NOT NULL,
    event_id uuid NOT NULL,
    disposition text NOT NULL,
    incident_id uuid,
    trace json,
    trace_id uuid,
    PRIMARY KEY (workspace_id, event_id)
);
CREATE INDEX events_disposition ON routed_events (workspace_id, disposition, event_id);
CREATE INDEX events_incident ON routed_events (incident_id, event_id) WHERE incident_id IS NOT NULL;

CREATE TABLE routing_traces (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    source_id uuid NOT NULL,
    record json NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

-- Identities by which a repeated event is found within its window.
CREATE TABLE event_dedup (
    source_id uuid NOT NULL,
    kind text NOT NULL,
    digest bytea NOT NULL,
    event_id uuid NOT NULL,
    content_digest bytea,
    severity_rank smallint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (source_id, kind, digest)
);
CREATE INDEX event_dedup_age ON event_dedup USING brin (created_at);

-- The newest times that senders gave for their alerts: a report that is older than what is known changes nothing.
CREATE TABLE alert_times (
    source_id uuid NOT NULL,
    name text NOT NULL,
    alarm_at timestamptz,
    ended_at timestamptz,
    end_received_at timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (source_id, name)
);
CREATE INDEX alert_times_age ON alert_times USING brin (updated_at);

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

CREATE TABLE event_queue (
    shard smallint NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    workspace_id uuid NOT NULL,
    event_id uuid NOT NULL,
    attempts smallint NOT NULL DEFAULT 0,
    quarantined_at timestamptz,
    repeated_at timestamptz,
    fingerprint_hash integer NOT NULL DEFAULT 0,
    may_overtake boolean NOT NULL DEFAULT false,
    PRIMARY KEY (shard, seq)
);
CREATE INDEX event_queue_overtaking ON event_queue (shard, seq) WHERE may_overtake;
-- An event is queued once, whatever a router repeats. Each report of its sender that repeats it is queued as well.
CREATE UNIQUE INDEX event_queue_event ON event_queue (workspace_id, event_id) WHERE repeated_at IS NULL;
"""

EVENT_COLUMNS = (
    "e.source_id, e.received_at, e.occurred_at, e.severity, e.action, e.title, e.type, e.resource, e.dedup_key, e.body,"
    " e.tags, e.url, e.external_id, e.idempotency_key, e.metadata, e.fingerprint, e.group_fingerprint, e.flags,"
    " e.warnings"
)

EVENT_VIEWS = """
CREATE VIEW events AS
SELECT e.*, coalesce(r.disposition, 'pending') AS disposition, r.disposition AS routed_as, r.incident_id,
    coalesce(r.trace, s.record) AS routing
FROM received_events e LEFT JOIN routed_events r ON r.workspace_id = e.workspace_id AND r.event_id = e.id
LEFT JOIN routing_traces s ON s.workspace_id = r.workspace_id AND s.id = r.trace_id;
COMMENT ON COLUMN events.routed_as IS
    'The stored disposition, NULL while the event is pending. Conditions on it can use the index events_disposition.';

-- The same events, found by their disposition and by their place in the queue. OFFSET 0 keeps the planner from beginning
-- with the events: where routed or queued ones are old, it would walk through all newer ones.
CREATE VIEW routed_events_view AS
SELECT r.workspace_id, r.event_id AS id, {columns}, r.disposition, r.disposition AS routed_as, r.incident_id,
    coalesce(r.trace, s.record) AS routing
FROM routed_events r CROSS JOIN LATERAL (
    SELECT * FROM received_events e WHERE e.workspace_id = r.workspace_id AND e.id = r.event_id OFFSET 0) e
LEFT JOIN routing_traces s ON s.workspace_id = r.workspace_id AND s.id = r.trace_id
WHERE r.disposition <> 'pending';
COMMENT ON COLUMN routed_events_view.routed_as IS 'As in the view events; here the same as disposition.';

CREATE VIEW pending_events_view AS
SELECT q.workspace_id, q.event_id AS id, {columns}, 'pending' AS disposition, r.disposition AS routed_as, r.incident_id,
    r.trace AS routing
FROM event_queue q CROSS JOIN LATERAL (
    SELECT * FROM received_events e WHERE e.workspace_id = q.workspace_id AND e.id = q.event_id OFFSET 0) e
LEFT JOIN routed_events r ON r.workspace_id = q.workspace_id AND r.event_id = q.event_id
WHERE q.repeated_at IS NULL;
COMMENT ON COLUMN pending_events_view.routed_as IS 'As in the view events; NULL for most pending events.';
"""

INCIDENTS = """
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
    state_before_silence text,
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
    destination_ids uuid[] NOT NULL DEFAULT '{}',
    people jsonb NOT NULL DEFAULT '[]',
    state_change_times timestamptz[] NOT NULL DEFAULT '{}',
    steps_taken integer NOT NULL DEFAULT 0,
    renotify_count integer NOT NULL DEFAULT 0,
    notified_at timestamptz,
    steps_start_at timestamptz,
    last_entry_at timestamptz,
    notified_severity severity,
    -- The number of the last due step, its time and the time of the first step, in minutes after the delay.
    last_step integer[],
    title_edited boolean NOT NULL DEFAULT false,
    alert_count integer NOT NULL DEFAULT 0,
    firing_count integer NOT NULL DEFAULT 0,
    -- An alert of an earlier round has ended: an event reopened the incident since.
    alert_round integer NOT NULL DEFAULT 0,
    alerts_left_out bigint NOT NULL DEFAULT 0,
    -- The alerts that wait for a notice, and the time of the last notice about such alerts.
    joined_count integer NOT NULL DEFAULT 0,
    joined_titles text[] NOT NULL DEFAULT '{}',
    joined_at timestamptz,
    UNIQUE (workspace_id, number),
    FOREIGN KEY (workspace_id, source_id) REFERENCES sources (workspace_id, id)
);
-- Two routers cannot open the same incident twice.
CREATE UNIQUE INDEX incidents_one_unresolved ON incidents (source_id, fingerprint) WHERE state <> 'resolved';
CREATE INDEX incidents_fingerprint ON incidents (source_id, fingerprint, resolved_at);
CREATE INDEX incidents_last_seen ON incidents (workspace_id, last_seen_at DESC, id DESC);
CREATE INDEX incidents_silenced ON incidents (silenced_by) WHERE silenced_by IS NOT NULL;
CREATE INDEX incidents_dedup_key ON incidents (source_id, dedup_key)
    WHERE state <> 'resolved' AND dedup_key IS NOT NULL;
CREATE INDEX incidents_severity ON incidents (workspace_id, severity, last_seen_at, id);
CREATE INDEX incidents_source ON incidents (workspace_id, source_id, last_seen_at, id);
CREATE INDEX incidents_resource ON incidents (workspace_id, resource, last_seen_at, id) WHERE resource IS NOT NULL;
CREATE INDEX incidents_assignee ON incidents (workspace_id, assignee_id, last_seen_at, id)
    WHERE assignee_id IS NOT NULL;
CREATE INDEX incidents_flapping ON incidents (workspace_id, last_seen_at, id) WHERE flapping;
-- Of the incidents that began before a period, only those that lived for long may have been seen in it.
CREATE INDEX incidents_long ON incidents (workspace_id, last_seen_at, first_seen_at)
    WHERE last_seen_at - first_seen_at > interval '1 day';
-- The included columns answer the filters of the lists without a visit to each incident.
CREATE INDEX incidents_title ON incidents (workspace_id, title, id) INCLUDE (state, severity, source_id);
CREATE INDEX incidents_first_seen ON incidents (workspace_id, first_seen_at, id) INCLUDE (state, severity, source_id);
CREATE INDEX incidents_state ON incidents (workspace_id, state, last_seen_at, id)
    INCLUDE (title, first_seen_at, number, severity, source_id);
CREATE INDEX incidents_opened ON incidents (workspace_id, opened_at, id) INCLUDE (state, severity, source_id);
CREATE INDEX incidents_event_count ON incidents (workspace_id, event_count, id) INCLUDE (state, severity, source_id);
CREATE INDEX incidents_resolved ON incidents (workspace_id, resolved_at, id) INCLUDE (severity, source_id)
    WHERE state = 'resolved';

CREATE TABLE incident_counters (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    incidents bigint NOT NULL DEFAULT 0
);

-- The text by which an incident is found. It is apart, because an update of an incident would rewrite its trigrams.
CREATE TABLE incident_search (
    incident_id uuid PRIMARY KEY REFERENCES incidents ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    workspace_id uuid NOT NULL,
    number bigint NOT NULL,
    text text NOT NULL,
    tags text[] NOT NULL DEFAULT '{}',
    title_key text
);
CREATE INDEX incident_search_text ON incident_search USING gin (text gin_trgm_ops);
CREATE INDEX incident_search_tags ON incident_search USING gin (tags);
CREATE INDEX incident_search_number ON incident_search (number);
CREATE INDEX incident_search_title ON incident_search (workspace_id, title_key, incident_id DESC);

CREATE TABLE alerts (
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    source_id uuid NOT NULL,
    incident_id uuid NOT NULL REFERENCES incidents ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    key text NOT NULL,
    title text NOT NULL,
    severity severity NOT NULL,
    state text NOT NULL CHECK (state IN ('firing', 'ended')),
    round integer NOT NULL,
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    event_count bigint NOT NULL,
    repeat_count bigint NOT NULL DEFAULT 0,
    began_at timestamptz,
    -- The text by which the alert is found, where the search row of its incident lacks it.
    search_text text,
    PRIMARY KEY (incident_id, id)
) WITH (fillfactor = 80);
-- A recovery finds the newest incidents with an alert of its key.
CREATE UNIQUE INDEX alerts_key ON alerts (source_id, key, incident_id);
CREATE INDEX alerts_search_text ON alerts USING gin (search_text gin_trgm_ops) WHERE search_text IS NOT NULL;

CREATE TABLE timeline (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    incident_id uuid NOT NULL REFERENCES incidents ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    at timestamptz NOT NULL,
    kind text NOT NULL,
    actor jsonb NOT NULL,
    event_id uuid,
    details jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX timeline_incident ON timeline (incident_id, id);

CREATE TABLE undo_tokens (
    id uuid NOT NULL,
    incident_id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    act text NOT NULL,
    changed jsonb NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    PRIMARY KEY (id, incident_id)
);
CREATE INDEX undo_tokens_age ON undo_tokens (expires_at);
CREATE INDEX undo_tokens_user ON undo_tokens (user_id);

-- Due times, which workers claim. `resume_after` is the progress of work that takes several transactions.
CREATE TABLE timers (
    kind text NOT NULL,
    subject_id uuid NOT NULL,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    due_at timestamptz NOT NULL,
    resume_after uuid,
    PRIMARY KEY (kind, subject_id)
);
CREATE INDEX timers_due ON timers (due_at);
"""

ROUTING = """
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
    actions jsonb NOT NULL,
    continue_matching boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    rev integer NOT NULL DEFAULT 1,
    UNIQUE (workspace_id, id)
);
CREATE INDEX rules_in_order ON rules (workspace_id, position) WHERE deleted_at IS NULL;

CREATE TABLE open_after_counters (
    workspace_id uuid NOT NULL,
    rule_id uuid NOT NULL,
    fingerprint text NOT NULL,
    seen_at timestamptz[] NOT NULL,
    last_at timestamptz NOT NULL,
    event_ids uuid[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (rule_id, fingerprint),
    FOREIGN KEY (workspace_id, rule_id) REFERENCES rules (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX open_after_counters_age ON open_after_counters (last_at);
CREATE INDEX open_after_counters_fingerprint ON open_after_counters (fingerprint);

-- Matches of a rule by the hour. Each partition counts for itself, so that routers do not wait for each other.
CREATE TABLE rule_matches (
    workspace_id uuid NOT NULL,
    rule_id uuid NOT NULL,
    hour timestamptz NOT NULL,
    events bigint NOT NULL,
    last_at timestamptz NOT NULL,
    partition smallint NOT NULL DEFAULT 0,
    PRIMARY KEY (rule_id, hour, partition),
    FOREIGN KEY (workspace_id, rule_id) REFERENCES rules (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX rule_matches_age ON rule_matches (hour);

-- How often a rule or silence cost too much for an event, by the hour. It has no foreign key, since a match is of either table.
CREATE TABLE costly_matches (
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    match_id uuid NOT NULL,
    hour timestamptz NOT NULL,
    partition smallint NOT NULL,
    events bigint NOT NULL,
    last_at timestamptz NOT NULL,
    PRIMARY KEY (match_id, hour, partition)
);
CREATE INDEX costly_matches_age ON costly_matches (hour);
CREATE INDEX costly_matches_workspace ON costly_matches (workspace_id);

-- Previews of rules over many events: the request, the progress and the result, for a day.
CREATE TABLE rule_previews (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    request jsonb NOT NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'done', 'failed', 'cancelled')),
    attempt smallint NOT NULL DEFAULT 0,
    lease_until timestamptz,
    events bigint NOT NULL DEFAULT 0,
    total bigint,
    result jsonb,
    error text
);
CREATE INDEX rule_previews_waiting ON rule_previews (id) WHERE status IN ('pending', 'running');
CREATE INDEX rule_previews_workspace ON rule_previews (workspace_id);
CREATE INDEX rule_previews_age ON rule_previews (expires_at);

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
"""

ONCALL = """
-- Layers are JSON in the shape of the API; their earlier versions are in configuration_versions.
CREATE TABLE oncall_schedules (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text NOT NULL,
    description text NOT NULL DEFAULT '',
    timezone text NOT NULL,
    layers jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    logged_until timestamptz,
    zone_digest text,
    notice_destination_id uuid,
    follows_calendar boolean NOT NULL DEFAULT false,
    known_problems jsonb NOT NULL DEFAULT '[]',
    rev integer NOT NULL DEFAULT 1,
    UNIQUE (workspace_id, id)
);
CREATE INDEX oncall_schedules_workspace ON oncall_schedules (workspace_id, name) WHERE deleted_at IS NULL;

CREATE TABLE oncall_overrides (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    schedule_id uuid NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    kind text NOT NULL CHECK (kind IN ('replace', 'add', 'remove')),
    user_ids uuid[] NOT NULL DEFAULT '{}',
    instead_of uuid,
    layer_ids uuid[] NOT NULL DEFAULT '{}',
    reason text NOT NULL DEFAULT '',
    created_by uuid,
    created_at timestamptz NOT NULL,
    rev integer NOT NULL DEFAULT 1,
    FOREIGN KEY (workspace_id, schedule_id) REFERENCES oncall_schedules (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX oncall_overrides_schedule ON oncall_overrides (schedule_id, ends_at);

-- The external calendar of a schedule. Its address is sealed; read_at is the time of the last good copy.
CREATE TABLE oncall_calendars (
    schedule_id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    sealed bytea NOT NULL,
    hint text NOT NULL,
    etag text NOT NULL DEFAULT '',
    members_digest bytea NOT NULL DEFAULT '',
    whole_at timestamptz,
    read_at timestamptz,
    failing_since timestamptz,
    failure text,
    failures integer NOT NULL DEFAULT 0,
    unmatched jsonb NOT NULL DEFAULT '[]',
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL,
    FOREIGN KEY (workspace_id, schedule_id) REFERENCES oncall_schedules (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX oncall_calendars_due ON oncall_calendars (due_at);

-- The user group and the topic of Slack that follow a schedule. Without due_at they show the present state.
CREATE TABLE oncall_slack (
    schedule_id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    destination_id uuid NOT NULL,
    user_group_id text,
    sets_topic boolean NOT NULL,
    failing_since timestamptz,
    failure text,
    failures integer NOT NULL DEFAULT 0,
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz,
    FOREIGN KEY (workspace_id, schedule_id) REFERENCES oncall_schedules (workspace_id, id) ON DELETE CASCADE
);
CREATE INDEX oncall_slack_due ON oncall_slack (due_at) WHERE due_at IS NOT NULL;

-- The shifts of external calendars. Those of a schedule never overlap.
CREATE TABLE oncall_calendar_shifts (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    schedule_id uuid NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    user_ids uuid[] NOT NULL,
    UNIQUE (schedule_id, starts_at),
    FOREIGN KEY (workspace_id, schedule_id) REFERENCES oncall_schedules (workspace_id, id) ON DELETE CASCADE
);

-- The person of to_user_id is on call in place of the other one in all schedules.
CREATE TABLE oncall_forwardings (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    user_id uuid NOT NULL,
    to_user_id uuid NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    reason text NOT NULL DEFAULT '',
    created_by uuid,
    created_at timestamptz NOT NULL
);
CREATE INDEX oncall_forwardings_workspace ON oncall_forwardings (workspace_id, ends_at);

-- Who really was on call. A row without an end lasts.
CREATE TABLE oncall_log (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    schedule_id uuid NOT NULL,
    user_id uuid NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz,
    FOREIGN KEY (workspace_id, schedule_id) REFERENCES oncall_schedules (workspace_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX oncall_log_present ON oncall_log (schedule_id, user_id) WHERE ends_at IS NULL;
CREATE INDEX oncall_log_schedule ON oncall_log (schedule_id, starts_at);
CREATE INDEX oncall_log_workspace ON oncall_log (workspace_id, ends_at);

-- A person was told this long before the start of a shift.
CREATE TABLE oncall_shift_notices (
    workspace_id uuid NOT NULL,
    schedule_id uuid NOT NULL,
    user_id uuid NOT NULL,
    starts_at timestamptz NOT NULL,
    lead_minutes integer NOT NULL,
    PRIMARY KEY (schedule_id, user_id, starts_at, lead_minutes),
    FOREIGN KEY (workspace_id, schedule_id) REFERENCES oncall_schedules (workspace_id, id) ON DELETE CASCADE
);

-- A secret address by which calendars read shifts. Only its hash is stored. It ends with the membership.
CREATE TABLE oncall_feeds (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    schedule_id uuid,
    token_hash bytea NOT NULL UNIQUE,
    token_hint text NOT NULL,
    events jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    last_used_at timestamptz,
    FOREIGN KEY (workspace_id, user_id) REFERENCES members (workspace_id, user_id) ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, schedule_id) REFERENCES oncall_schedules (workspace_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX oncall_feeds_person ON oncall_feeds (workspace_id, user_id) WHERE schedule_id IS NULL;
CREATE UNIQUE INDEX oncall_feeds_schedule ON oncall_feeds (schedule_id, user_id);
"""

DELIVERIES = """
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
    rejections_in_a_row integer NOT NULL DEFAULT 0,
    generation integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    rev integer NOT NULL DEFAULT 1,
    send_notes boolean NOT NULL DEFAULT true,
    device_id uuid REFERENCES devices ON DELETE CASCADE,
    alerts text NOT NULL DEFAULT 'all' CHECK (alerts IN ('all', 'on_call')),
    owner_id uuid REFERENCES users ON DELETE CASCADE,
    method text,
    next_call_at timestamptz,
    digest jsonb,
    template jsonb,
    include_details boolean NOT NULL DEFAULT true,
    summarised_at timestamptz,
    for_contact_methods boolean NOT NULL DEFAULT false,
    provider_id uuid REFERENCES destinations ON DELETE CASCADE,
    UNIQUE (workspace_id, id)
);
ALTER TABLE contact_methods ADD FOREIGN KEY (provider_id) REFERENCES destinations ON DELETE CASCADE;
CREATE INDEX destinations_provider ON destinations (provider_id) WHERE provider_id IS NOT NULL;

-- The calls and text messages to a person on a day in UTC. `told_at` is when administrators were told of a limit.
CREATE TABLE paid_messages (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    channel text NOT NULL CHECK (channel IN ('sms', 'call')),
    day date NOT NULL,
    count integer NOT NULL DEFAULT 0,
    last_at timestamptz,
    told_at timestamptz,
    PRIMARY KEY (workspace_id, user_id, channel, day)
);
CREATE INDEX paid_messages_user ON paid_messages (user_id, channel, last_at);
-- A phone is one destination in each of its workspaces.
CREATE UNIQUE INDEX destinations_device ON destinations (device_id, workspace_id)
    WHERE device_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX destinations_phones ON destinations (workspace_id) WHERE device_id IS NOT NULL AND deleted_at IS NULL;

-- A further contact of a person is one destination in each workspace that paged it.
CREATE UNIQUE INDEX destinations_owner ON destinations (workspace_id, owner_id, method)
    WHERE owner_id IS NOT NULL AND deleted_at IS NULL;

-- The message of an incident at a destination that can be edited there.
CREATE TABLE destination_messages (
    destination_id uuid NOT NULL REFERENCES destinations ON DELETE CASCADE,
    incident_id uuid NOT NULL REFERENCES incidents ON DELETE CASCADE,
    reference jsonb NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (destination_id, incident_id)
);
CREATE INDEX destination_messages_incident ON destination_messages (incident_id);

-- A check of a foreign key is planned while the new table looks empty. A key of the id alone leaves it no other index than
-- the primary key of incidents. The table timeline does the same.
CREATE TABLE notices (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    incident_id uuid REFERENCES incidents ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    event_id uuid,
    newest_event_id uuid,
    seq integer NOT NULL DEFAULT 0,
    reason text NOT NULL,
    created_at timestamptz NOT NULL,
    body text NOT NULL,
    decisions jsonb NOT NULL DEFAULT '[]',
    UNIQUE (workspace_id, id),
    UNIQUE (incident_id, seq)
);
-- Only notices of events without an incident are found by their event.
CREATE INDEX notices_event ON notices (event_id) WHERE incident_id IS NULL;

-- Whom a step paged, as resolved when it was due. A row without a person says why nobody was paged.
CREATE TABLE pages (
    id uuid PRIMARY KEY,
    incident_id uuid NOT NULL REFERENCES incidents ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    notice_id uuid NOT NULL,
    opened_at timestamptz NOT NULL,
    step smallint NOT NULL,
    round smallint NOT NULL,
    schedule_id uuid,
    user_id uuid,
    cause text CHECK (cause IN ('nobody_on_call', 'unreachable')),
    destination_ids uuid[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL
);
CREATE INDEX pages_incident ON pages (incident_id, id);
CREATE INDEX pages_person ON pages (user_id, created_at) WHERE cause IS NULL;

CREATE TABLE deliveries (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    notice_id uuid NOT NULL,
    incident_id uuid,
    destination_id uuid NOT NULL,
    seq integer NOT NULL DEFAULT 0,
    reason text NOT NULL,
    status text NOT NULL
        CHECK (status IN ('pending', 'sending', 'retrying', 'held', 'sent', 'failed', 'skipped', 'expired', 'gathered')),
    attempt integer NOT NULL DEFAULT 0,
    due_at timestamptz,
    lease_until timestamptz,
    cause text,
    replay_of uuid,
    created_at timestamptz NOT NULL,
    settled_at timestamptz,
    digest_id uuid,
    urgency smallint NOT NULL DEFAULT 0,
    FOREIGN KEY (workspace_id, notice_id) REFERENCES notices (workspace_id, id) ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, destination_id) REFERENCES destinations (workspace_id, id) ON DELETE CASCADE
);
-- A notice reaches a destination once. Replays are the exception that a person asks for.
CREATE UNIQUE INDEX deliveries_once ON deliveries (notice_id, destination_id) WHERE replay_of IS NULL;
CREATE INDEX deliveries_waiting ON deliveries (destination_id, due_at)
    WHERE status IN ('pending', 'sending', 'retrying', 'held');
CREATE INDEX deliveries_urgent ON deliveries (destination_id, urgency, due_at)
    WHERE status IN ('pending', 'sending', 'retrying', 'held');
CREATE INDEX deliveries_in_order ON deliveries (destination_id, incident_id, seq)
    WHERE status IN ('pending', 'sending', 'retrying', 'held');
CREATE INDEX deliveries_in_flight ON deliveries (destination_id, due_at) WHERE status = 'sending';
CREATE INDEX deliveries_replayed ON deliveries (replay_of) WHERE replay_of IS NOT NULL;
CREATE INDEX deliveries_destination ON deliveries (destination_id, id);
CREATE INDEX deliveries_incident ON deliveries (incident_id, id);
CREATE INDEX deliveries_settled ON deliveries (destination_id, settled_at DESC) WHERE status IN ('sent', 'failed');
CREATE INDEX deliveries_workspace ON deliveries (workspace_id, id);
CREATE INDEX deliveries_notice ON deliveries (notice_id);
CREATE INDEX deliveries_quiet ON deliveries (destination_id, incident_id)
    WHERE status = 'held' AND cause = 'quiet_hours';
CREATE INDEX deliveries_gathering ON deliveries (destination_id, due_at) WHERE status = 'held' AND cause = 'digest';
CREATE INDEX deliveries_gathered ON deliveries (digest_id, id) WHERE digest_id IS NOT NULL;

CREATE TABLE delivery_attempts (
    delivery_id uuid NOT NULL REFERENCES deliveries ON DELETE CASCADE,
    number integer NOT NULL,
    at timestamptz NOT NULL,
    status_code integer,
    duration_ms integer,
    error text,
    excerpt text,
    requests text,
    note text,
    PRIMARY KEY (delivery_id, number)
);

-- The key pair that signs the calls of push services.
CREATE TABLE push_keys (
    id uuid PRIMARY KEY,
    public_key text NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE TABLE mail_outbox (
    id uuid PRIMARY KEY,
    address text NOT NULL,
    template text NOT NULL,
    sealed bytea,
    created_at timestamptz NOT NULL,
    due_at timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    failure text,
    sent_at timestamptz,
    failed_at timestamptz
);
CREATE INDEX mail_outbox_due ON mail_outbox (due_at) WHERE due_at IS NOT NULL;
"""

INSTANCE = """
-- References to changed records. The hub of each web process reads those that Redis lost.
CREATE TABLE change_feed (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    refs jsonb NOT NULL
);

-- One sealed row by which a start finds out whether its keys belong to this database.
CREATE TABLE key_checks (
    id uuid PRIMARY KEY CHECK (id = '00000000-0000-0000-0000-000000000001'),
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL
);
"""

AUDIT_LOG = """
CREATE TABLE audit_log (
    id uuid PRIMARY KEY,
    at timestamptz NOT NULL,
    workspace_id uuid,
    actor jsonb NOT NULL,
    action text NOT NULL,
    target jsonb NOT NULL,
    ip text NOT NULL DEFAULT '',
    request_id text NOT NULL DEFAULT '',
    details jsonb NOT NULL DEFAULT '{}',
    user_id uuid
);
CREATE INDEX audit_log_workspace ON audit_log (workspace_id, id);
-- The times grow with the place in the file, so a small BRIN index is enough for the purge.
CREATE INDEX audit_log_age ON audit_log USING brin (at);
CREATE INDEX audit_log_user ON audit_log (user_id, id) WHERE workspace_id IS NULL AND user_id IS NOT NULL;
CREATE INDEX audit_log_instance ON audit_log (id) WHERE workspace_id IS NULL;
CREATE INDEX audit_log_instance_action ON audit_log (action, id) WHERE workspace_id IS NULL;
CREATE INDEX audit_log_instance_actor ON audit_log (jsonb_extract_path_text(actor, 'id'), id)
    WHERE workspace_id IS NULL;

-- Entries are only added. The purge sets `inbox.purging` within its transaction.
CREATE FUNCTION audit_log_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('inbox.purging', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the audit log only grows' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_log_only_grows BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION audit_log_only_grows();
CREATE TRIGGER audit_log_is_not_truncated BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_only_grows();
"""

# The role of the services has no right to delete entries. These functions run with the rights of the owner of the tables,
# and keep every entry that is younger than a day.
AUDIT_LOG_PURGE = """
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
"""

# A sequence keeps its value when the transaction rolls back. So the starts of a partition's batches are counted even where the
# process dies within it.
PARTITIONS = range(16)
ROUTING_ATTEMPTS = "CREATE SEQUENCE routing_tries_{partition} MINVALUE 0 START 0"

# The sample must also contain rare tags: otherwise a page of one may be looked for among all incidents.
STATISTICS = "ALTER TABLE incident_search ALTER COLUMN tags SET STATISTICS 1000"

# The usual threshold of an analysis is a tenth of the table. In a large table the planner would not know a new workspace
# of 20,000 events.
LARGE_TABLES = (
    "received_events",
    "routed_events",
    "incidents",
    "incident_search",
    "timeline",
    "alerts",
    "notices",
    "deliveries",
    "delivery_attempts",
    "audit_log",
)
ANALYZE_OFTEN = "ALTER TABLE {table} SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000)"


def up(migrator, db):
    (schema,) = db.execute_sql("SELECT quote_ident(current_schema())").fetchone()
    for tables in (TYPES, PEOPLE, WORKSPACES, SENDERS, HEARTBEATS, EVENTS):
        db.execute_sql(tables)
    db.execute_sql(EVENT_VIEWS.replace("{columns}", EVENT_COLUMNS))
    for tables in (INCIDENTS, ROUTING, ONCALL, DELIVERIES, INSTANCE, AUDIT_LOG):
        db.execute_sql(tables)
    db.execute_sql(AUDIT_LOG_PURGE.replace("{schema}", schema))
    for partition in PARTITIONS:
        db.execute_sql(ROUTING_ATTEMPTS.format(partition=partition))
    db.execute_sql(STATISTICS)
    for table in LARGE_TABLES:
        db.execute_sql(ANALYZE_OFTEN.format(table=table))


def down(migrator, db):
    raise RuntimeError("the first tables are never dropped; restore a backup instead")
