"""Summaries: one message for the notices of a storm, and what a destination accepts besides (specification 9.22)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from inbox.destinations import PAID, WITH_EDITS
from inbox.domain.deliveries import storms
from inbox.domain.deliveries.quiet_hours import SkipCause
from inbox.domain.deliveries.storms import INTERVAL, MOST_LINES, SUMMARY, Admission, SummaryPlan
from inbox.domain.explaining import digest_text, notice_content
from inbox.domain.explaining.digest_text import Noticed
from inbox.flow.delivery.changes import publish_changes
from inbox.flow.notices import digests
from inbox.flow.timers.incident_schedule import Plans
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.deliveries import deferred as deferred_deliveries
from inbox.models.deliveries import recipients as notice_recipients
from inbox.models.deliveries import storms as waiting_deliveries
from inbox.models.deliveries.destination_state import DestinationState
from inbox.models.deliveries.recipients import Recipient
from inbox.models.routing import routing_config
from inbox.runtime.queue import QueueName


def admit(destinations: Sequence[DestinationState], done: AfterCommit, *, now: datetime) -> list[Admission]:
    """Summarises what waits for these destinations, if it is too much, and returns what they accept now.

    1. A summary is due when many notices wait, or one waits long.
    2. It gathers them, except for the first `CRITICAL` alerts. It is then delivered like any notice.
       A message to a person that costs money is a summary as soon as two notices wait.
    3. For a while after a summary only `CRITICAL` alerts are accepted. Others wait for the next summary.

    The caller has locked the destinations, which can be called now.
    """
    summarised = {each.id: each.summarised_at for each in destinations}
    kinds = {each.id: each.kind for each in destinations}
    paid = {each.id for each in destinations if each.owner_id is not None and each.kind in PAID}
    found = waiting_deliveries.backlogs(summarised, now)
    for backlog in found:
        destination_id = backlog.destination_id
        most, critical = (1, 0) if destination_id in paid else (storms.MOST_WAITING, storms.MOST_CRITICAL)
        if storms.is_summary_due(backlog, summarised[destination_id], now, most_waiting=most):
            waiting = waiting_deliveries.waiting(destination_id, now)
            keeps_messages = kinds[destination_id] in WITH_EDITS
            plan = storms.plan_summary(waiting, keeps_messages=keeps_messages, most_critical=critical)
            recipient = notice_recipients.recipients([destination_id]).get(destination_id)
            if plan.gathered and recipient is not None:
                _summarise(plan, recipient, done, now)
                if len(plan.gathered) > storms.CALM:
                    summarised[destination_id] = now
                    _begin_interval(destination_id, done, now)
    return [storms.admission(backlog, summarised[backlog.destination_id], now) for backlog in found]


def _summarise(plan: SummaryPlan, recipient: Recipient, done: AfterCommit, now: datetime) -> None:
    ordered = digest_text.subjects(
        Noticed(
            one.id, one.incident_id or one.id, one.incident_id is not None, one.reason, one.severity, one.created_at
        )
        for one in plan.gathered
    )
    listed = [one.newest.id for one in ordered[:MOST_LINES]]
    bodies = waiting_deliveries.bodies(listed)
    plans = Plans.at(routing_config.revisions({recipient.workspace_id}), now)
    body = digest_text.body_of(
        ordered,
        [notice_content.of_body(bodies[id]) for id in listed],
        digests.context_of(recipient.workspace_id, plans.config(recipient.workspace_id).timezone),
        since=min(one.created_at for one in plan.gathered),
        now=now,
        is_summary=True,
    )
    if plan.superseded:
        causes = dict.fromkeys(plan.superseded, str(SkipCause.SUPERSEDED))
        publish_changes(done, deferred_deliveries.skip(causes, now))
    if plan.edits:
        waiting_deliveries.put_last(plan.edits)
    publish_changes(done, digests.send(body, [one.id for one in plan.gathered], SUMMARY, recipient, done, now=now))


def _begin_interval(destination_id: UUID, done: AfterCommit, now: datetime) -> None:
    """Begins the interval in which other notices wait for the next summary."""
    waiting_deliveries.mark_summarised(destination_id, now)
    done.wake(QueueName.DELIVERY, (now + INTERVAL).replace(microsecond=0) + timedelta(seconds=1))
