"""Stored words that SQL filters by get the standard names: dispositions, and the results of previews, which live for a day."""

# Per workspace, so that the index (workspace_id, disposition, event_id) finds the few rows.
WAITING = "UPDATE routed_events SET disposition = 'waiting' WHERE workspace_id = %s AND disposition = 'suppressed'"

# A quotation mark within a string is escaped, so only names of fields and whole values are met.
PREVIEWS = (
    ('"tried": ', '"ruleReports": '),
    ('"met": ', '"matched": '),
    ('"decidedBefore": ', '"preempted": '),
    ('"failedAlone": ', '"soleFailure": '),
    ('"missing": ', '"failedClauses": '),
    ('"suppressed"', '"waiting"'),
    ('"fault": ', '"error": '),
)


def up(migrator, db):
    for workspace in db.execute_sql("SELECT id FROM workspaces").fetchall():
        db.execute_sql(WAITING, workspace)
    text = "result::text"
    for _ in PREVIEWS:
        text = f"replace({text}, %s, %s)"
    words = [word for pair in PREVIEWS for word in pair]
    db.execute_sql(f"UPDATE rule_previews SET result = ({text})::jsonb WHERE result IS NOT NULL", words)


def down(migrator, db):
    raise RuntimeError("former words are never written again; restore a backup instead")
