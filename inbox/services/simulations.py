"""The simulation of a routing profile with the present destinations and quiet hours (specification 6.10)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox import settings as in_force
from inbox.domain.explanation import preview_text
from inbox.domain.explanation.recipient_text import DestinationDecision
from inbox.domain.explanation.recipient_text import TextContext as Scene_
from inbox.domain.notices import RecipientState
from inbox.domain.notification_plan import plan_of
from inbox.domain.profiles import profile_of
from inbox.domain.severity import Severity
from inbox.domain.simulation import PredictedNotice, SimulatedDestination, SimulationInput, predict
from inbox.domain.windows import QuietHours
from inbox.domain.workspace import effective_settings
from inbox.flow.notices.notice import OWNERS
from inbox.models.tables.destinations import Destination
from inbox.models.tables.profiles import RoutingProfile
from inbox.models.tables.workspaces import Workspace
from inbox.services import explanations


def simulate(profile: RoutingProfile, severity: Severity, at: datetime) -> list[PredictedNotice]:
    """Predict the notices of an incident that opens at `at`, for 24 hours. The profile may be unsaved."""
    workspace: Workspace = Workspace.get_by_id(profile.workspace_id)
    settings = effective_settings(workspace.settings)
    plan = plan_of(settings, profile_of(profile), ())
    fallbacks = tuple(id for id in (plan.fallback_destination_id, settings.fallback_destination_id) if id is not None)
    named = {id for step in plan.steps for id in step.destination_ids}.union(fallbacks)
    scene = SimulationInput(
        destinations=_destinations(workspace.id, named),
        quiet=QuietHours.of(settings.quiet_hours, workspace.timezone),
        fallbacks=tuple(dict.fromkeys(fallbacks)),
        owners=OWNERS if in_force.current().mails else None,
    )
    return predict(plan, severity, at, scene)


def zone_of(profile: RoutingProfile) -> ZoneInfo:
    """Return the time zone of the sentences."""
    return explanations.zone_of(Workspace.get_by_id(profile.workspace_id))


def with_text(notice: PredictedNotice, severity: Severity, zone: ZoneInfo) -> dict[str, Any]:
    """Return a notice with its sentences."""
    step = notice.step.number if notice.step else None
    scene = Scene_(notice.at, severity, zone, notice.reason, step)
    decided = [
        DestinationDecision(one.name, one.decision, one.held_until, min_severity=one.floor)
        for one in notice.destinations
    ]
    return {
        "at": notice.at,
        "reason": notice.reason,
        "step": step,
        "round": notice.step.round if notice.step else None,
        "text": preview_text.of_notice(notice.reason, decided, scene),
        "destinations": [
            {
                "id": one.id,
                "name": one.name,
                "decision": one.decision,
                "held_until": one.held_until,
                "text": preview_text.of_destination(each, scene),
            }
            for one, each in zip(notice.destinations, decided, strict=True)
        ],
    }


def _destinations(workspace_id: UUID, named: Iterable[UUID]) -> dict[UUID, SimulatedDestination]:
    own = (Destination.workspace_id == workspace_id) & Destination.deleted_at.is_null()
    return {row.id: _destination(row) for row in Destination.select().where(own, Destination.id.in_(list(named)))}


def _destination(row: Destination) -> SimulatedDestination:
    min_severity, threshold = row.min_severity, row.quiet_hours_threshold
    listener = RecipientState(
        enabled=row.enabled,
        stopped=row.stopped_at is not None,
        send_updates=row.send_updates,
        send_notes=row.send_notes,
        min_severity=Severity(min_severity) if min_severity else None,
    )
    return SimulatedDestination(row.id, row.name, listener, Severity(threshold) if threshold else None)
