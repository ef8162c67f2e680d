"""The money guard: paces and counts the calls and text messages to people (specification 23.19)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from inbox.destinations import PAID
from inbox.domain.deliveries import paid_messages as rules
from inbox.domain.deliveries.paid_messages import DAILY_LIMIT, PACE, Channel, Limit
from inbox.domain.workspaces.settings import effective_settings
from inbox.flow import mail_outbox
from inbox.flow.delivery.changes import publish_changes
from inbox.flow.delivery.pauses import postpone
from inbox.flow.notices.create import workspace_url
from inbox.flow.unit_of_work import AfterCommit
from inbox.mail import templates
from inbox.models.deliveries import paid_messages as counts
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.destination_state import DestinationState
from inbox.models.deliveries.paid_messages import Spent
from inbox.models.people import members
from inbox.models.people.accounts import User
from inbox.models.workspaces.tables import Workspace

WORDS = {Channel.SMS: "text messages", Channel.CALL: "calls"}


def withhold(contacts: Iterable[DestinationState], done: AfterCommit, now: datetime) -> set[UUID]:
    """Returns the contacts of people that get no message now. The caller has locked them.

    1. The counts of their people and workspaces are locked, so that no other worker sends beside this one.
    2. Each person gets one message of a channel in a minute. Other contacts of the person wait.
    3. What is due beyond the limit of a day is skipped, and administrators are told once a day.
    """
    found = sorted(contacts, key=lambda each: each.id)
    people = {_owner(each) for each in found}
    workspaces = {each.workspace_id for each in found}
    counts.lock(people | workspaces)
    spent, withheld = counts.spent(workspaces, people, now), set[UUID]()
    served = set[tuple[UUID, Channel]]()
    for each in found:
        key = (_owner(each), PAID[each.kind])
        until = now + PACE if key in served else rules.pause_until(spent.last_at.get(key), now)
        if until is not None:
            postpone(each, until, done)
        elif limit := _limit_of(each, spent):
            skipped = delivery_results.skip([each.id], DAILY_LIMIT, now=now, due_only=True)
            publish_changes(done, skipped)
            _tell(each, limit, done, now)
        else:
            served.add(key)
            continue
        withheld.add(each.id)
    return withheld


def count(contact: DestinationState, done: AfterCommit, now: datetime) -> None:
    """Counts a message that a worker is about to send, and pauses the contact."""
    counts.count(contact.workspace_id, _owner(contact), PAID[contact.kind], now)
    postpone(contact, now + PACE, done)


def admit_code(workspace_id: UUID, user_id: UUID, channel: Channel, now: datetime) -> bool:
    """Counts a code to a person; returns False beyond the limit of the day."""
    counts.lock({workspace_id, user_id})
    spent = counts.spent({workspace_id}, {user_id}, now)
    if _reached(workspace_id, user_id, channel, spent) is not None:
        return False
    counts.count(workspace_id, user_id, channel, now, is_page=False)
    return True


def _owner(contact: DestinationState) -> UUID:
    assert contact.owner_id is not None
    return contact.owner_id


def _limit_of(contact: DestinationState, spent: Spent) -> Limit | None:
    return _reached(contact.workspace_id, _owner(contact), PAID[contact.kind], spent)


def _reached(workspace_id: UUID, user_id: UUID, channel: Channel, spent: Spent) -> Limit | None:
    daily = effective_settings(Workspace.get_by_id(workspace_id).settings).daily_messages
    by_person = spent.by_person.get((workspace_id, user_id, channel), 0)
    by_workspace = spent.by_workspace.get((workspace_id, channel), 0)
    return rules.reached(rules.limits_of(daily, channel), by_person, by_workspace)


def _tell(contact: DestinationState, limit: Limit, done: AfterCommit, now: datetime) -> None:
    channel = PAID[contact.kind]
    if not counts.tell_once(contact.workspace_id, _owner(contact), channel, now):
        return
    workspace, person = Workspace.get_by_id(contact.workspace_id), User.get_by_id(_owner(contact))
    whom = f"to {person.name}" if limit is Limit.PERSON else "of the workspace"
    for name, address in members.administrators(contact.workspace_id):
        mail = templates.fill(
            "daily_limit",
            name=name,
            workspace=workspace.name,
            what=WORDS[channel],
            whom=whom,
            link=f"{workspace_url(workspace.slug)}/settings",
        )
        mail_outbox.enqueue(done, mail, address, now)
