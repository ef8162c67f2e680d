"""One sealed row by which a start finds out whether the keys at hand are those of this database."""


def up(migrator, db):
    db.execute_sql(
        """
        CREATE TABLE key_checks (
            id uuid PRIMARY KEY CHECK (id = '00000000-0000-0000-0000-000000000001'),
            sealed bytea NOT NULL,
            created_at timestamptz NOT NULL
        )
        """
    )


def down(migrator, db):
    db.execute_sql("DROP TABLE key_checks")
