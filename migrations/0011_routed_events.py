"""What became of an event is a row of its own, which is written once; incidents know when their timeline last grew."""

COLUMNS = (
    "e.source_id, e.received_at, e.occurred_at, e.severity, e.action, e.title, e.type, e.resource, e.dedup_key, e.body, e.tags,"
    " e.url, e.external_id, e.idempotency_key, e.metadata, e.fingerprint, e.flags, e.warnings"
)
TABLES = """
ALTER TABLE events RENAME TO received_events;

CREATE TABLE routed_events (
    workspace_id uuid NOT NULL,
    event_id uuid NOT NULL,
    disposition text NOT NULL,
    incident_id uuid,
    routing json NOT NULL,
    PRIMARY KEY (workspace_id, event_id)
);
INSERT INTO routed_events (workspace_id, event_id, disposition, incident_id, routing)
SELECT workspace_id, id, disposition, incident_id, coalesce(routing, '{}')::json FROM received_events
WHERE disposition <> 'pending' OR routing IS NOT NULL;

ALTER TABLE received_events DROP COLUMN disposition, DROP COLUMN incident_id, DROP COLUMN routing;
CREATE INDEX events_disposition ON routed_events (workspace_id, disposition, event_id);
CREATE INDEX events_incident ON routed_events (incident_id, event_id) WHERE incident_id IS NOT NULL;
CREATE UNIQUE INDEX event_queue_event ON event_queue (workspace_id, event_id);

CREATE VIEW events AS
SELECT e.*, coalesce(r.disposition, 'pending') AS disposition, r.disposition AS routed_as, r.incident_id, r.routing
FROM received_events e LEFT JOIN routed_events r ON r.workspace_id = e.workspace_id AND r.event_id = e.id;

-- The same, found by what became of them and by their place in the queue. OFFSET 0 keeps the planner from beginning with
-- the events: where the others are old, it would walk through all that are newer.
CREATE VIEW settled_events AS
SELECT r.workspace_id, r.event_id AS id, {columns}, r.disposition, r.disposition AS routed_as, r.incident_id, r.routing
FROM routed_events r CROSS JOIN LATERAL (
    SELECT * FROM received_events e WHERE e.workspace_id = r.workspace_id AND e.id = r.event_id OFFSET 0) e
WHERE r.disposition <> 'pending';

CREATE VIEW waiting_events AS
SELECT q.workspace_id, q.event_id AS id, {columns}, 'pending' AS disposition, r.disposition AS routed_as, r.incident_id, r.routing
FROM event_queue q CROSS JOIN LATERAL (
    SELECT * FROM received_events e WHERE e.workspace_id = q.workspace_id AND e.id = q.event_id OFFSET 0) e
LEFT JOIN routed_events r ON r.workspace_id = q.workspace_id AND r.event_id = q.event_id;

ALTER TABLE incidents ADD COLUMN entered_at timestamptz;
"""

# What hangs on an incident names it by its id alone: the planner of a foreign key's check, which knows of no rows yet when
# the table is new, then has no other index to take than that of the ids.
HANGING = "timeline", "notices", "incident_words"
KEY = """
ALTER TABLE {table} DROP CONSTRAINT {table}_workspace_id_incident_id_fkey,
    ADD FOREIGN KEY (incident_id) REFERENCES incidents ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
"""


def up(migrator, db):
    db.execute_sql(TABLES.replace("{columns}", COLUMNS))
    for table in HANGING:
        db.execute_sql(KEY.format(table=table))
    db.execute_sql("ALTER TABLE incidents DROP CONSTRAINT incidents_workspace_id_id_key")


def down(migrator, db):
    raise RuntimeError("what became of events is never taken away; restore a backup instead")
