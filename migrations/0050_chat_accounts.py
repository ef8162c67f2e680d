"""Accounts of people at chat services, by which buttons in messages act for a member."""

UP = """
CREATE TABLE chat_accounts (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    service text NOT NULL,
    account_id text NOT NULL,
    name text NOT NULL,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz
);
CREATE UNIQUE INDEX chat_accounts_account ON chat_accounts (workspace_id, service, account_id);
CREATE INDEX chat_accounts_user_id ON chat_accounts (user_id);
"""

DOWN = "DROP TABLE chat_accounts;"


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
