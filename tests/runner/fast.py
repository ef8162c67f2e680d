"""A plug-in for `bin/test --fast`: it leaves out slow groups of files and tests marked slow, and prints their names."""

from __future__ import annotations

from pathlib import Path

import pytest

SLOW_GROUPS: dict[str, tuple[str, ...]] = {
    "faults": (
        "faults/*",
        "runtime/test_redis_client.py",
        "runtime/test_gevent_psycopg.py",
        "runtime/test_gevent_psycopg_hosts.py",
        "runtime/test_real_threads.py",
        "runtime/test_work_turns.py",
    ),
    "browser": ("journeys/test_passkeys_in_a_browser.py", "web/*"),
    "generated requests": ("journeys/test_generated_requests.py",),
    "packages of npm": (
        "api/openapi/test_generated_client.py",
        "client/test_installed.py",
        "destinations/kinds/test_published_types.py",
    ),
    "journeys": ("journeys/test_canaries.py", "journeys/test_readme.py", "journeys/test_reasons.py", "docs/*"),
    "senders": ("senders/*",),
    "processes": (
        *("agent/*", "ops/*"),
        "jobs/test_worker*.py",
        "jobs/test_start.py",
        "jobs/test_metrics_server.py",
        "database/test_replica_*.py",
        *("live/test_processes*.py", "live/test_devices.py", "live/test_membership.py", "live/test_signed_out.py"),
        "live/test_imports_beside.py",
        "runtime/metrics/test_processes.py",
        *(
            "mail_in/test_process.py",
            "api/senders/test_hooks_both_readers.py",
            "api/heartbeats/test_pings_both_readers.py",
        ),
        *(
            "api/events/test_both_readers.py",
            "api/events/test_wire.py",
            "api/events/test_slow_bodies.py",
            "flow/routing/test_quarantine.py",
        ),
    ),
    "policy matrix": (
        "api/policy/test_policy_matrix.py",
        "api/openapi/test_request_examples.py",
        "api/http/test_required_fields.py",
    ),
    "every operation": (
        "api/policy/test_isolation.py",
        "api/http/test_surplus_fields.py",
        "api/audit/test_audit_table.py",
    ),
    "rules of the sources": ("house/*",),
    "the Helm chart": ("deploy/*",),
    "generated values": (
        *(
            "domain/routing/matchers/test_index.py",
            "domain/routing/matchers/test_cache_key.py",
            "domain/routing/matchers/test_match_record.py",
        ),
        *(
            "domain/routing/matchers/test_text_any.py",
            "domain/events/test_metadata.py",
            "domain/routing/test_rules_together.py",
        ),
        *(
            "domain/events/test_*redaction.py",
            "domain/values/test_*redaction.py",
            "flow/preview/test_comparison.py",
            "flow/routing/test_apply_event.py",
        ),
        *("destinations/test_no_connection.py", "destinations/kinds/test_golden_complete.py"),
        *("api/http/test_faults_together.py", "identity/test_hostile_tokens.py", "bench/*"),
        *("destinations/kinds/test_common_rules.py", "intake/test_tools.py"),
    ),
    "large tables": (
        *(
            "api/lists/test_long_lists*.py",
            "api/lists/test_list_plans.py",
            "api/lists/test_reads.py",
            "api/lists/test_plain_rows.py",
        ),
        *(
            "models/lists/*",
            "models/events/*",
            "database/test_stale_statistics.py",
            "models/insight/test_explanations.py",
        ),
        *("flow/delivery/test_deliver_claims.py", "api/imports/test_imports_large.py"),
    ),
    "models of flow": (
        *("flow/test_incident_machine.py", "flow/test_explained_histories.py"),
        *("flow/test_killed_between_statements.py", "flow/preview/test_foretells.py"),
        *("flow/preview/test_clocks.py", "flow/notices/test_create_model.py", "flow/delivery/test_deliver_model.py"),
        *("flow/delivery/test_answers_of_services.py", "flow/delivery/test_answers_under_workers.py"),
        *("flow/timers/test_silences_agree.py", "flow/timers/test_silences_in_a_crowd.py"),
        "flow/timers/test_batches_killed.py",
        *("flow/oncall/test_handoffs_killed.py", "flow/oncall/test_pages_killed.py"),
    ),
    "PostgreSQL of Debian, PgBouncer": ("database/test_on_debian.py", "database/test_behind_pooler.py"),
}
"""Names of groups, and patterns of their files below `tests/`."""

TESTS = Path(__file__).parent.parent


def group_of(file: Path) -> str | None:
    """The group that the file belongs to; none for a file that `--fast` runs."""
    if not file.is_relative_to(TESTS):
        return None
    below = file.relative_to(TESTS)
    return next(
        (name for name, patterns in SLOW_GROUPS.items() if any(below.match(pattern) for pattern in patterns)), None
    )


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Python does not import the files of a group."""
    return True if collection_path.suffix == ".py" and group_of(collection_path) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In the other files the plug-in leaves out single tests marked slow."""
    slow = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if not item.get_closest_marker("slow")]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line says what the fast run left out."""
    groups = ", ".join(SLOW_GROUPS)
    terminalreporter.write_line(
        f"--fast left out: static checks (bin/check), single tests marked slow, {groups}. bin/test runs everything."
    )
