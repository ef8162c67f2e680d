"""Tables, columns and timer kinds get the standard names; processes of version 0028 keep working until the next migration.

Every table whose columns are renamed moves to the schema `inbox_renamed`. Views in the old schema keep the old table and
column names. Only processes of version 0028 use them: newer ones have `inbox_renamed` first in their search path.
"""

import time

SCHEMA = "inbox_renamed"

TABLES = {
    "incident_words": "incident_search",
    "rule_waits": "open_after_counters",
    "routing_records": "routing_traces",
    "spent_tickets": "consumed_tokens",
    "throttles": "rate_limit_buckets",
    "undos": "undo_tokens",
    "changes": "change_feed",
    "event_identities": "event_dedup",
    "workspace_counters": "incident_counters",
    "mails": "mail_outbox",
}
VIEWS = {"settled_events": "routed_events_view", "waiting_events": "pending_events_view"}
MOVED = ("incidents", "rules", "timers", "workspaces", "destinations", "rule_previews")
COLUMNS = {
    "incidents": {
        "told_at": "notified_at",
        "told_severity": "notified_severity",
        "held_until": "steps_start_at",
        "flips": "state_change_times",
        "renotified": "renotify_count",
        "entered_at": "last_entry_at",
        "state_before": "state_before_silence",
    },
    "rules": {"goes_on": "continue_matching", "outcome": "actions"},
    "timers": {"walked_to": "resume_after", "kind": "old_kind"},
    "workspaces": {"routing_rev": "config_rev", "rules_rev": "rule_order_rev"},
    "destinations": {"refusals": "rejections_in_a_row"},
    "rule_previews": {"question": "request", "fault": "error"},
    "undos": {"taken_back_at": "used_at"},
    "mails": {"trouble": "failure"},
}
KINDS = {
    "incident.wake": "incident.snooze_end",
    "incident.calm": "incident.flapping_end",
    "notice.unheard": "notice.fallback_check",
    "silence.turn": "silence.transition",
    "silence.look": "silence.recheck",
    "silence.hit": "silence.stray_check",
    "workspace.quiet": "workspace.quiet_recheck",
    "workspace.quiet_again": "workspace.quiet_recheck_late",
    "workspace.rewind": "workspace.reschedule",
    "workspace.rewind_again": "workspace.reschedule_late",
    "source.gone": "source.deleted",
    "source.gone_again": "source.deleted_late",
}

LOCK_TIMEOUT = "1500ms"
"""Longer than `deadlock_timeout`, after which PostgreSQL ends an autovacuum that is in the way."""
PAUSE_SECONDS = 1.0
PATIENCE_SECONDS = 600.0

# Each row has both kinds, so that processes of either version see, set and clear all timers.
TIMERS = """
ALTER TABLE {schema}.timers ADD COLUMN kind text GENERATED ALWAYS AS ({new}) STORED;
ALTER TABLE {schema}.timers ALTER COLUMN kind DROP EXPRESSION;
ALTER TABLE {schema}.timers ALTER COLUMN kind SET NOT NULL;
CREATE UNIQUE INDEX timers_kind ON {schema}.timers (kind, subject_id);

CREATE FUNCTION {schema}.fill_timer_kinds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.kind IS NULL THEN
        NEW.kind := {new_of_row};
    ELSE
        NEW.old_kind := {old_of_row};
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER timers_fill_kinds BEFORE INSERT ON {schema}.timers
    FOR EACH ROW EXECUTE FUNCTION {schema}.fill_timer_kinds();
"""

# COPY takes no view. Processes of version 0028 write to columns of the old names, which the trigger empties.
ROUTED = """
ALTER TABLE routed_events RENAME COLUMN routing TO trace;
ALTER TABLE routed_events RENAME COLUMN record_id TO trace_id;
ALTER TABLE routed_events ADD COLUMN routing json, ADD COLUMN record_id uuid;

CREATE FUNCTION {schema}.rename_trace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.trace := NEW.routing;
    NEW.trace_id := NEW.record_id;
    NEW.routing := NULL;
    NEW.record_id := NULL;
    RETURN NEW;
END
$$;
CREATE TRIGGER routed_events_rename_trace BEFORE INSERT ON routed_events
    FOR EACH ROW WHEN (NEW.routing IS NOT NULL OR NEW.record_id IS NOT NULL)
    EXECUTE FUNCTION {schema}.rename_trace();
"""

COMMENTS = """
COMMENT ON COLUMN events.routed_as IS
    'The stored disposition, NULL while the event is pending. Conditions on it can use the index events_disposition.';
COMMENT ON COLUMN routed_events_view.routed_as IS 'As in the view events; here the same as disposition.';
COMMENT ON COLUMN pending_events_view.routed_as IS 'As in the view events; NULL for most pending events.';
"""

