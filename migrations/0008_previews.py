"""Previews of rules over many events: what was asked, how far it is, what came of it; for a day."""

PREVIEWS = """
CREATE TABLE rule_previews (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    question jsonb NOT NULL,
    status text NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'running', 'done', 'failed', 'cancelled')),
    attempt smallint NOT NULL DEFAULT 0,
    lease_until timestamptz,
    events bigint NOT NULL DEFAULT 0,
    total bigint,
    result jsonb,
    fault text
);
CREATE INDEX rule_previews_waiting ON rule_previews (id) WHERE status IN ('pending', 'running');
CREATE INDEX rule_previews_workspace ON rule_previews (workspace_id);
CREATE INDEX rule_previews_age ON rule_previews (expires_at);
"""


def up(migrator, db):
    db.execute_sql(PREVIEWS)


def down(migrator, db):
    raise RuntimeError("previews are never taken away by a migration; restore a backup instead")
