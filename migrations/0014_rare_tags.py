"""How rare a tag is, is known also where it is very rare: else a page of it may be looked for among all incidents."""


def up(migrator, db):
    db.execute_sql("ALTER TABLE incident_words ALTER COLUMN tags SET STATISTICS 1000")


def down(migrator, db):
    db.execute_sql("ALTER TABLE incident_words ALTER COLUMN tags SET STATISTICS -1")
