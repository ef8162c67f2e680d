"""A linked chat account names the key that verified it. No row is written: the default of the column is a constant."""

UP = """
ALTER TABLE chat_accounts ADD COLUMN verifier text NOT NULL DEFAULT '';
DROP INDEX chat_accounts_account;
CREATE UNIQUE INDEX chat_accounts_account ON chat_accounts (workspace_id, service, account_id, verifier);
"""

DOWN = """
DELETE FROM chat_accounts older USING chat_accounts newer
    WHERE (older.workspace_id, older.service, older.account_id)
        = (newer.workspace_id, newer.service, newer.account_id) AND older.id < newer.id;
DROP INDEX chat_accounts_account;
CREATE UNIQUE INDEX chat_accounts_account ON chat_accounts (workspace_id, service, account_id);
ALTER TABLE chat_accounts DROP COLUMN verifier;
"""


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
