"""A statement stays in its workspaces, or is found."""

from __future__ import annotations

import pytest

from tests.statements.workspace_rule import problems

TENANTS = {"incidents", "notices", "timeline"}

BOUND = {
    "a value": "SELECT * FROM incidents WHERE workspace_id = $1 AND id = $2",
    "a list": "SELECT * FROM incidents WHERE workspace_id = ANY($1::uuid[])",
    "values": "SELECT * FROM incidents WHERE workspace_id IN ($1, $2) FOR UPDATE",
    "a joined table": "SELECT * FROM incidents i JOIN notices n ON n.workspace_id = i.workspace_id WHERE n.workspace_id = $1",
    "using": "SELECT * FROM incidents i JOIN notices n USING (workspace_id) WHERE i.workspace_id = $1",
    "an outer join": "SELECT * FROM incidents i LEFT JOIN notices n USING (workspace_id, id) WHERE i.workspace_id = $1",
    "its workspace": "SELECT * FROM workspaces w JOIN incidents i ON i.workspace_id = w.id WHERE w.id = $1",
    "rows of the caller": "UPDATE incidents i SET rev = x.rev FROM unnest($1::uuid[], $2::uuid[], $3::int[]) AS x (ws, id, rev)"
    " WHERE i.workspace_id = x.ws AND i.id = x.id",
    "a pair": "DELETE FROM notices WHERE (workspace_id, id) = ($1, $2)",
    "pairs of values": "DELETE FROM notices WHERE (workspace_id, id) IN (SELECT w, i FROM unnest($1::uuid[], $2::uuid[]) AS x (w, i))",
    "pairs of rows": "DELETE FROM notices WHERE (workspace_id, id) IN"
    " (SELECT workspace_id, id FROM notices WHERE workspace_id = $1 LIMIT 9)",
    "a subquery": "SELECT * FROM (SELECT * FROM incidents) r WHERE r.workspace_id = $1",
    "a correlated subquery": "SELECT EXISTS (SELECT 1 FROM notices n WHERE n.workspace_id = i.workspace_id AND n.incident_id = i.id)"
    " FROM incidents i WHERE i.workspace_id = $1",
    "a common table expression": "WITH l AS (SELECT workspace_id, id FROM incidents WHERE workspace_id = $1 FOR UPDATE)"
    " UPDATE incidents i SET rev = 2 FROM l WHERE i.workspace_id = l.workspace_id AND i.id = l.id",
    "a lateral query": "SELECT * FROM (VALUES ($1::uuid)) b (workspace_id)"
    " CROSS JOIN LATERAL (SELECT * FROM incidents i WHERE i.workspace_id = b.workspace_id LIMIT 5) z",
    "a new row": "INSERT INTO incidents (workspace_id, id) VALUES ($1, $2)",
    "copied rows": "COPY incidents (workspace_id, id) FROM STDIN",
    "a table of the instance": "SELECT random(), clock_timestamp() FROM users WHERE id = $1",
}  # fmt: skip

UNBOUND = {
    "SELECT * FROM incidents WHERE id = $1": ["read incidents by id"],
    "SELECT * FROM incidents WHERE id = $1 FOR NO KEY UPDATE": ["lock incidents by id"],
    "SELECT * FROM incidents": ["read incidents by nothing"],
    "SELECT * FROM incidents WHERE workspace_id = $1 OR id = $2": ["read incidents by nothing"],
    "SELECT * FROM incidents WHERE workspace_id <> $1": ["read incidents by nothing"],
    "SELECT * FROM incidents WHERE workspace_id = assignee_id": ["read incidents by assignee_id, workspace_id"],
    "SELECT * FROM incidents i JOIN notices n ON n.incident_id = i.id WHERE i.workspace_id = $1": ["read notices by incident_id"],
    "SELECT * FROM incidents i JOIN notices n ON n.workspace_id = i.workspace_id": [
        "read incidents by workspace_id",
        "read notices by workspace_id",
    ],
    "SELECT * FROM incidents WHERE workspace_id = (SELECT workspace_id FROM notices WHERE id = $1)": [
        "read incidents by workspace_id",
        "read notices by id",
    ],
    "UPDATE incidents SET rev = 2 WHERE id = $1": ["update incidents by id"],
    "DELETE FROM notices WHERE incident_id = ANY($1)": ["delete notices by incident_id"],
    "SELECT 1; DELETE FROM notices WHERE id = $1": ["delete notices by id"],
    "WITH gone AS (DELETE FROM notices WHERE id = $1 RETURNING 1) SELECT count(*) FROM gone": ["delete notices by id"],
    "SELECT (SELECT count(*) FROM notices n WHERE n.incident_id = i.id) FROM incidents i WHERE i.workspace_id = $1": [
        "read notices by incident_id"
    ],
    "SELECT id FROM incidents WHERE workspace_id = $1 UNION ALL SELECT id FROM notices": ["read notices by nothing"],
    "PREPARE known (uuid) AS SELECT * FROM incidents WHERE id = $1": ["read incidents by id"],
    "INSERT INTO incidents (id) VALUES ($1)": ["insert into incidents without workspace_id"],
    "COPY incidents (id) FROM STDIN": ["insert into incidents without workspace_id"],
    "UPDATE users SET seen_at = clock_timestamp() WHERE id = $1": ["a changing statement calls clock_timestamp()"],
    "INSERT INTO users (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET rev = 1 WHERE random() < 0.1": [
        "a changing statement calls random()"
    ],
    "DELETE FROM users WHERE ctid = ANY(ARRAY(SELECT ctid FROM users LIMIT 5))": ["a changing statement reads ctid"],
}  # fmt: skip


@pytest.mark.parametrize("sql", BOUND.values(), ids=BOUND)
def test_a_statement_with_the_workspace_of_each_table_has_no_problem(sql: str) -> None:
    assert problems(sql, TENANTS) == []


@pytest.mark.parametrize(("sql", "found"), UNBOUND.items(), ids=UNBOUND)
def test_a_table_without_its_workspace_and_a_volatile_value_are_found(sql: str, found: list[str]) -> None:
    assert problems(sql, TENANTS) == found
