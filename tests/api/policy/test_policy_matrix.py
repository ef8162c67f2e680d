"""Every operation, sent by everybody there is: the answer is what the table of expectations says, and the document says it too.

The table (`expectations.py`) is not the product's: a new operation needs its line there.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

import peewee
import pytest
from flask import Flask

from inbox.api.http.policy import POLICY
from inbox.config.settings import Settings
from inbox.domain.senders import keys
from inbox.models.people.accounts import User
from inbox.models.people.members import Member
from tests.api.openapi.operations import Operation, operations
from tests.api.policy.expectation_lines import Expected
from tests.api.policy.expectations import EXPECTED
from tests.api.stage import IN_FORCE, Stage, some_workspace, somebody
from tests.browser import Browser
from tests.cast import join, make_key, present, sign_in
from tests.proving import HOME
from tests.stand_ins.phone import Phone, pair

pytestmark = pytest.mark.slow

RANKS = ["viewer", "member", "admin", "owner"]


class Shows(StrEnum):
    """What a request carries."""

    NOTHING = "nothing"
    SESSION = "session"
    DEVICE = "device"
    SOURCE_KEY = "sourceKey"
    OTHER = "other"


@dataclass(frozen=True)
class Actor:
    """Somebody who sends: `role` in the workspace, `elsewhere` in another workspace, `proved` lately or not."""

    shows: Shows
    role: str | None = None
    elsewhere: str | None = None
    proved: bool = True
    administers: bool = False
    expired: bool = False
    removed: bool = False


ACTORS: dict[str, Actor] = {
    "anonymous": Actor(Shows.NOTHING),
    "outsider": Actor(Shows.SESSION, elsewhere="owner"),
    "viewer": Actor(Shows.SESSION, "viewer"),
    "member": Actor(Shows.SESSION, "member"),
    "admin": Actor(Shows.SESSION, "admin"),
    "owner": Actor(Shows.SESSION, "owner"),
    "owner without a recent proof": Actor(Shows.SESSION, "owner", proved=False),
    "removed member": Actor(Shows.SESSION, removed=True),
    "instance admin": Actor(Shows.SESSION, administers=True),
    "source key": Actor(Shows.SOURCE_KEY),
    "heartbeat token": Actor(Shows.OTHER),
    "device of an owner": Actor(Shows.DEVICE, "owner", proved=False),
    "device of a viewer": Actor(Shows.DEVICE, "viewer", proved=False),
    "device of an instance admin": Actor(Shows.DEVICE, administers=True, proved=False),
    "expired session": Actor(Shows.SESSION, "owner", expired=True),
}


def expected(line: Expected, actor: Actor, success: int) -> tuple[int, str]:
    """Status and code, from the line of expectations alone; no code where it is let in."""
    existing = Shows.NOTHING if actor.expired else actor.shows
    required = {
        "none": set(Shows),
        "session": {Shows.SESSION},
        "device": {Shows.DEVICE},
        "user": {Shows.SESSION, Shows.DEVICE},
        "sourceKey": {Shows.SOURCE_KEY},
        "aliasToken": set(),
        "heartbeatToken": set(),
        "pingKey": set(),
        "signature": set(),
    }[line.credential]
    let_in = (success, "")
    if existing not in required:
        return 401, "unauthenticated"
    if line.credential in ("none", "sourceKey"):
        return let_in
    if line.instance_admin and not actor.administers:
        return 403, "forbidden instanceAdmin"
    if line.step_up is not None and not actor.proved:
        return 403, "reauth_required"
    if line.found_by == "none":
        return let_in
    if line.found_by == "caller":
        roles = [role for role in (actor.role, actor.elsewhere) if role is not None]
        may = not roles or any(_reaches(role, line.role) for role in roles)
        return let_in if may else (403, f"forbidden {line.role}")
    if actor.role is None:
        return (422, "validation_failed") if line.found_by == "body" else (404, "not_found")
    return let_in if _reaches(actor.role, line.role) else (403, f"forbidden {line.role}")


def _reaches(role: str, least: str | None) -> bool:
    return least is None or RANKS.index(role) >= RANKS.index(least)


def new_stage() -> Stage:
    """A stage whose owner administers the instance, so that nobody else is the last who does."""
    stage = Stage()
    User.update(is_instance_admin=True).where(User.id == stage.owner.id).execute()
    return stage


def enter(actor: Actor, stage: Stage, app: Flask) -> Browser:
    """What this actor sends with, on the stage. It is about them from here on."""
    if stage.person is not stage.owner:  # somebody was on this stage before
        stage.act(somebody())
    stage.device = None
    if actor.shows is Shows.NOTHING:
        return Browser(app, HOME)
    if actor.shows is Shows.SOURCE_KEY:
        return Phone(app, HOME, make_key(stage.source))
    if actor.shows is Shows.OTHER:
        return Phone(app, HOME, keys.mint(keys.KeyKind.HEARTBEAT, b"h" * 32))
    person = somebody(is_instance_admin=actor.administers)
    if actor.role is not None:
        join(stage.workspace, person, actor.role)
    if actor.elsewhere is not None:
        some_workspace(owner=person)
    if actor.removed:
        join(stage.workspace, person, "owner")
        Member.delete().where(Member.user == person.id).execute()
    if actor.shows is Shows.DEVICE:
        stage.act(person)
        tokens = pair(person)
        stage.device = tokens.device_id
        return Phone(app, HOME, tokens.access_token)
    more: dict[str, Any] = {} if actor.proved else {"proved_at": present() - timedelta(hours=1)}
    if actor.expired:
        more["created_at"] = present() - timedelta(days=91)
    token = sign_in(person, **more)
    stage.act(person, token)
    return Browser(app, HOME, cookie=token)


@pytest.fixture
def in_force(ground: peewee.Database, in_settings: Callable[..., Settings]) -> None:
    in_settings(**IN_FORCE)


def send(operation: Operation, stage: Stage, browser: Browser, app: Flask) -> tuple[int, str]:
    """Status, and the problem's code with the role that it asks for."""
    values = operation.values(stage)
    path, body = operation.path(app, values), operation.body(stage)
    with closing(browser.call(operation.method, path, {} if body is None and _writes(operation) else body)) as answer:
        assert str(answer.status_code) in operation.described["responses"], "a status that is not described"
        if answer.status_code < 400:
            return answer.status_code, ""
        problem = answer.get_json(force=True)
        return answer.status_code, " ".join(filter(None, [problem["code"], problem.get("requiredRole")]))


