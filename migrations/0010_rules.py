"""The order of a workspace's rules has a revision, by which two people cannot overwrite each other's."""


def up(migrator, db):
    db.execute_sql("ALTER TABLE workspaces ADD COLUMN rules_rev integer NOT NULL DEFAULT 1")


def down(migrator, db):
    raise RuntimeError("the order of rules is never taken away; restore a backup instead")
