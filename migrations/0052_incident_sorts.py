"""The list of incidents is sorted by opening, by resolution and by number of events, each along an index."""

NEW = {
    "incidents_opened": "(workspace_id, opened_at, id) INCLUDE (state, severity, source_id)",
    "incidents_event_count": "(workspace_id, event_count, id) INCLUDE (state, severity, source_id)",
}
RESOLVED = "(workspace_id, resolved_at, id) INCLUDE (severity, source_id)"


def up(migrator, db):
    for name, columns in NEW.items():
        db.execute_sql(f"CREATE INDEX {name} ON incidents {columns}")
    _replace(db, RESOLVED)


def down(migrator, db):
    for name in NEW:
        db.execute_sql(f"DROP INDEX {name}")
    _replace(db, "(workspace_id, resolved_at)")


def _replace(db, columns):
    db.execute_sql(f"CREATE INDEX incidents_resolved_new ON incidents {columns} WHERE state = 'resolved'")
    db.execute_sql("DROP INDEX incidents_resolved")
    db.execute_sql("ALTER INDEX incidents_resolved_new RENAME TO incidents_resolved")
