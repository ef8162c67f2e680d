"""How often routing of a shard was begun is counted by sequences: what a transaction counts there stays, whatever becomes of it.

The column that counted it is left to workers of the version before.
"""

SHARDS = range(16)


def up(migrator, db):
    for shard in SHARDS:
        db.execute_sql(f"CREATE SEQUENCE routing_tries_{shard} MINVALUE 0 START 0")


def down(migrator, db):
    for shard in SHARDS:
        db.execute_sql(f"DROP SEQUENCE routing_tries_{shard}")
