"""Destinations have templates for the texts of their messages, and an attempt has a note about them."""


def up(migrator, db):
    db.execute_sql("ALTER TABLE destinations ADD COLUMN template jsonb")
    db.execute_sql("ALTER TABLE delivery_attempts ADD COLUMN note text")


def down(migrator, db):
    db.execute_sql("ALTER TABLE delivery_attempts DROP COLUMN note")
    db.execute_sql("ALTER TABLE destinations DROP COLUMN template")
