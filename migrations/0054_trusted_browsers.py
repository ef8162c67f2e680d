"""Browsers in which a sign-in skips the second factor; only the SHA-256 of their cookie is stored."""

UP = """
CREATE TABLE trusted_browsers (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    token_hash bytea NOT NULL UNIQUE,
    user_agent text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    last_used_at timestamptz
);
CREATE INDEX trusted_browsers_user_id ON trusted_browsers (user_id);
"""

DOWN = "DROP TABLE trusted_browsers;"


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
