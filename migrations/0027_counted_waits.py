"""What a rule holds back is known by event, and the planner's statistics of large tables are renewed after a fixed number of changes.

The usual threshold is a tenth of a table. Beside a large workspace a new one of 21,000 events was unknown to the planner.
"""

WAITS = """
ALTER TABLE rule_waits ADD COLUMN event_ids uuid[] NOT NULL DEFAULT '{}';
CREATE INDEX rule_waits_fingerprint ON rule_waits (fingerprint);
"""

LARGE = (
    "received_events",
    "routed_events",
    "incidents",
    "incident_words",
    "timeline",
    "notices",
    "deliveries",
    "delivery_attempts",
    "audit_log",
)
CHANGES = 10_000


def up(migrator, db):
    db.execute_sql(WAITS)
    for table in LARGE:
        db.execute_sql(
            f"ALTER TABLE {table} SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = {CHANGES})"
        )


def down(migrator, db):
    for table in LARGE:
        db.execute_sql(f"ALTER TABLE {table} RESET (autovacuum_analyze_scale_factor, autovacuum_analyze_threshold)")
    db.execute_sql("DROP INDEX rule_waits_fingerprint")
    db.execute_sql("ALTER TABLE rule_waits DROP COLUMN event_ids")
