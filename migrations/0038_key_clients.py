"""A source key has the network and the user agent of its last use."""

UP = """
ALTER TABLE source_keys ADD COLUMN last_used_network text;
ALTER TABLE source_keys ADD COLUMN last_used_agent text;
"""

DOWN = """
ALTER TABLE source_keys DROP COLUMN last_used_agent;
ALTER TABLE source_keys DROP COLUMN last_used_network;
"""


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
