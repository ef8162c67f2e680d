"""The request examples of the document, filled with existing records and secrets.

Ids become ids of the stage, and proofs (tokens, codes, challenges, passwords) become proofs of its person. Everything
else is sent as the document writes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

from flask import Flask

from inbox.domain.values import ids
from inbox.models.people.accounts import User
from inbox.services.instance import setup
from tests.api.deliveries.destinations_steps import text_preview
from tests.api.oncall.schedule_samples import colleague
from tests.api.openapi.operations import Operation
from tests.api.stage import PASSWORD, Stage, somebody
from tests.browser import Browser
from tests.cast import join, make_key, present, sign_in
from tests.proving import HOME, App, assertion_of, authenticator

PROOFS = frozenset({"token", "challenge", "code", "credential", "refreshToken", "undoId", "rev"})
"""What nobody can know from a document; taken from the operation's sample."""

_ID = re.compile(r"([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}")

_OF_STAGE: dict[str, Callable[[Stage], UUID]] = {
    "wsp": lambda stage: stage.workspace.id,
    "src": lambda stage: stage.source.id,
    "dst": lambda stage: stage.destination_id,
    "prf": lambda stage: stage.profile.id,
    "rul": Stage.rule_id,
    "evt": Stage.event_id,
    "inc": lambda stage: stage.incident.id,
    "usr": lambda stage: stage.person.id,
    "lay": lambda stage: ids.decode("lay", stage.schedule.layers[0]["id"]),
}


def example_of(operation: Operation) -> Any:
    """The example of the operation's body, None where it takes none."""
    media = operation.described.get("requestBody", {}).get("content", {}).get("application/json", {})
    return next((each["value"] for each in media.get("examples", {}).values()), media.get("example"))


def entered(app: Flask) -> tuple[Stage, str]:
    """One of two owners, instance administrator, on their own stage, and the cookie of their session."""
    stage = Stage()
    join(stage.workspace, somebody(), "owner")
    User.update(is_instance_admin=True).where(User.id == stage.owner.id).execute()
    token = sign_in(stage.owner)
    stage.act(stage.owner, token)
    return stage, token


def filled(operation: Operation, stage: Stage, app: Flask) -> Any:
    """The example of the operation with what is the stage's."""
    if operation.endpoint == "rules.reorder":
        return example_of(operation) | operation.body(stage)
    body = _with_ids(example_of(operation), stage)
    if isinstance(body, list):
        return body
    special = _SPECIAL.get(operation.endpoint)
    if special is not None:
        return body | special(stage, app)
    if PROOFS & body.keys():
        sample = operation.body(stage)
        body |= {name: sample[name] for name in PROOFS & body.keys()}
    return body


def _with_ids(value: Any, stage: Stage) -> Any:
    if isinstance(value, dict):
        return {name: _with_ids(inner, stage) for name, inner in value.items()}
    if isinstance(value, list):
        return [_with_ids(inner, stage) for inner in value]
    named = _ID.fullmatch(value) if isinstance(value, str) else None
    if named is None or named[1] not in _OF_STAGE:
        return value
    return ids.encode(named[1], _OF_STAGE[named[1]](stage))


def _challenge(stage: Stage, app: Flask) -> str:
    answer = Browser(app, HOME).post("/v1/auth/login", {"email": stage.person.email, "password": PASSWORD})
    return str(answer.json["challenge"])


def _login_factor(stage: Stage, app: Flask) -> dict[str, Any]:
    code = App.of(stage.person).code()
    return {"challenge": _challenge(stage, app), "code": code}


def _login_options(stage: Stage, app: Flask) -> dict[str, Any]:
    authenticator(stage.person)
    return {"challenge": _challenge(stage, app)}


def _routing_key(stage: Stage, app: Flask) -> dict[str, Any]:
    return {"routing_key": make_key(stage.source)}


_SPECIAL: dict[str, Callable[[Stage, Flask], dict[str, Any]]] = {
    "auth.login": lambda stage, app: {"email": stage.person.email, "password": PASSWORD},
    "auth.login_second_factor": _login_factor,
    "auth.login_options": _login_options,
    "auth.passkey": lambda stage, app: assertion_of(
        Browser(app, HOME), "/v1/auth/passkey/options", authenticator(stage.person)
    ),
    "auth.step_up": lambda stage, app: {"password": PASSWORD},
    "destinations.preview_text": lambda stage, app: {"incidentId": text_preview(stage)["incidentId"]},
    "pagerduty.enqueue": _routing_key,
    "pagerduty.enqueue_change": _routing_key,
    "forwardings.create": lambda stage, app: {"to": colleague(stage)},
    "me.change_password": lambda stage, app: {"currentPassword": PASSWORD},
}


def setup_body(operation: Operation) -> Any:
    """The example of the first set-up with the token of a link; nobody may have an account yet."""
    link = setup.setup_link(present())
    assert link is not None
    return example_of(operation) | {"token": link.partition("#token=")[2]}
