"""Defects of reads and previews: separation of workspaces inside statements, and reads that must not write."""

from __future__ import annotations

from bench.defects.defect import defect

READS = "tests/api/lists/test_reads.py"
APART = f"{READS}::test_records_of_another_workspace_change_no_answer"

DEFECTS = (
    defect(
        "statistics name foreign destinations",
        "inbox/models/insight/statistics/volumes.py",
        "WHERE d.workspace_id = ANY(%(workspaces)s::uuid[]) AND d.id >= %(first)s",
        "WHERE d.id >= %(first)s",
        APART,
    ),
    defect(
        "the preview of a silence counts foreign incidents",
        "inbox/models/routing/silences.py",
        "\"SELECT id FROM incidents WHERE workspace_id = %s AND state <> 'resolved' AND state <> 'silenced'\"",
        "\"SELECT id FROM incidents WHERE (workspace_id = %s OR true) AND state <> 'resolved' AND state <> 'silenced'\"",
        APART,
    ),
    defect(
        "a preview of one event writes",
        "inbox/services/routing/previews.py",
        "    event, question, whole = single_request_of(workspace_id, fields, now=now)\n    return run_single_event",
        "    event, question, whole = single_request_of(workspace_id, fields, now=now)\n    Rule.update(rev=Rule.rev + 1).where(Rule.workspace_id == workspace_id).execute()\n    return run_single_event",
        f"{READS}::test_a_read_or_a_preview_writes_nothing",
    ),
    defect(
        "a cursor is taken from everybody",
        "inbox/domain/values/paging.py",
        "    if not hmac.compare_digest(signature, _signature(body, key, binding)):\n        return None\n",
        "",
        "tests/domain/values/test_paging.py",
    ),
    defect(
        "a cursor is good for every list and filter",
        "inbox/domain/values/paging.py",
        "    bound = hashlib.sha256(binding.encode()).digest()\n",
        '    bound = b""\n',
        "tests/domain/values/test_paging.py",
        "tests/api/lists/test_paging.py",
    ),
    defect(
        "a full last page says that more follows",
        "inbox/models/lists/pages.py",
        "    return rows, False\n",
        "    return rows, len(rows) == limit.rows\n",
        "tests/api/lists/test_paging.py",
    ),
    defect(
        "the export holds the hints of secrets",
        "inbox/models/workspaces/exports.py",
        "WHERE right(c.key, 4) <> 'Hint'",
        "WHERE true",
        "tests/api/workspaces/test_export.py",
    ),
    defect(
        "the export spans all workspaces",
        "inbox/models/workspaces/exports.py",
        'f" WHERE {self.where} = %s AND',
        'f" WHERE ({self.where} = %s OR true) AND',
        f"{READS}::test_records_of_another_workspace_are_in_no_export",
    ),
    defect(
        "statistics count incidents of all workspaces",
        "inbox/models/insight/statistics/incidents.py",
        "WHERE i.workspace_id = ANY(%(workspaces)s::uuid[]) AND i.first_seen_at",
        "WHERE i.first_seen_at",
        APART,
    ),
    defect(
        "statistics count events of all workspaces",
        "inbox/models/insight/statistics/volumes.py",
        '"x.workspace_id = w.id")',
        '"x.workspace_id IS NOT NULL")',
        APART,
    ),
    defect(
        "statistics name idle rules of all workspaces",
        "inbox/models/insight/statistics/configuration.py",
        '" WHERE r.workspace_id = ANY(%s::uuid[]) AND r.deleted_at IS NULL AND r.created_at < %s"',
        '" WHERE (r.workspace_id = ANY(%s::uuid[]) OR true) AND r.deleted_at IS NULL AND r.created_at < %s"',
        APART,
    ),
    defect(
        "the purge takes incidents that are open",
        "inbox/flow/upkeep/purge_steps.py",
        "resolved = \"t.workspace_id = %s AND t.state = 'resolved' AND t.resolved_at < %s\"",
        'resolved = "t.workspace_id = %s AND t.first_seen_at < %s"',
        "tests/flow/upkeep/test_purge.py",
    ),
    defect(
        "the purge takes events that wait to be routed",
        "inbox/flow/upkeep/purge_steps.py",
        'f"{own} AND NOT {is_queued} AND t.id {is_sent}"',
        'f"{own} AND t.id {is_sent}"',
        "tests/flow/upkeep/test_purge.py",
    ),
    defect(
        "the purge takes events that later attempts of a delivery send",
        "inbox/flow/upkeep/purge_steps.py",
        '"NOT IN ({IN_WAITING})"',
        '"NOT IN ({IN_WAITING} AND false)"',
        "tests/flow/upkeep/test_purge_events.py",
    ),
    defect(
        "the purge takes deliveries of incidents that are open",
        "inbox/flow/upkeep/purge_steps.py",
        "is_recent = \"i.id = t.incident_id AND (i.state <> 'resolved' OR i.resolved_at > %s)\"",
        'is_recent = "i.id = t.incident_id AND i.resolved_at > %s"',
        "tests/flow/upkeep/test_purge.py",
    ),
    defect(
        "the purge keeps every workspace's events for as long as the first",
        "inbox/flow/upkeep/purge_steps.py",
        'first_event=_first_id(now - min(days["eventDays"], limit)),',
        "first_event=_first_id(now - min(timedelta(days=90), limit)),",
        "tests/flow/upkeep/test_purge.py",
    ),
    defect(
        "HEAD uses up the minute of an export",
        "inbox/api/workspaces/export.py",
        '    if request.method == "HEAD":\n',
        '    if request.method == "OPTIONS":\n',
        "tests/api/workspaces/test_export_access.py::test_head_begins_no_export",
    ),
    defect(
        "lists begin with the oldest",
        "inbox/api/http/paging.py",
        'order = ma.fields.String(load_default="desc"',
        'order = ma.fields.String(load_default="asc"',
        "tests/api/lists/test_list_parameters.py",
    ),
    defect(
        "a second value of a filter is ignored",
        "inbox/api/http/parsing.py",
        "if len(values) > 1 and name in once}",
        "if len(values) > 2 and name in once}",
        "tests/api/lists/test_list_parameters.py::test_a_parameter_of_one_value_is_refused_when_it_is_given_twice",
    ),
    defect(
        "private views are in the export",
        "inbox/models/workspaces/exports.py",
        'only="t.shared"',
        'only="true"',
        "tests/api/workspaces/test_export_routing.py::test_private_views_are_left_out_of_the_export_the_exporters_own_too",
    ),
    defect(
        "what people do is said as if it had happened by itself",
        "inbox/domain/explaining/timeline_text.py",
        'if entry_kind in _BY_PERSON and actor["type"] in OF_PEOPLE:',
        'if entry_kind in _BY_PERSON and actor["type"] in ():',
        "tests/api/explaining/test_timeline_text.py",
    ),
)