def _writes(operation: Operation) -> bool:
    return operation.method not in ("GET", "DELETE")


@pytest.mark.usefixtures("in_force")
@pytest.mark.parametrize("endpoint", sorted(name for name in POLICY if not name.startswith("dashboard.")))
def test_everybody_gets_the_answer_that_is_expected(endpoint: str, app: Flask) -> None:
    assert endpoint in EXPECTED, "write a line for it in tests/api/policy/expectations.py"
    own_one = [each for each in operations(app) if each.endpoint == endpoint]
    assert own_one, "a policy without an operation"
    for operation in own_one:
        cells = {}
        of_the_refused = new_stage()
        for name, actor in ACTORS.items():
            required = expected(EXPECTED[endpoint], actor, operation.success)
            let_in = required == (operation.success, "")
            # What is refused changes nothing. What a sample prepares, it prepares once on a stage.
            stage = new_stage() if let_in or operation.sample.before else of_the_refused
            status, code = send(operation, stage, enter(actor, stage, app), app)
            cells[name] = (status, "" if let_in and status == operation.success else code), required
        assert {name: got for name, (got, _) in cells.items()} == {name: due for name, (_, due) in cells.items()}


def test_the_expectations_name_every_operation_and_no_other() -> None:
    assert sorted(EXPECTED) == sorted(POLICY)


def test_the_policy_table_matches_the_expected_credentials_and_factors() -> None:
    policy = {name: (entry.optional_credential, entry.mfa) for name, entry in POLICY.items()}

    assert policy == {name: (line.heeds, line.mfa) for name, line in EXPECTED.items()}
