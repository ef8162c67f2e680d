"""What a summary contains, and what is sent beside it (specification 9.22)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from inbox.domain.deliveries.storms import MOST_URGENT, SUMMARY_URGENCY, URGENCY, Waiting, plan_summary
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values.severity import Severity

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def waiting(
    number: int, reason: Reason = Reason.OPENED, severity: Severity = Severity.WARNING, **more: bool
) -> Waiting:
    """A notice of the incident with this number. Its ends follow its alerts."""
    seq = 2 if reason is Reason.RESOLVED else 1
    id, incident = UUID(int=10 * number + seq), UUID(int=number)
    return Waiting(
        id, incident, seq, reason, severity, NOW + timedelta(seconds=number), more.pop("blocked", False), **more
    )


def test_a_summary_contains_all_but_what_waits_behind_an_earlier_notice() -> None:
    notices = [waiting(1), waiting(2), waiting(3, blocked=True)]
    assert [one.incident_id for one in plan_summary(notices).gathered] == [UUID(int=1), UUID(int=2)]


def test_a_single_notice_needs_no_summary() -> None:
    assert plan_summary([waiting(1), waiting(2, blocked=True)]) == ([], [], [])


@pytest.mark.parametrize(("keeps_messages", "edits"), [(True, [UUID(int=32)]), (False, [])])
def test_an_update_changes_the_message_of_its_incident_instead(keeps_messages: bool, edits: list[UUID]) -> None:
    end = waiting(3, Reason.RESOLVED, has_message=True)
    plan = plan_summary([waiting(1), waiting(2), end], keeps_messages=keeps_messages)
    assert (plan.edits, len(plan.gathered)) == (edits, 3 - len(edits))


@pytest.mark.parametrize("reason", Reason)
def test_only_an_alert_of_a_critical_incident_precedes_a_summary(reason: Reason) -> None:
    is_update = reason in (Reason.RESOLVED, Reason.ACKNOWLEDGED, Reason.SNOOZED, Reason.UPDATED)
    assert (URGENCY[reason][Severity.CRITICAL] == MOST_URGENT) is not is_update
    assert URGENCY[reason][Severity.ERROR] < SUMMARY_URGENCY
