"""What was taken back is known as taken back."""


def up(migrator, db):
    db.execute_sql("ALTER TABLE undos ADD COLUMN taken_back_at timestamptz")


def down(migrator, db):
    db.execute_sql("ALTER TABLE undos DROP COLUMN taken_back_at")
