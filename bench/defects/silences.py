"""Defects of silences."""

from __future__ import annotations

from bench.defects.defect import defect

ELSEWHERE = "tests/flow/test_silences_elsewhere.py"

DEFECTS = (
    defect(
        "a silence takes open incidents of every workspace",
        "inbox/models/unresolved.py",
        'f"SELECT id, false AS covered FROM incidents WHERE workspace_id = %s AND {_HEARD}"',
        'f"SELECT id, false AS covered FROM incidents WHERE (workspace_id = %s OR true) AND {_HEARD}"',
        ELSEWHERE,
    ),
    defect(
        "silences of other workspaces keep incidents quiet at the end of a silence",
        "inbox/models/silences.py",
        "own = (Silence.workspace_id == workspace_id) & Silence.deleted_at.is_null()\n    return list(Silence.select().where(own, Silence.ends_at > now)",
        "own = Silence.deleted_at.is_null()\n    return list(Silence.select().where(own, Silence.ends_at > now)",
        ELSEWHERE,
    ),
    defect(
        "routing reads incidents without locking them",
        "inbox/models/standing.py",
        'f"WHERE id = ANY({wanted}) ORDER BY id FOR NO KEY UPDATE"',
        'f"WHERE id = ANY({wanted}) ORDER BY id"',
        "tests/flow/test_locks.py",
    ),
    defect(
        "a person's act reads its incident without locking it",
        "inbox/models/standing.py",
        '_read("WHERE id = %s FOR NO KEY UPDATE", [incident_id])',
        '_read("WHERE id = %s", [incident_id])',
        "tests/flow/test_locks.py",
    ),
    defect(
        "a silence moves incidents without locking them",
        "inbox/models/standing.py",
        '"WHERE id = ANY(%s::uuid[]) ORDER BY id FOR NO KEY UPDATE"',
        '"WHERE id = ANY(%s::uuid[]) ORDER BY id"',
        "tests/flow/test_locks.py",
    ),
)
