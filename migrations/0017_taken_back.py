"""The row of an undo token stores that it was used."""


def up(migrator, db):
    db.execute_sql("ALTER TABLE undos ADD COLUMN taken_back_at timestamptz")


def down(migrator, db):
    db.execute_sql("ALTER TABLE undos DROP COLUMN taken_back_at")
