"""The message of an incident at a destination, and the earliest time of a destination's next call."""

UP = """
CREATE TABLE destination_messages (
    destination_id uuid NOT NULL REFERENCES destinations ON DELETE CASCADE,
    incident_id uuid NOT NULL REFERENCES incidents ON DELETE CASCADE,
    reference jsonb NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (destination_id, incident_id)
);
CREATE INDEX destination_messages_incident ON destination_messages (incident_id);
ALTER TABLE destinations ADD COLUMN next_call_at timestamptz;
"""

DOWN = """
ALTER TABLE destinations DROP COLUMN next_call_at;
DROP TABLE destination_messages;
"""


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
