"""First run: the set-up link makes the first account (decision 1)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Any

from flask import Response, make_response

from inbox.api.blueprint import Blueprint
from inbox.api.entrance import begin_session, visitor
from inbox.api.schemas.accounts import Setup, SignedIn
from inbox.domain.refusals import NotFound
from inbox.services import sessions
from inbox.services import setup as service

blp = Blueprint("setup", __name__, url_prefix="/v1/setup", description="First run, while nobody has an account.")


def _while_nobody_has_an_account(view: Callable[..., Any]) -> Callable[..., Any]:
    """Afterwards there is nothing here, whatever is sent."""

    @wraps(view)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if not service.is_required():
            raise NotFound()
        return view(*args, **kwargs)

    return guarded


@blp.route("/", methods=["POST"], endpoint="create")
@_while_nobody_has_an_account
@blp.arguments(Setup)
@blp.response(201, SignedIn)
@blp.refuses("token_invalid", "not_found")
def create(fields: dict[str, Any]) -> Response:
    """Make the first account

    The bearer of the one-time set-up link, which the server prints while nobody has an account, becomes the instance's
    administrator with a first workspace, and is signed in. Afterwards this address is 404.
    """
    now = datetime.now(UTC)
    first = service.First(fields["email"], fields["password"], fields["name"], fields["workspace_name"])
    user, _ = service.set_up(fields["token"], first, now)
    token = sessions.begin(user.id, now, visitor=visitor())
    answer = make_response(SignedIn().dump({"user": user}), 201)
    begin_session(answer, token)
    return answer
