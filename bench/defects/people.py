"""Defects of the policy, of sign-in and of the audit log."""

from __future__ import annotations

from bench.defects.defect import defect

AUDIT = "tests/api/test_audit_table.py"
MATRIX = "tests/api/test_policy_matrix.py"

DEFECTS = (
    defect(
        "replay of one delivery leaves no audit entry",
        "inbox/services/deliveries.py",
        'audit.record("delivery.replayed", target=about, now=now, workspace_id=delivery.workspace_id, details=as_new)',
        "pass",
        f"{AUDIT}::test_an_act_leaves_its_entries[deliveries.replay]",
    ),
    defect(
        "a member may delete sources",
        "inbox/api/policy.py",
        '"sources.remove": Entry(USER, ADMIN, found_by="record")',
        '"sources.remove": Entry(USER, MEMBER, found_by="record")',
        f"{MATRIX}::test_everybody_gets_the_answer_that_is_expected[sources.remove]",
    ),
    defect(
        "invitations take no step-up",
        "inbox/api/policy.py",
        '"invites.create": Entry(USER, OWNER, StepUp.RECENT, found_by="path")',
        '"invites.create": Entry(USER, OWNER, found_by="path")',
        f"{MATRIX}::test_everybody_gets_the_answer_that_is_expected[invites.create]",
    ),
)
