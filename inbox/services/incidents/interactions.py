"""Pressed buttons of chat messages: the person, their permission, and the action in their name (specification 9.18)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.config.settings import Settings
from inbox.destinations import KINDS, outbound_policy
from inbox.destinations.interactions import (
    OLDEST,
    ChatAct,
    Ignored,
    InteractiveKind,
    Press,
)
from inbox.domain.incidents.incident import Act, Actor, ActorType
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Conflict, InvalidTransition, NotFound, RateLimited, Unauthenticated
from inbox.domain.workspaces.roles import Role
from inbox.flow.people import incidents, paging_acts
from inbox.flow.people.incidents import ActRequest
from inbox.flow.unit_of_work import retry_on_conflict, work
from inbox.limits import rates
from inbox.models.deliveries.destinations import Destination
from inbox.models.incidents import read as incident_read
from inbox.models.people.accounts import User
from inbox.models.people.factors import UsedTicket, requiring_mfa
from inbox.services.incidents import verified_requests
from inbox.services.incidents.verified_requests import REFUSED, Received, VerifiedRequest
from inbox.services.people import chat_accounts
from inbox.services.people.chat_accounts import Account
from inbox.services.records import audit

LINKED = "This account is linked. Press the button again."
NOT_LINKED = "This account is not linked to a member of the workspace."
NOT_ALLOWED = "Your role in the workspace does not allow this."
NO_FACTOR = "The workspace requires a second factor. Set one up in the inbox."
GONE = "The incident no longer exists."
NOT_POSSIBLE = "The incident is not in a state that allows this."
TOO_OFTEN = "Too many button presses."
NOTHING_FOLLOWS = "No step of the routing profile follows."
PRESSES_PER_MINUTE = 30

STATE_ACTS = {
    ChatAct.ACKNOWLEDGE: Act.ACKNOWLEDGE,
    ChatAct.TAKE: Act.ACKNOWLEDGE,
    ChatAct.RESOLVE: Act.RESOLVE,
}
"""The acts that change the state of the incident."""


@dataclass(frozen=True, slots=True)
class Hint:
    """The text for the person who pressed, with the reason why nothing was done.

    `url` is the address for linking an account, or empty.
    """

    kind: InteractiveKind
    pressed: Press
    text: str
    url: str = ""

    def send(self) -> None:
        """Call the service, after the answer to its request."""
        self.kind.hint(self.pressed, self.text, self.url, outbound_policy.client())


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to a request: `answer`, a JSON object or nothing, and then `hint`."""

    answer: Mapping[str, Any] | None
    hint: Hint | None = None


def press(destination_id: UUID, headers: Mapping[str, str], body: bytes, now: datetime, chosen: Settings) -> Reply:
    """Execute the action of a pressed button. The reply has a hint when nothing was done.

    Header names are in lower case. Raises `Unauthenticated`, the same for an unknown destination, a wrong signature and
    a repeated request. Raises `RateLimited`. A service that sends refused requests again gets a reply instead, once it
    is known to be the service.
    """
    return _reply_to(verified_requests.of_destination(destination_id, Received(headers, body, now), chosen), now)


def press_of_app(
    kind: str, headers: Mapping[str, str], body: bytes, now: datetime, chosen: Settings, *, key: str = ""
) -> Reply:
    """Execute the action of a button of an app that calls one address for all its destinations. Raises as `press`."""
    return _reply_to(verified_requests.of_app(kind, Received(headers, body, now), chosen, key=key), now)


def _reply_to(request: VerifiedRequest, now: datetime) -> Reply:
    kind, pressed, destination = request.kind, request.found, request.destination
    if isinstance(pressed, Ignored) or destination is None:
        return Reply(pressed.answer if isinstance(pressed, Ignored) else None)
    try:
        _limit(destination, pressed, now)
        text, url = _act_once(destination, pressed, now)
    except (Unauthenticated, RateLimited) as refused:
        if not kind.repeats_refused:
            raise
        return Reply(kind.answer_to(pressed, TOO_OFTEN, "") if isinstance(refused, RateLimited) else None)
    return Reply(kind.answer_to(pressed, text, url), Hint(kind, pressed, text, url) if text else None)