COLUMNS_OF = """
SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""
GRANTS_OF = """
SELECT quote_ident(r.rolname), a.privilege_type FROM pg_class c
CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
WHERE c.oid = %s::regclass AND a.grantee <> c.relowner
"""
INDEXES_OF = """
SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = %s::regclass AND starts_with(c.relname, %s)
"""


def up(migrator, db):
    (home,) = db.execute_sql("SELECT quote_ident(current_schema())").fetchone()
    db.execute_sql(f"CREATE SCHEMA {SCHEMA}")
    _lock(db, [*TABLES, *MOVED, *VIEWS, "routing_shards"])
    for table in MOVED:
        _rename_columns(db, table)
        db.execute_sql(f"ALTER TABLE {table} SET SCHEMA {SCHEMA}")
        _keep_old_name(db, home, table, f"{SCHEMA}.{table}")
    for old, new in TABLES.items():
        _rename_columns(db, old)
        db.execute_sql(f"ALTER TABLE {old} RENAME TO {new}")
        for (index,) in db.execute_sql(INDEXES_OF, (new, old + "_")).fetchall():
            db.execute_sql(f"ALTER INDEX {index} RENAME TO {new}{index.removeprefix(old)}")
        _keep_old_name(db, home, old, f"{home}.{new}")
    _rename_kinds(db)
    db.execute_sql(ROUTED.format(schema=SCHEMA))
    _rename_views(db, home)
    db.execute_sql("ALTER TABLE routing_shards DROP COLUMN tries")


def _rename_kinds(db):
    kinds = {"new": _case("old_kind", KINDS), "new_of_row": _case("NEW.old_kind", KINDS)}
    kinds["old_of_row"] = _case("NEW.kind", {new: old for old, new in KINDS.items()})
    db.execute_sql(TIMERS.format(schema=SCHEMA, **kinds))


def _rename_views(db, home):
    for old, new in VIEWS.items():
        db.execute_sql(f"ALTER VIEW {old} RENAME TO {new}")
        _keep_old_name(db, home, old, f"{home}.{new}")
    db.execute_sql(COMMENTS)


def _lock(db, tables):
    """All tables at once, waiting briefly and again: statements behind these locks must not wait for a long query."""
    db.execute_sql(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'")
    give_up = time.monotonic() + PATIENCE_SECONDS
    while True:
        db.execute_sql("SAVEPOINT before_locks")
        try:
            db.execute_sql(f"LOCK TABLE {', '.join(tables)} IN ACCESS EXCLUSIVE MODE")
            return
        except Exception as fault:
            sqlstate = getattr(getattr(fault, "orig", None), "pgcode", None)
            if sqlstate not in ("55P03", "40P01") or time.monotonic() > give_up:
                raise
            db.execute_sql("ROLLBACK TO SAVEPOINT before_locks")
            time.sleep(PAUSE_SECONDS)


def _rename_columns(db, table):
    for old, new in COLUMNS.get(table, {}).items():
        db.execute_sql(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")


def _keep_old_name(db, home, old, table):
    """A view of the old name with the old columns; `ctid` is what the purge of version 0028 names rows by."""
    former = {new: name for name, new in COLUMNS.get(old, {}).items()}
    names = [name for (name,) in db.execute_sql(COLUMNS_OF, (table,)).fetchall()]
    if old not in VIEWS:
        names.append("ctid")
    columns = ", ".join(f"{name} AS {former.get(name, name)}" for name in names)
    db.execute_sql(f"CREATE VIEW {home}.{old} AS SELECT {columns} FROM {table}")
    _mark(db, f"{home}.{old}")
    _copy_grants(db, table, f"{home}.{old}")


def _mark(db, view):
    db.execute_sql(f"COMMENT ON VIEW {view} IS 'For processes of version 0028; the next version drops it.'")


def _copy_grants(db, table, view):
    """Roles that use the table use the view; the schema, too, in which the table may be."""
    for role, privilege in db.execute_sql(GRANTS_OF, (table,)).fetchall():
        db.execute_sql(f"GRANT {privilege} ON {view} TO {role}")
        db.execute_sql(f"GRANT USAGE ON SCHEMA {SCHEMA} TO {role}")


def _case(value, mapping):
    return f"CASE {value} " + " ".join(f"WHEN '{a}' THEN '{b}'" for a, b in mapping.items()) + f" ELSE {value} END"


def down(migrator, db):
    raise RuntimeError("processes of version 0028 need no way back; restore a backup instead")
