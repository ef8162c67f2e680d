"""Defects of accepting events: keys, idempotency, redaction, limits, and acknowledgements."""

from __future__ import annotations

from bench.defects.defect import defect

RECEIVE = "tests/flow/ingest/test_ingest.py"
RATES = "tests/flow/ingest/test_rate_limit.py"
STATEMENTS = "inbox/models/events/ingest_store.py"
EVENTS = "tests/api/events/test_replay.py"

DEFECTS = (
    defect(
        "a commit is acknowledged before it is on disk",
        "inbox/database/base.py",
        '"synchronous_commit": "on"',
        '"synchronous_commit": "off"',
        "tests/flow/test_durability.py",
    ),
    defect(
        "events are stored and not queued for routing",
        "inbox/flow/ingest/request.py",
        "                acceptance.queue.append(queue_row(result, sender))\n",
        "                if len(acceptance.queue) < 1:\n                    acceptance.queue.append(queue_row(result, sender))\n",
        RECEIVE,
    ),
    defect(
        "a revoked key is accepted",
        STATEMENTS,
        "AND k.revoked_at IS NULL AND (k.grace_ends_at",
        "AND (k.grace_ends_at",
        "tests/api/events/test_keys.py::test_a_revoked_key_ends_at_once",
    ),
    defect(
        "a rotated key is accepted after its grace time",
        STATEMENTS,
        "AND (k.grace_ends_at IS NULL OR k.grace_ends_at > clock_timestamp())",
        "",
        "tests/api/events/test_keys.py::test_a_rotated_key_works_until_its_grace_ends",
        "tests/api/senders/test_keys.py::test_the_grace_ends_to_the_second",
    ),
    defect(
        "a disabled source is accepted",
        STATEMENTS,
        "AND s.enabled AND s.deleted_at IS NULL AND w.deleted_at IS NULL",
        "AND s.deleted_at IS NULL AND w.deleted_at IS NULL",
        "tests/api/events/test_keys.py::test_keys_of_disabled_or_deleted_records_are_refused",
    ),
    defect(
        "an Idempotency-Key counts for all sources",
        STATEMENTS,
        "WHERE r.source_id = senders.source_id AND r.route = '{ROUTE}' AND r.key = a.key LIMIT 1) r)::text",
        "WHERE r.route = '{ROUTE}' AND r.key = a.key LIMIT 1) r)::text",
        "tests/api/events/test_replay.py",
    ),
    defect(
        "an Idempotency-Key with another body is answered as a replay",
        "inbox/flow/ingest/request.py",
        "        if record.body_digest != request.body_digest:\n",
        "        if False:\n",
        "tests/api/events/test_replay.py",
        "tests/flow/ingest/test_ingest.py::test_one_idempotency_key_with_two_bodies_at_once_stores_one_and_refuses_the_other",
    ),
    defect(
        "an idempotencyKey with another content is a duplicate",
        "inbox/flow/ingest/request.py",
        "            elif known_event.content_digest != digest:\n",
        "            elif False:\n",
        "tests/api/events/test_replay.py",
    ),
    defect(
        "a replay is forgotten after an hour",
        STATEMENTS,
        "_WINDOW = \"interval '48 hours'\"",
        "_WINDOW = \"interval '1 hour'\"",
        "tests/api/events/test_replay.py",
    ),
    defect(
        "signing secrets are not redacted",
        "inbox/domain/values/redaction.py",
        'if "svc_" in text or "whsec_" in text:',
        'if "svc_" in text:',
        "tests/domain/values/test_redaction.py",
    ),
    defect(
        "names of members are not redacted",
        "inbox/domain/values/redaction.py",
        "        new_key = redact(key)\n",
        "        new_key = key\n",
        "tests/domain/values/test_redaction.py",
    ),
    defect(
        "items of lists are not redacted",
        "inbox/domain/values/redaction.py",
        "        return [item for item, _ in pairs], any(changed for _, changed in pairs)\n",
        "        return value, any(changed for _, changed in pairs)\n",
        "tests/domain/values/test_redaction.py",
    ),
    defect(
        "events that are refused for their rate take of the bucket",
        "inbox/limits/buckets.py",
        "    if wait <= grain then\n        for bucket, after in pairs(moved)",
        "    if true then\n        for bucket, after in pairs(moved)",
        RATES,
    ),
    defect(
        "the rate limit of a workspace does not count",
        "inbox/limits/ingest.py",
        "        charge.events * 60 / per_workspace if per_workspace else 0.0,\n",
        "        0.0,\n",
        RATES,
    ),
    defect(
        "a batch counts as one event for the rate limit",
        "inbox/flow/ingest/ingest.py",
        "    return max(1, len(batch)) if isinstance(batch, list) else 1\n",
        "    return 1\n",
        RATES,
        EVENTS,
    ),
)
