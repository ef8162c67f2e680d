"""Preferences of people; columns, defaults, order and icons of saved views."""

UP = """
CREATE TABLE user_preferences (
    user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    preferences jsonb NOT NULL,
    rev integer NOT NULL DEFAULT 1
);
ALTER TABLE saved_views ADD COLUMN columns jsonb;
ALTER TABLE saved_views ADD COLUMN is_default boolean NOT NULL DEFAULT false;
ALTER TABLE saved_views ADD COLUMN position integer NOT NULL DEFAULT 0;
ALTER TABLE saved_views ADD COLUMN icon text;
"""

DOWN = """
ALTER TABLE saved_views DROP COLUMN icon;
ALTER TABLE saved_views DROP COLUMN position;
ALTER TABLE saved_views DROP COLUMN is_default;
ALTER TABLE saved_views DROP COLUMN columns;
DROP TABLE user_preferences;
"""


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
