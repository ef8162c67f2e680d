"""How often a rule matched is counted by each shard for itself, so that routers do not wait for each other."""

SHARDED = """
ALTER TABLE rule_matches ADD COLUMN shard smallint NOT NULL DEFAULT 0;
ALTER TABLE rule_matches DROP CONSTRAINT rule_matches_pkey;
ALTER TABLE rule_matches ADD PRIMARY KEY (rule_id, hour, shard);
CREATE INDEX rule_matches_age ON rule_matches (hour);
"""


def up(migrator, db):
    db.execute_sql(SHARDED)


def down(migrator, db):
    raise RuntimeError("counts of shards are never put together again; restore a backup instead")
