"""Partitions the tables of events by month. Each existing table becomes the first partition, without a scan (`0002`).

Functions with the owner's rights add and drop partitions, because the role of the services changes no tables.
"""

TABLES = {
    "received_events": ("id", {
        "events_source": "(workspace_id, source_id, id)",
        "events_severity": "(workspace_id, severity, id)",
        "events_occurred": "(workspace_id, occurred_at, id)",
        "events_title": "(workspace_id, title, id)",
    }),
    "routed_events": ("event_id", {
        "events_disposition": "(workspace_id, disposition, event_id)",
        "events_incident": "(incident_id, event_id) WHERE incident_id IS NOT NULL",
    }),
    "routing_traces": ("id", {}),
}  # fmt: skip
"""Each table with its time-ordered id, and its indexes besides the primary key in their order."""

VIEWS = ("events", "routed_events_view", "pending_events_view")

DEFINITION = """
SELECT pg_get_viewdef(c.oid), col_description(c.oid, a.attnum)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'routed_as' WHERE c.oid = %s::regclass
"""

BOUND = """
SELECT substring(pg_get_constraintdef(oid) FROM '''([0-9a-f-]{36})''') FROM pg_constraint
WHERE conrelid = 'received_events'::regclass AND conname = 'first_partition'
"""

FUNCTIONS = """
-- The partitions of the tables of events, each with its bounds: the first is open below, and the default has none.
CREATE FUNCTION event_partitions() RETURNS TABLE (parent text, name text, low uuid, high uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = {schema}, pg_temp AS $$
    SELECT p.relname::text, c.relname::text,
        substring(pg_get_expr(c.relpartbound, c.oid) FROM 'FROM \\(''([0-9a-f-]{36})''\\)')::uuid,
        substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \\(''([0-9a-f-]{36})''\\)')::uuid
    FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent JOIN pg_class c ON c.oid = i.inhrelid
    WHERE p.oid IN ('received_events'::regclass, 'routed_events'::regclass, 'routing_traces'::regclass)
    ORDER BY 1, 4 NULLS LAST
$$;

-- Adds months until one begins after the given moment. Rows of a month that the default partition has are moved.
CREATE FUNCTION add_event_partitions(until timestamptz) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = {schema}, pg_temp SET lock_timeout = '100ms' SET timezone = 'UTC' AS $$
DECLARE
    a_table record;
    low uuid;
    high uuid;
    month timestamptz;
    part text;
    added integer := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock({lock}) THEN
        RETURN 0;
    END IF;
    FOR a_table IN SELECT * FROM (VALUES ('received_events', 'id'), ('routed_events', 'event_id'), ('routing_traces', 'id'))
        AS t(name, id)
    LOOP
        low := (SELECT p.high FROM event_partitions() p WHERE p.parent = a_table.name AND p.high IS NOT NULL
            ORDER BY p.high DESC LIMIT 1);
        month := CASE WHEN low IS NULL THEN date_trunc('month', now())
            ELSE to_timestamp(('x' || left(replace(low::text, '-', ''), 12))::bit(48)::bigint / 1000.0) END;
        WHILE month <= until LOOP
            low := (lpad(to_hex((extract(epoch FROM month) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;
            part := a_table.name || to_char(month, '_YYYY_MM');
            month := month + interval '1 month';
            high := (lpad(to_hex((extract(epoch FROM month) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;
            EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', a_table.name || '_default');
            EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS)', part, a_table.name);
            EXECUTE format('ALTER TABLE %I SET ({analyze_often})', part);
            EXECUTE format('WITH moved AS (DELETE FROM %I WHERE %I >= $1 AND %I < $2 RETURNING *)'
                ' INSERT INTO %I SELECT * FROM moved', a_table.name || '_default', a_table.id, a_table.id, part)
                USING low, high;
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', a_table.name, part, low, high);
            added := added + 1;
        END LOOP;
    END LOOP;
    RETURN added;
END
$$;

-- Drops the partitions of a table whose ids are all before the given one; returns their number. The default stays.
CREATE FUNCTION drop_event_partitions(of_table text, before uuid) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = {schema}, pg_temp SET lock_timeout = '100ms' AS $$
DECLARE
    part text;
    dropped integer := 0;
BEGIN
    FOR part IN SELECT p.name FROM event_partitions() p WHERE p.parent = of_table AND p.high <= before LOOP
        EXECUTE format('DROP TABLE %I', part);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END
$$;

REVOKE EXECUTE ON FUNCTION event_partitions, add_event_partitions, drop_event_partitions FROM PUBLIC;
"""

LOCK = 0x0E7E17
ANALYZE_OFTEN = "autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000"


def up(migrator, db):
    (bound,) = db.execute_sql(BOUND).fetchone()
    (schema,) = db.execute_sql("SELECT quote_ident(current_schema())").fetchone()
    views = {view: db.execute_sql(DEFINITION, (view,)).fetchone() for view in VIEWS}
    for view in VIEWS:
        db.execute_sql(f"DROP VIEW {view}")
    for table, (id, indexes) in TABLES.items():
        partition(db, table, id, indexes, bound)
    for view, (definition, comment) in views.items():
        db.execute_sql(f"CREATE VIEW {view} AS {definition}")
        db.execute_sql(f"COMMENT ON COLUMN {view}.routed_as IS %s", (comment,))
    functions = (
        FUNCTIONS.replace("{schema}", schema).replace("{lock}", str(LOCK)).replace("{analyze_often}", ANALYZE_OFTEN)
    )
    db.execute_sql(functions.replace("%", "%%"))  # even without values, the driver reads a percent sign as a place


def partition(db, table, id, indexes, bound):
    first = f"{table}_first"
    db.execute_sql(f"ALTER TABLE {table} RENAME TO {first}")
    db.execute_sql(f"ALTER INDEX {table}_pkey RENAME TO {first}_pkey")
    for index in indexes:
        db.execute_sql(f"ALTER INDEX {index} RENAME TO {index}_first")
    db.execute_sql(
        f"CREATE TABLE {table} (LIKE {first} INCLUDING DEFAULTS, PRIMARY KEY (workspace_id, {id})) PARTITION BY RANGE ({id})"
    )
    for index, columns in indexes.items():
        db.execute_sql(f"CREATE INDEX {index} ON {table} {columns}")
    db.execute_sql(f"ALTER TABLE {table} ATTACH PARTITION {first} FOR VALUES FROM (MINVALUE) TO ('{bound}')")
    db.execute_sql(f"ALTER TABLE {first} DROP CONSTRAINT first_partition")
    db.execute_sql(f"CREATE TABLE {table}_default PARTITION OF {table} DEFAULT WITH ({ANALYZE_OFTEN})")


def down(migrator, db):
    raise RuntimeError("partitions may have been dropped; restore a backup instead")
