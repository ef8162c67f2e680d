"""Chat accounts of members: the page that links one, their list, and unlinking (specification 9.18)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import Response
from markupsafe import Markup

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller, identify
from inbox.api.http.pages import page
from inbox.api.http.paging import paged
from inbox.api.http.policy import (
    FORM,
    NONE,
    SESSION,
    USER,
    VIEWER,
    EndpointPolicy,
    authorize,
    authorize_in,
    readable_workspaces,
)
from inbox.api.incidents.records import people
from inbox.api.people.schemas.chat_accounts import ChatAccountsPage, ChatAccountsQuery
from inbox.config import settings
from inbox.domain.values.refusals import Unauthenticated
from inbox.domain.workspaces.roles import Role
from inbox.models.people.chat_accounts import ChatAccount
from inbox.services.people import chat_accounts
from inbox.services.people.chat_accounts import Offer

blp = Blueprint(
    "chat_accounts", __name__, url_prefix="/v1/chat-accounts", description="Linked chat accounts.", section="9.18"
)
pages = Blueprint(
    "chat_account_pages", __name__, url_prefix="/chat-account", description="Pages that link them.", section="9.18"
)


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER)
@blp.arguments(ChatAccountsQuery, location="query")
@blp.response(200, ChatAccountsPage)
def list_accounts(args: dict[str, Any]) -> dict[str, Any]:
    """List linked chat accounts

    Your own accounts, and the accounts of all members in workspaces that you administer.
    """
    who = caller()
    administered = [id for id, role in who.roles.items() if role.allows(Role.ADMIN)]
    query = chat_accounts.visible(who.user_id, readable_workspaces(args.get("workspace_id")), administered)
    sorts = {"created": ChatAccount.created_at, "name": ChatAccount.name}
    found = paged(query, args, sorts=sorts, id=ChatAccount.id, dump=lambda row: row)
    persons = people([row.user_id for row in found["items"]])
    for row in found["items"]:
        row.person = persons.get(row.user_id)
    return found


@blp.route("/<typeid(cac):chat_account_id>", methods=["DELETE"], endpoint="remove")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(204)
def remove(chat_account_id: UUID) -> None:
    """Unlink a chat account

    Your own account or, as an administrator of the workspace, any account. Buttons pressed with it no longer work.
    """
    account, who = authorize(ChatAccount.get_or_none(ChatAccount.id == chat_account_id)), caller()
    role = who.roles[account.workspace_id]
    chat_accounts.unlink(account, by=who.user_id, role=role, now=datetime.now(UTC))


@pages.route("/<offer_token>", methods=["GET"], endpoint="page")
@EndpointPolicy(NONE, workspace_from="none", optional_credential=SESSION)
@pages.response(200, {"type": "string"}, content_type="text/html")
@pages.refuses("token_invalid")
def ask(offer_token: str) -> Response:
    """Ask before a chat account is linked

    The page names the account and the workspace. Without a session it asks to sign in first.
    """
    offer = chat_accounts.find_offer(offer_token, datetime.now(UTC))
    try:
        name = identify().name
    except Unauthenticated:
        sign_in = Markup('<p><a href="{}/login">Sign in</a>, and then open this page again.</p>')
        return page(_title(offer), _about(offer) + sign_in.format(settings.current().base_url))
    question = Markup(
        "<p>Whoever presses a button with this account acts as you, {}. Link only an account of your own.</p>"
        '<form method="post"><button type="submit">Link the account</button></form>'
    ).format(name)
    return page(_title(offer), _about(offer) + question, has_form=True)


@pages.route("/<offer_token>", methods=["POST"], endpoint="link")
@EndpointPolicy(SESSION, VIEWER, workspace_from="record", forms=(FORM,))
@pages.response(200, {"type": "string"}, content_type="text/html")
@pages.refuses("token_invalid", "conflict")
def link(offer_token: str) -> Response:
    """Link a chat account

    Buttons pressed with this account then act in your name, in this workspace. The link works once.
    """
    now = datetime.now(UTC)
    offer = chat_accounts.find_offer(offer_token, now)
    authorize_in(offer.workspace.id)
    chat_accounts.link(offer, caller().user_id, now)
    done = Markup("<p>Press the button in {} again.</p>").format(offer.account.service_label)
    return page("The account is linked", _about(offer) + done)


def _title(offer: Offer) -> str:
    return f"Link your {offer.account.service_label} account"


def _about(offer: Offer) -> Markup:
    return Markup("<dl><dt>{} account</dt><dd>{} ({})</dd><dt>Workspace</dt><dd>{}</dd></dl>").format(
        offer.account.service_label, offer.account.name, offer.account.account_id, offer.workspace.name
    )
