"""What became of events is explained once for all that are alike: the record stands by itself, and its id in their rows."""

TABLES = """
CREATE TABLE routing_records (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    source_id uuid NOT NULL,
    record json NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

ALTER TABLE routed_events ALTER COLUMN routing DROP NOT NULL, ADD COLUMN record_id uuid;
"""

COLUMNS = (
    "e.source_id, e.received_at, e.occurred_at, e.severity, e.action, e.title, e.type, e.resource, e.dedup_key, e.body,"
    " e.tags, e.url, e.external_id, e.idempotency_key, e.metadata, e.fingerprint, e.flags, e.warnings"
)

VIEWS = """
CREATE OR REPLACE VIEW events AS
SELECT e.*, coalesce(r.disposition, 'pending') AS disposition, r.disposition AS routed_as, r.incident_id,
    coalesce(r.routing, s.record) AS routing
FROM received_events e LEFT JOIN routed_events r ON r.workspace_id = e.workspace_id AND r.event_id = e.id
LEFT JOIN routing_records s ON s.workspace_id = r.workspace_id AND s.id = r.record_id;

CREATE OR REPLACE VIEW settled_events AS
SELECT r.workspace_id, r.event_id AS id, {columns}, r.disposition, r.disposition AS routed_as, r.incident_id,
    coalesce(r.routing, s.record) AS routing
FROM routed_events r CROSS JOIN LATERAL (
    SELECT * FROM received_events e WHERE e.workspace_id = r.workspace_id AND e.id = r.event_id OFFSET 0) e
LEFT JOIN routing_records s ON s.workspace_id = r.workspace_id AND s.id = r.record_id
WHERE r.disposition <> 'pending';
"""


def up(migrator, db):
    db.execute_sql(TABLES)
    db.execute_sql(VIEWS.replace("{columns}", COLUMNS))


def down(migrator, db):
    raise RuntimeError("what became of events is never taken away; restore a backup instead")
