"""The default route has a revision of its own. Saved views are of two more lists."""

UP = """
ALTER TABLE workspaces ADD COLUMN default_route_rev integer NOT NULL DEFAULT 1;
ALTER TABLE saved_views DROP CONSTRAINT saved_views_list_check;
ALTER TABLE saved_views ADD CONSTRAINT saved_views_list_check
    CHECK (list IN ('incidents', 'events', 'deliveries', 'audit'));
"""

DOWN = """
DELETE FROM saved_views WHERE list NOT IN ('incidents', 'events');
ALTER TABLE saved_views DROP CONSTRAINT saved_views_list_check;
ALTER TABLE saved_views ADD CONSTRAINT saved_views_list_check CHECK (list IN ('incidents', 'events'));
ALTER TABLE workspaces DROP COLUMN default_route_rev;
"""


def up(migrator, db):
    db.execute_sql(UP)


def down(migrator, db):
    db.execute_sql(DOWN)
