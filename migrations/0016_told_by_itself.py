"""An informational notice is found by its event; notices of incidents are not in this index."""


def up(migrator, db):
    db.execute_sql("CREATE INDEX notices_event ON notices (event_id) WHERE incident_id IS NULL")


def down(migrator, db):
    db.execute_sql("DROP INDEX notices_event")
