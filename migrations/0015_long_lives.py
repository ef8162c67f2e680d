"""Incidents that lived long are found by that: of all that began before a moment, they are who may have been seen after it."""


def up(migrator, db):
    db.execute_sql(
        "CREATE INDEX incidents_long ON incidents (workspace_id, last_seen_at, first_seen_at)"
        " WHERE last_seen_at - first_seen_at > interval '1 day'"
    )


def down(migrator, db):
    db.execute_sql("DROP INDEX incidents_long")
