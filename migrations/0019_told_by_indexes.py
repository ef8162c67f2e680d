"""Lists of incidents find in an index what they ask of each incident on the way, and need not look at the incident itself."""

WALKED = {
    "incidents_title": "(workspace_id, title, id) INCLUDE (state, severity, source_id)",
    "incidents_first_seen": "(workspace_id, first_seen_at, id) INCLUDE (state, severity, source_id)",
    "incidents_state": "(workspace_id, state, last_seen_at, id) INCLUDE (title, first_seen_at, number, severity, source_id)",
}


def up(migrator, db):
    for name, columns in WALKED.items():
        db.execute_sql(f"CREATE INDEX {name}_wide ON incidents {columns}")
        db.execute_sql(f"DROP INDEX {name}")
        db.execute_sql(f"ALTER INDEX {name}_wide RENAME TO {name}")


def down(migrator, db):
    for name, columns in WALKED.items():
        db.execute_sql(f"CREATE INDEX {name}_narrow ON incidents {columns.partition(' INCLUDE')[0]}")
        db.execute_sql(f"DROP INDEX {name}")
        db.execute_sql(f"ALTER INDEX {name}_narrow RENAME TO {name}")
