"""Defects of reads and previews: workspaces kept apart inside statements, and what must not write."""

from __future__ import annotations

from bench.defects.defect import defect

READS = "tests/api/test_reads.py"
APART = f"{READS}::test_what_another_workspace_holds_changes_no_answer"

DEFECTS = (
    defect(
        "statistics name foreign destinations",
        "inbox/models/statistics.py",
        '" WHERE d.workspace_id = ANY(%(w)s::uuid[]) AND d.id >= %(first)s',
        '" WHERE d.id >= %(first)s',
        APART,
    ),
    defect(
        "the preview of a silence counts foreign incidents",
        "inbox/models/silences.py",
        "\"SELECT id FROM incidents WHERE workspace_id = %s AND state <> 'resolved' AND state <> 'silenced'\"",
        "\"SELECT id FROM incidents WHERE (workspace_id = %s OR true) AND state <> 'resolved' AND state <> 'silenced'\"",
        APART,
    ),
    defect(
        "a preview of one event writes",
        "inbox/services/previews.py",
        "    event, question, whole = asked_of_one(workspace_id, fields, now=now)\n    return play_one",
        "    event, question, whole = asked_of_one(workspace_id, fields, now=now)\n"
        "    Rule.update(rev=Rule.rev + 1).where(Rule.workspace_id == workspace_id).execute()\n    return play_one",
        f"{READS}::test_a_read_or_a_preview_writes_nothing",
    ),
)
