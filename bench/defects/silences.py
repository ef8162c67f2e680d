"""Defects of silences."""

from __future__ import annotations

from bench.defects.defect import defect

ELSEWHERE = "tests/flow/timers/test_silences_elsewhere.py"

DEFECTS = (
    defect(
        "a silence takes open incidents of every workspace",
        "inbox/models/incidents/batches.py",
        'f"SELECT id, false AS covered FROM incidents WHERE workspace_id = %s AND {_NOTIFYING}"',
        'f"SELECT id, false AS covered FROM incidents WHERE (workspace_id = %s OR true) AND {_NOTIFYING}"',
        ELSEWHERE,
    ),
    defect(
        "routing reads incidents without locking them",
        "inbox/models/incidents/lock.py",
        'f"WHERE id = ANY({conditions}) ORDER BY id FOR NO KEY UPDATE"',
        'f"WHERE id = ANY({conditions}) ORDER BY id"',
        "tests/flow/test_locks.py",
    ),
    defect(
        "a person's act reads its incident without locking it",
        "inbox/models/incidents/lock.py",
        '_select("WHERE id = %s FOR NO KEY UPDATE", [incident_id])',
        '_select("WHERE id = %s", [incident_id])',
        "tests/flow/test_locks.py",
    ),
    defect(
        "a silence moves incidents without locking them",
        "inbox/models/incidents/lock.py",
        '"WHERE workspace_id = %s AND id = ANY(%s::uuid[]) ORDER BY id FOR NO KEY UPDATE"',
        '"WHERE workspace_id = %s AND id = ANY(%s::uuid[]) ORDER BY id"',
        "tests/flow/test_locks.py",
    ),
    defect(
        "a silence holds at the moment of its end",
        "inbox/domain/routing/active_periods.py",
        "        return place > 0 and at < self.fixed[place - 1][1]\n",
        "        return place > 0 and at <= self.fixed[place - 1][1]\n",
        "tests/domain/routing/test_silences.py",
    ),
    defect(
        "a silence ignores its sources",
        "inbox/domain/routing/silences.py",
        "each.active.covers(at) and (not each.source_ids or source_id in each.source_ids)",
        "each.active.covers(at)",
        "tests/domain/routing/test_silences.py",
        "tests/flow/routing/test_route_silences.py",
    ),
    defect(
        "hits of a silence are overwritten",
        "inbox/models/routing/routing_results.py",
        "SET hits = s.hits + l.n,",
        "SET hits = l.n,",
        f"{ELSEWHERE}::test_hits_of_a_silence_add_up_over_batches",
    ),
    defect(
        "a deleted silence goes on",
        "inbox/flow/timers/silences.py",
        "    return compiled if silence.deleted_at is None else compiled._replace(active=ActivePeriods(()))\n",
        "    return compiled\n",
        "tests/flow/timers/test_silences_changed.py",
    ),
)
