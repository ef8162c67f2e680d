"""Acts that can be undone, saved views, the search of incidents, and the indexes of the lists."""

TABLES = """
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TABLE undos (
    id uuid NOT NULL,
    incident_id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    act text NOT NULL,
    changed jsonb NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (id, incident_id)
);
CREATE INDEX undos_age ON undos (expires_at);
CREATE INDEX undos_user ON undos (user_id);

CREATE TABLE saved_views (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    user_id uuid REFERENCES users ON DELETE SET NULL,
    name text NOT NULL,
    list text NOT NULL CHECK (list IN ('incidents', 'events')),
    filters jsonb NOT NULL,
    shared boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    rev integer NOT NULL DEFAULT 1
);
CREATE INDEX saved_views_workspace ON saved_views (workspace_id, id) WHERE deleted_at IS NULL;
CREATE INDEX saved_views_user ON saved_views (user_id);

CREATE TABLE incident_words (
    incident_id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    number bigint NOT NULL,
    text text NOT NULL,
    tags text[] NOT NULL DEFAULT '{}',
    title_key text
);
INSERT INTO incident_words (incident_id, workspace_id, number, text, tags)
    SELECT id, workspace_id, number, concat_ws(chr(1), title, resource, dedup_key), tags FROM incidents;
CREATE INDEX incident_words_text ON incident_words USING gin (text gin_trgm_ops);
CREATE INDEX incident_words_tags ON incident_words USING gin (tags);
CREATE INDEX incident_words_number ON incident_words (number);
CREATE INDEX incident_words_title ON incident_words (workspace_id, title_key, incident_id DESC);
ALTER TABLE incident_words ADD FOREIGN KEY (workspace_id, incident_id) REFERENCES incidents (workspace_id, id)
    ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
"""

INDEXES = """
CREATE INDEX incidents_first_seen ON incidents (workspace_id, first_seen_at, id);
CREATE INDEX incidents_title ON incidents (workspace_id, title, id);
CREATE INDEX incidents_severity ON incidents (workspace_id, severity, last_seen_at, id);
CREATE INDEX incidents_source ON incidents (workspace_id, source_id, last_seen_at, id);
CREATE INDEX incidents_resource ON incidents (workspace_id, resource, last_seen_at, id) WHERE resource IS NOT NULL;
CREATE INDEX incidents_assignee ON incidents (workspace_id, assignee_id, last_seen_at, id) WHERE assignee_id IS NOT NULL;
CREATE INDEX incidents_flapping ON incidents (workspace_id, last_seen_at, id) WHERE flapping;
CREATE INDEX incidents_state ON incidents (workspace_id, state, last_seen_at, id);
DROP INDEX incidents_unresolved;

CREATE INDEX events_severity ON events (workspace_id, severity, id);
CREATE INDEX events_disposition ON events (workspace_id, disposition, id);
CREATE INDEX events_occurred ON events (workspace_id, occurred_at, id);
CREATE INDEX events_title ON events (workspace_id, title, id);
"""


def up(migrator, db):
    db.execute_sql(TABLES)
    db.execute_sql(INDEXES)


def down(migrator, db):
    raise RuntimeError("what people saved is never taken away; restore a backup instead")
