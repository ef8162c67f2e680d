"""Answers of people by phone: keys of calls, and replies to text messages (specification 23.21)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from inbox.config.settings import Settings
from inbox.destinations import CALLING, KINDS, Config
from inbox.destinations.phone_answers import speech
from inbox.domain.deliveries.phone_answers import DONE, KEYS, REPEAT_KEY, PhoneAnswer
from inbox.domain.explaining import notice_content
from inbox.domain.incidents.incident import Act, Actor, ActorType
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Conflict, InvalidTransition, NotFound, TokenInvalid, Unauthenticated
from inbox.domain.workspaces.roles import Role
from inbox.flow.delivery.call_answers import PATH
from inbox.flow.delivery.senders import decrypted_config
from inbox.flow.people import incidents, paging_acts
from inbox.flow.people.incidents import ActRequest
from inbox.flow.unit_of_work import retry_on_conflict, work
from inbox.identity import call_tokens
from inbox.identity.tickets import TicketRefused
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.destination_state import DestinationState
from inbox.models.deliveries.tables import Delivery
from inbox.models.people.accounts import User
from inbox.models.people.factors import UsedTicket, requiring_mfa
from inbox.models.people.members import Member
from inbox.runtime.sealing import CannotUnseal
from inbox.services.records import audit

REMEMBERED = timedelta(hours=24)
"""How long a repeated report of a service is recognised."""

REFUSED = "The report is not signed by the service of this destination."
NOT_ALLOWED = "Your role in the workspace does not allow this."
NO_FACTOR = "The workspace requires a second factor. Set one up in the inbox."
GONE = "The incident no longer exists."
NOT_POSSIBLE = "The incident is not in a state that allows this."
NOTHING_FOLLOWS = "Nobody else can be paged: no step follows."
ANSWERED = "This call was answered before."
OTHER_KEY = "This key does nothing."

ACTS = {PhoneAnswer.ACKNOWLEDGE: Act.ACKNOWLEDGE, PhoneAnswer.RESOLVE: Act.RESOLVE}


@dataclass(frozen=True, slots=True)
class Answered:
    """Holds a person's answer. A repeated report has the same `replay_key`. `kind` is the destination's kind.

    `answers_once`: every further answer is a repeat.
    """

    user_id: UUID
    workspace_id: UUID
    destination_id: UUID
    kind: str
    incident_id: UUID
    answer: PhoneAnswer
    replay_key: str
    answers_once: bool = False


def of_call(token: str, form: Mapping[str, str], signature: str, now: datetime, chosen: Settings) -> tuple[str, str]:
    """Act on the pressed key of a call. Return the media type and the body for the service.

    Raises `TokenInvalid`, and `Unauthenticated` for a report that the service did not sign.
    """
    delivery, called = _call_of(token, now, chosen)
    kind, url = CALLING[called.kind], f"{chosen.base_url}{PATH}{token}"
    keyed = kind.keys(url, form, signature, _config(called))
    if keyed is None:
        raise Unauthenticated(REFUSED)
    words = speech(notice_content.of_body(delivery.notice.body.encode()))
    if keyed.key == REPEAT_KEY:
        return kind.repeat(words, url)
    answer = KEYS.get(keyed.key)
    if answer is None:
        return kind.repeat(f"{OTHER_KEY} {words}", url)
    assert called.owner_id is not None
    replay_key = token if keyed.answers_once else f"{token}|{keyed.call_id}|{keyed.key}"
    answered = Answered(
        called.owner_id, called.workspace_id, called.id, called.kind, delivery.incident_id, answer, replay_key,
        answers_once=keyed.answers_once,
    )  # fmt: skip
    return kind.end(act(answered, now))


def act(answered: Answered, now: datetime) -> str:
    """Act in the name of the person. Return the sentence that says what was done, or why nothing was.

    A repeated report does nothing again, and is answered like the first.
    """
    person = User.get_or_none(User.id == answered.user_id, User.disabled_at.is_null(), User.deleted_at.is_null())
    role = _role_of(answered)
    if person is None or role is None or not role.allows(Role.MEMBER):
        return NOT_ALLOWED
    if requiring_mfa(person.id, [answered.workspace_id]):
        return NO_FACTOR
    digest = hashlib.sha256(f"phone|{answered.destination_id}|{answered.replay_key}".encode()).digest()
    try:
        is_first = retry_on_conflict(lambda: _act_once(answered, person, digest, now))
    except InvalidTransition:
        return NOT_POSSIBLE
    except Conflict:
        return NOTHING_FOLLOWS if answered.answer is PhoneAnswer.ESCALATE else NOT_POSSIBLE
    except NotFound:
        return GONE
    return f"{DONE[answered.answer]}." if is_first or not answered.answers_once else ANSWERED


def _act_once(answered: Answered, person: User, digest: bytes, now: datetime) -> bool:
    """Act, unless the report came before. Return whether it is the first."""
    label = KINDS[answered.kind].description.label
    actor = Actor(ActorType.USER, ids.encode(Prefix.USER, person.id), f"{person.name} through {label}")
    with work() as done:
        if not UsedTicket.consume(digest, now + REMEMBERED):
            return False
        if answered.answer is PhoneAnswer.ESCALATE:
            paging_acts.escalate(answered.incident_id, now, done, by=actor)
        else:
            request = ActRequest(ACTS[answered.answer], by=actor, person=person.id)
            incidents.act(answered.incident_id, request, now, done)
        incident_id = ids.encode(Prefix.INCIDENT, answered.incident_id)
        audit.record(
            "destination.button_used",
            target=audit.target("destination", answered.destination_id, f"{person.name} ({label})"),
            now=now,
            workspace_id=answered.workspace_id,
            actor=actor,
            details={"act": str(answered.answer), "incidentId": incident_id, "service": answered.kind},
        )
    return True


def _role_of(answered: Answered) -> Role | None:
    member = Member.get_or_none((Member.workspace == answered.workspace_id) & (Member.user == answered.user_id))
    return None if member is None else Role(member.role)


def _call_of(token: str, now: datetime, chosen: Settings) -> tuple[Delivery, DestinationState]:
    """Return the delivery of a token, and the contact that was called. Raises `TokenInvalid`."""
    try:
        delivery_id = call_tokens.verify(chosen.signing_key, token, now)
    except TicketRefused:
        raise TokenInvalid from None
    delivery = Delivery.get_or_none(Delivery.id == delivery_id)
    if delivery is None or delivery.incident_id is None:
        raise TokenInvalid
    called = delivery_results.read(delivery.destination_id)
    if called.deleted or not called.enabled or called.owner_id is None or called.kind not in CALLING:
        raise TokenInvalid
    return delivery, called


def _config(destination: DestinationState) -> Config:
    try:
        return decrypted_config(destination)
    except CannotUnseal:
        raise Unauthenticated(REFUSED) from None
