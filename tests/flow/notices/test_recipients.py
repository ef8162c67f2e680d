"""Recipients are computed once for equal notices; earlier recipients and the hour make a difference."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from inbox.domain.incidents.incident import Incident
from inbox.domain.incidents.last_step import LastStep
from inbox.domain.incidents.state_machine import Reason, State
from inbox.domain.routing.rules import RuleSet
from inbox.domain.values.severity import Severity
from inbox.flow.notices.notice import IncidentNotice
from inbox.flow.notices.recipients import RecipientResolver, prepare
from inbox.flow.timers.incident_schedule import Plans
from inbox.models.incidents.lock import IncidentRow
from tests.cast import NOW
from tests.flow.preview import random_workspaces

PLACE = random_workspaces.PLACES[0]
ONE, OTHER, THIRD = UUID(int=1), UUID(int=2), UUID(int=3)
QUIET_AT = NOW.replace(hour=13, minute=0)


def audience(*arrived: UUID) -> RecipientResolver:
    plans = Plans(
        {random_workspaces.WORKSPACE: random_workspaces.book(RuleSet([]), quiet=random_workspaces.QUIET)}, NOW
    )
    model_recipients = {PLACE: replace(random_workspaces.RECIPIENTS[PLACE], quiet_hours_threshold=Severity.CRITICAL)}
    return RecipientResolver(model_recipients, [(id, PLACE) for id in arrived], plans)


def cause(book: RecipientResolver, id: UUID, reason: Reason, at: datetime = NOW) -> str:
    """The decision for the first destination of an incident that has no other."""
    now = Incident(
        State.OPEN, Severity.WARNING, Severity.WARNING, NOW, NOW, NOW, steps_taken=1, last_step=LastStep(1, 0, 0)
    )
    incident = IncidentRow(id, random_workspaces.WORKSPACE, random_workspaces.SOURCES[0], "f1:x", "Disk full", now)
    book._plans.now = at
    plan = book._plans.by(random_workspaces.WORKSPACE, None, [PLACE])
    notice = IncidentNotice(incident, reason)
    assert prepare(notice, plan, at)
    [decision] = book.resolve(notice)
    return str(decision.cause)


def test_a_recipient_of_one_incident_is_no_recipient_of_another() -> None:
    book = audience(ONE)

    assert cause(book, ONE, Reason.RESOLVED) == "notify"
    assert cause(book, OTHER, Reason.RESOLVED) == "never_notified"
    assert cause(book, OTHER, Reason.OPENED) == "notify"
    assert cause(book, OTHER, Reason.RESOLVED) == "notify"


def test_an_equal_notice_outside_quiet_hours_is_not_held() -> None:
    book = audience()

    assert cause(book, ONE, Reason.OPENED) == "notify"
    assert cause(book, OTHER, Reason.OPENED, QUIET_AT) == "quiet_hours"
    assert cause(book, THIRD, Reason.OPENED, QUIET_AT + timedelta(hours=2)) == "notify"
