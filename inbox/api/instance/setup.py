"""First run: the set-up link creates the first account, by JSON or by the form of the set-up page.

Specification 13.1, decision 0027.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Any

from flask import Response, make_response, request

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import FORM, NONE, EndpointPolicy
from inbox.api.instance import setup_pages
from inbox.api.people.schemas.accounts import Setup, SetupDone
from inbox.api.people.session_cookie import begin_session, client
from inbox.domain.values.refusals import NotFound, TokenInvalid, ValidationFailed
from inbox.models.people.accounts import User
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace
from inbox.runtime.distribution import typed
from inbox.services.instance import setup as service
from inbox.services.people import sessions
from inbox.services.records import audit
from inbox.services.senders import keys, sources

blp = Blueprint(
    "setup", __name__, url_prefix="/v1/setup", description="First run, while nobody has an account.", section="13.1"
)

FIRST_SOURCE, FIRST_KEY = "My first source", "First key"
REFUSED = f"This token is wrong, used, or replaced by a newer link. {typed('setup-link')} prints a new one."


def _by_form_too(view: Callable[..., Any]) -> Callable[..., Any]:
    """Answers a browser's form with a page."""

    @wraps(view)
    def chosen(*args: Any, **kwargs: Any) -> Any:
        return _by_form() if request.mimetype == FORM else view(*args, **kwargs)

    return chosen


def _only_before_first_account(view: Callable[..., Any]) -> Callable[..., Any]:
    """Answers 404 after the first account exists, whatever is sent."""

    @wraps(view)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if not service.is_required():
            raise NotFound()
        return view(*args, **kwargs)

    return guarded


@blp.route("/", methods=["POST"], endpoint="create")
@EndpointPolicy(NONE, workspace_from="none", forms=(FORM,))
@_by_form_too
@_only_before_first_account
@blp.arguments(Setup)
@blp.response(201, SetupDone)
@blp.refuses("token_invalid", "not_found")
def create(fields: dict[str, Any]) -> Response:
    """Set up the instance

    The token of the one-time set-up link creates the first account with a first workspace, and signs it in. The account
    administers the instance. With `firstSource` the answer also has a source and its key. Afterwards this address is
    404. The form of the page `/setup` sends the same fields as `application/x-www-form-urlencoded` and gets a page.
    """
    now = datetime.now(UTC)
    user, workspace = _created(fields, now)
    made: dict[str, Any] = {"user": user, "workspace_id": workspace.id}
    if "first_source" in fields:
        audit.set_actor(audit.person(user))
        source, secret = _first_source(workspace, fields["first_source"]["name"], user, now)
        made |= {"source": source, "key": {"secret": secret}}
    answer = make_response(SetupDone().dump(made), 201)
    _sign_in(answer, user, now)
    return answer


def _by_form() -> Response:
    if not service.is_required():
        return setup_pages.already(404)
    sent = request.form.to_dict()
    faults = {name: " ".join(texts) for name, texts in Setup().validate(sent).items()}
    if faults:
        return setup_pages.form(sent, {name: _sentence(text) for name, text in faults.items()}, status=422)
    now = datetime.now(UTC)
    try:
        user, workspace = _created(dict(Setup().load(sent)), now)
    except TokenInvalid:
        return setup_pages.form(sent | {"token": ""}, {"token": REFUSED}, status=403)
    except ValidationFailed as refused:
        return setup_pages.form(sent, {each.pointer[1:]: _sentence(each.detail) for each in refused.errors}, status=422)
    except NotFound:
        return setup_pages.already(404)
    audit.set_actor(audit.person(user))
    _, secret = _first_source(workspace, FIRST_SOURCE, user, now)
    answer = setup_pages.created_page(user.name, secret)
    _sign_in(answer, user, now)
    return answer


def _first_source(workspace: Workspace, name: str, user: User, now: datetime) -> tuple[Source, str]:
    source = sources.create(workspace.id, {"name": name}, now=now)
    return source, keys.create(source, FIRST_KEY, by=user.id, now=now)[1]


def _created(fields: dict[str, Any], now: datetime) -> tuple[User, Workspace]:
    names = ("email", "password", "name", "workspace_name", "timezone", "locale")
    first = service.First(**{name: fields[name] for name in names})
    return service.set_up(fields["token"], first, now)


def _sign_in(answer: Response, user: User, now: datetime) -> None:
    begin_session(answer, sessions.begin(user.id, now, client=client()))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."
