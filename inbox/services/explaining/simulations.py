"""The simulation of a routing profile: one synthetic event in a preview run of 24 hours (specification 6.10)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.domain.deliveries.fallback_reasons import FallbackReason
from inbox.domain.deliveries.hastening import hasten
from inbox.domain.deliveries.notices import Cause
from inbox.domain.deliveries.notification_plan import taken_steps
from inbox.domain.deliveries.pages import Page, StepKey, has_nobody
from inbox.domain.explaining import preview_text
from inbox.domain.explaining.recipient_text import DestinationDecision, TextContext
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.routing.decision import ResolveBy
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import Verdict
from inbox.domain.values import wallclock
from inbox.domain.values.refusals import TooCostly
from inbox.domain.values.severity import Severity
from inbox.domain.workspaces.settings import effective_settings
from inbox.flow.notices.fallback import notify_fallback
from inbox.flow.notices.notice import OWNERS, EventNotice, IncidentNotice
from inbox.flow.notices.paging import key_of, paged_steps, reaches_nobody
from inbox.flow.oncall.pages import expected_pages
from inbox.flow.preview.configs import recipients_of
from inbox.flow.preview.simulation import Simulation
from inbox.flow.preview.single_event import destination_decision
from inbox.flow.routing.evaluate import evaluate, subject_of
from inbox.flow.routing.routing_config import compiled
from inbox.models.events.preview_events import StoredEvent
from inbox.models.events.queue import SourceContext
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.workspaces.tables import Workspace
from inbox.runtime import work_budget

AHEAD = timedelta(hours=24)
"""The simulated period."""

MAX_DECISIONS = 10_000
"""The most decisions of a simulation: one for each destination of each notice."""

TOO_MANY = "The simulation has more than {} notifications. Name fewer destinations, or repeat the steps less often."

_ID = UUID(int=0)
"""The id of the synthetic event and of its source. Neither is stored."""


def simulate(profile: RoutingProfile, severity: Severity, at: datetime) -> list[dict[str, Any]]:
    """Return the notices of an incident that opens at `at`, for 24 hours. The profile may be unsaved.

    1. Compile the settings of the workspace with this profile only. Silences and rules have no effect.
    2. Process one event at `at`. Its verdict opens an incident of the severity, with the profile.
    3. Run the timers until the end of the period.

    Raises `TooCostly` beyond `MAX_DECISIONS`.
    """
    workspace: Workspace = Workspace.get_by_id(profile.workspace_id)
    run = _Run(workspace, profile, at)
    run.process(
        _event(workspace.id, at), Verdict(None, (), RuleAction.INCIDENT, severity, routing_profile_id=profile.id)
    )
    return run.notices


class _Run:
    """The preview run of one event. It collects the notices with their sentences."""

    def __init__(self, workspace: Workspace, profile: RoutingProfile, at: datetime) -> None:
        self.notices: list[dict[str, Any]] = []
        self._decisions = 0
        self._workspace_id = workspace.id
        self._pages: dict[StepKey, tuple[Page, ...]] = {}
        self._config = compiled(workspace, 0, [], [profile], [])
        self._until, self._zone = at + AHEAD, _zone_of(workspace)
        self._origin = SourceContext(
            _ID, "", ResolveBy.DEDUP_KEY, None, workspace.id, workspace.name, workspace.slug, {}, {}, False, 0
        )
        self._simulation = Simulation(workspace.id, self._config, recipients_of(workspace.id), at, listener=self._add)

    def process(self, event: StoredEvent, verdict: Verdict) -> None:
        """Process the event, and run the timers until the end of the period."""
        source = self._config.source(self._origin)
        self._simulation.process(evaluate(event, subject_of(event, source), source, verdict))
        for _ in self._simulation.run_until(self._until):
            work_budget.spend()

    def _add(self, notice: IncidentNotice | EventNotice) -> None:
        """Add a notice. The fallback follows when no destination can receive the alert."""
        assert isinstance(notice, IncidentNotice)
        known = frozenset(self._pages)
        pages = self._paged(notice)
        notice.pages = [page for step, found in pages.items() if step not in known for page in found]
        self._decisions += len(notice.recipients) + sum(map(len, pages.values()))
        if self._decisions > MAX_DECISIONS:
            raise TooCostly(TOO_MANY.format(f"{MAX_DECISIONS:,}"))
        self.notices.append(self._record(notice, [page for found in pages.values() for page in found]))
        if notice.reaches_nobody and not any(each["reason"] == Reason.FALLBACK for each in self.notices):
            tried = {each.recipient.id for each in notice.recipients}
            is_stopped = any(each.cause == Cause.STOPPED for each in notice.recipients)
            because = FallbackReason.ALL_STOPPED if is_stopped else FallbackReason.NO_DESTINATION
            if has_nobody([page for found in self._pages.values() for page in found]) and not is_stopped:
                because = FallbackReason.NOBODY_ON_CALL
            recorder = self._simulation.recorder
            notify_fallback(notice.incident, recorder.plans, tried, because, recorder)
        elif reaches_nobody(notice, pages.keys() - known):
            self._hasten(notice)

    def _paged(self, notice: IncidentNotice) -> dict[StepKey, tuple[Page, ...]]:
        """Return the pages of the notice by its steps. A step that was due before keeps its people."""
        found = {}
        for step in paged_steps(notice):
            key, at = key_of(notice, step), self._simulation.recorder.now
            if key not in self._pages:
                self._pages[key] = expected_pages(self._workspace_id, step.people, notice.then.severity, at)
            found[key] = self._pages[key]
        return found

    def _hasten(self, notice: IncidentNotice) -> None:
        """Take the next step at once after one that reaches nobody."""
        recorder, incident = self._simulation.recorder, notice.incident
        hastened = hasten(notice.plan, incident.state_values, recorder.now)
        if hastened is not incident.state_values:
            recorder.update(incident, hastened)

    def _record(self, notice: IncidentNotice, pages: Sequence[Page]) -> dict[str, Any]:
        steps = taken_steps(notice.plan, notice.then) if notice.steps is None else notice.steps
        step = steps[-1] if steps and notice.reason in (Reason.OPENED, Reason.ESCALATED) else None
        number, round_number = (None, None) if step is None else (step.number, step.round)
        now = self._simulation.recorder.now
        context = TextContext(now, notice.then.severity, self._zone, notice.reason, number)
        decided: list[tuple[UUID | None, DestinationDecision]]
        decided = [(each.recipient.id, destination_decision(each)) for each in notice.recipients]
        if notice.fallback is not None and notice.fallback.mailed:
            decided.append((None, DestinationDecision(OWNERS, Cause.MAILED)))
        people = [DestinationDecision(page.name, Cause(page.cause or Cause.NOTIFY)) for page in pages]
        return {
            "at": now,
            "reason": notice.reason,
            "step": number,
            "round": round_number,
            "text": preview_text.of_notice(notice.reason, [*people, *(one for _, one in decided)], context),
            "people": [
                {
                    "user_id": page.user_id,
                    "schedule_id": page.schedule_id,
                    "name": page.name,
                    "decision": page.cause or Cause.NOTIFY,
                }
                for page in pages
            ],
            "destinations": [
                {
                    "id": id,
                    "name": one.name,
                    "decision": one.cause,
                    "held_until": one.until,
                    "text": preview_text.of_destination(one, context),
                }
                for id, one in work_budget.spending(decided)
            ],
        }


def _event(workspace_id: UUID, at: datetime) -> StoredEvent:
    return StoredEvent(
        _ID, workspace_id, _ID, at, Severity.ERROR, "trigger", "", None, None, None, [], "", None, None, None, None
    )


def _zone_of(workspace: Workspace) -> ZoneInfo:
    """Return the time zone of the sentences: the zone of the quiet hours, else the workspace's."""
    return wallclock.zone_of(effective_settings(workspace.settings).quiet_hours["timezone"] or workspace.timezone)