def _limit(destination: Destination, pressed: Press, now: datetime) -> None:
    """Refuse too many requests of one account."""
    bucket = f"chat:{destination.id.hex}:{hashlib.sha256(pressed.account_id.encode()).hexdigest()[:32]}"
    wait = rates.take(bucket, PRESSES_PER_MINUTE, PRESSES_PER_MINUTE / 60, now)
    if wait:
        raise RateLimited(TOO_OFTEN, retry_after=wait)


def _act_once(destination: Destination, pressed: Press, now: datetime) -> tuple[str, str]:
    """Execute `_act`, unless the request came before: then raise `Unauthenticated`.

    A request counts in the transaction of its action. A failed request may come again.
    """
    account = Account(
        destination.workspace_id, destination.kind, pressed.account_id, pressed.account_name, pressed.verifier
    )
    digest = hashlib.sha256(f"{destination.id.hex}\n{pressed.replay_key}".encode()).digest()

    def count() -> None:
        if not UsedTicket.consume(digest, now + 2 * OLDEST):
            raise Unauthenticated(REFUSED)

    text, url = _act(destination, account, pressed, now, count)
    if text:
        with work():
            count()
    return text, url


def _act(
    destination: Destination, account: Account, pressed: Press, now: datetime, count: Callable[[], None]
) -> tuple[str, str]:
    """Act in the name of the member. Return the reason for no act and the address for linking; both empty when done.

    `count` counts the request in the transaction of the action.
    """
    found = chat_accounts.holder(account, now)
    if found is None:
        return NOT_LINKED, chat_accounts.offer_url(account, now)
    if pressed.act is None:
        return LINKED, ""
    user, role = found
    if not role.allows(Role.MEMBER):
        return NOT_ALLOWED, ""
    if requiring_mfa(user.id, [account.workspace_id]):
        return NO_FACTOR, ""
    incident_id = ids.decode(Prefix.INCIDENT, pressed.incident_id)
    incident = incident_read.find([account.workspace_id], incident_id) if incident_id is not None else None
    if incident is None:
        return GONE, ""
    return _attempted(pressed.act, lambda act: _act_on(incident.id, act, destination, user, now, count)), ""


def _attempted(act: ChatAct, attempt: Callable[[ChatAct], None]) -> str:
    """Return why the act was not done; empty when it was."""
    try:
        attempt(act)
    except InvalidTransition:
        return NOT_POSSIBLE
    except Conflict:
        return NOTHING_FOLLOWS if act is ChatAct.ESCALATE else NOT_POSSIBLE
    except NotFound:
        return GONE
    return ""


def _act_on(
    incident_id: UUID, act: ChatAct, destination: Destination, user: User, now: datetime, count: Callable[[], None]
) -> None:
    label = KINDS[destination.kind].description.label
    actor = Actor(ActorType.USER, ids.encode(Prefix.USER, user.id), f"{user.name} through {label}")
    details = {"act": str(act), "incidentId": ids.encode(Prefix.INCIDENT, incident_id), "service": destination.kind}

    def once() -> None:
        with work() as done:
            count()
            if act is ChatAct.ESCALATE:
                paging_acts.escalate(incident_id, now, done, by=actor)
            else:
                takes = act is ChatAct.TAKE
                request = ActRequest(STATE_ACTS[act], by=actor, person=user.id, assigns=takes)
                incidents.act(incident_id, request, now, done)
            audit.record(
                "destination.button_used",
                target=audit.target("destination", destination.id, destination.name),
                now=now,
                workspace_id=destination.workspace_id,
                actor=actor,
                details=details,
            )

    retry_on_conflict(once)
