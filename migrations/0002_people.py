"""People and workspaces: second factors, links, invitations, devices, mails, the audit log, exports."""

TABLES = """
ALTER TABLE users
    ADD COLUMN email_verified_at timestamptz,
    ADD COLUMN deleted_at timestamptz;

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

CREATE TABLE spent_tickets (
    digest bytea PRIMARY KEY,
    expires_at timestamptz NOT NULL
);
CREATE INDEX spent_tickets_age ON spent_tickets (expires_at);

CREATE TABLE links (
    id uuid PRIMARY KEY,
    purpose text NOT NULL CHECK (purpose IN ('password_reset', 'email_change', 'verify_email')),
    token_hash bytea NOT NULL UNIQUE,
    user_id uuid REFERENCES users ON DELETE CASCADE,
    payload jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    CHECK ((user_id IS NULL) <= (purpose = 'verify_email'))
);
CREATE INDEX links_user ON links (user_id, purpose);
CREATE INDEX links_sign_up ON links ((payload->>'emailKey')) WHERE user_id IS NULL AND used_at IS NULL;
CREATE INDEX links_age ON links (expires_at);

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
    kind text NOT NULL CHECK (kind IN ('access', 'refresh')),
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

CREATE TABLE mails (
    id uuid PRIMARY KEY,
    address text NOT NULL,
    template text NOT NULL,
    sealed bytea,
    created_at timestamptz NOT NULL,
    due_at timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    trouble text,
    sent_at timestamptz,
    failed_at timestamptz
);
CREATE INDEX mails_due ON mails (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE export_runs (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    user_id uuid NOT NULL,
    started_at timestamptz NOT NULL,
    finished_at timestamptz
);

CREATE TABLE audit_log (
    id uuid PRIMARY KEY,
    at timestamptz NOT NULL,
    workspace_id uuid,
    actor jsonb NOT NULL,
    action text NOT NULL,
    target jsonb NOT NULL,
    ip text NOT NULL DEFAULT '',
    request_id text NOT NULL DEFAULT '',
    details jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_log_workspace ON audit_log (workspace_id, id);
CREATE INDEX audit_log_age ON audit_log USING brin (at);

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
"""


def up(migrator, db):
    db.execute_sql(TABLES)


def down(migrator, db):
    raise RuntimeError("the tables of people are never taken away; restore a backup instead")
