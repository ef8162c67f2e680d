"""What each attempt of a delivery sent."""


def up(migrator, db):
    db.execute_sql("ALTER TABLE delivery_attempts ADD COLUMN requests text")


def down(migrator, db):
    db.execute_sql("ALTER TABLE delivery_attempts DROP COLUMN requests")
