"""The caller's own account, its password and its sessions (specification 11.9)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import Response, make_response

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller, set_session_cookie
from inbox.api.http.paging import paged
from inbox.api.http.policy import RECENT, SESSION, USER, WINDOWS, EndpointPolicy
from inbox.api.http.request_examples import RequestExample
from inbox.api.http.revisions import expected_rev, tagged
from inbox.api.people.schemas.accounts import MeRecord, UserRecord
from inbox.api.people.schemas.sessions import MeChange, PasswordChange, SessionsPage, SessionsQuery
from inbox.domain.people import session
from inbox.domain.values.refusals import NotFound
from inbox.models.people.accounts import Session, User
from inbox.services.people import authentication_factors, profile, sessions

blp = Blueprint("me", __name__, url_prefix="/v1/me", description="The caller's own account.", section="11.9")


@blp.route("/", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, workspace_from="none")
@blp.response(200, MeRecord)
def read() -> User:
    """Get your account

    With the session or device, its last proof, and the end of that proof for operations with a step-up.
    """
    return tagged(own_account())


@blp.route("/", methods=["PATCH"], endpoint="edit")
@EndpointPolicy(USER, workspace_from="none")
@blp.arguments(MeChange)
@blp.response(200, UserRecord)
def edit(fields: dict[str, Any]) -> User:
    """Change your name, time zone or language"""
    return tagged(profile.edit(caller().user_id, fields, expected_rev=expected_rev(), now=datetime.now(UTC)))


@blp.route("/password", methods=["POST"], endpoint="change_password")
@EndpointPolicy(USER, step_up=RECENT, workspace_from="none", section="11.6")
@RequestExample(values={"newPassword": "another-phrase-of-your-own"})
@blp.arguments(
    PasswordChange, cross_check=lambda fields: profile.check_strength(caller().user_id, fields.get("new_password"))
)
@blp.response(204)
def change_password(fields: dict[str, Any]) -> Response:
    """Change your password

    Ends all other sessions and unpairs all devices. This session continues with a new cookie. `currentPassword` is
    compared where it is given; the recent proof is what the operation requires.
    """
    who = caller()
    token = profile.change_password(
        who.user_id, who.session_id, fields.get("current_password"), fields["new_password"], datetime.now(UTC)
    )
    answer = make_response("", 204)
    set_session_cookie(answer, token)
    return answer


@blp.route("/sessions", methods=["GET"], endpoint="sessions")
@EndpointPolicy(SESSION, workspace_from="none", section="11.2")
@blp.arguments(SessionsQuery, location="query")
@blp.response(200, SessionsPage)
def list_sessions(args: dict[str, Any]) -> dict[str, Any]:
    """List the browsers in which you are signed in"""
    who = caller()
    return paged(
        sessions.of_person(who.user_id, datetime.now(UTC)),
        args,
        sorts={"lastSeen": Session.last_seen_at, "created": Session.created_at},
        id=Session.id,
        dump=lambda row: _response(row, who.session_id),
    )


@blp.route("/sessions/<typeid(ses):session_id>", methods=["DELETE"], endpoint="end_session")
@EndpointPolicy(SESSION, workspace_from="none", section="11.2")
@blp.response(204)
def end_session(session_id: UUID) -> None:
    """Revoke a session

    Its open streams close at once. The caller's own session can be revoked.
    """
    if not sessions.end_one(caller().user_id, session_id, datetime.now(UTC)):
        raise NotFound()


@blp.route("/sessions/revoke-others", methods=["POST"], endpoint="end_other_sessions")
@EndpointPolicy(SESSION, workspace_from="none", section="11.2")
@blp.response(204)
def end_other_sessions() -> None:
    """Revoke all other sessions

    Ends the sessions of all other browsers, and forgets all trusted browsers. Paired devices stay.
    """
    who = caller()
    sessions.end_others(who.user_id, who.session_id, datetime.now(UTC))


def own_account() -> User:
    """Returns the caller's account with the further attributes of `MeRecord`."""
    who, user = caller(), User.get_by_id(caller().user_id)
    user.session_id, user.device_id = (None if who.by_device else who.session_id), who.device_id
    has_proof = not who.by_device and who.proved_at > session.NEVER_PROVED
    user.proved_at = who.proved_at if has_proof else None
    ends = {str(step_up): who.proved_at + window for step_up, window in WINDOWS.items() if has_proof}
    user.step_up_until = ends or None
    user.factors = list(who.factors)
    user.has_second_factor = bool(authentication_factors.second(who.user_id))
    return user


def _response(row: Session, present_id: UUID) -> Session:
    row.current = row.id == present_id
    row.proved_at = row.proved_at if row.proved_at > session.NEVER_PROVED else None
    return row
