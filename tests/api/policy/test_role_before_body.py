"""The role of the caller is checked before the body, because validation may be expensive (decision 0009)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from types import FrameType
from typing import Any

import marshmallow as ma
import peewee
import pytest
from flask import Flask

from inbox.api.http.parsing import EmptySchema
from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.models.people.members import Member
from inbox.models.workspaces.tables import Workspace
from tests.api.openapi.operations import Operation, operations
from tests.api.policy.expectations import EXPECTED
from tests.api.stage import IN_FORCE, Stage, some_workspace, somebody
from tests.browser import Browser
from tests.cast import Cast, join, present, sign_in, typeid
from tests.proving import HOME

Browsers = Callable[[str], Browser]

OF_A_WORKSPACE = frozenset({"body", "path", "record"})
FAULTS = {"surplus": 1, "name": "", "match": {"all": [{"field": "colour"}]}}
"""Members that no operation accepts together."""

RANKS = ["viewer", "member", "admin", "owner"]


@pytest.fixture
def in_force(ground: peewee.Database, in_settings: Callable[..., Settings]) -> None:
    in_settings(**IN_FORCE)


@contextmanager
def validated() -> Iterator[set[type[ma.Schema]]]:
    """The schemas that read something meanwhile. A schema without fields refuses what an operation does not take."""
    found: set[type[ma.Schema]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name == "_do_load":
            found.add(type(frame.f_locals["self"]))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)
        found.discard(EmptySchema)


def with_bodies(app: Flask) -> list[Operation]:
    """The operations with a JSON body that are about one workspace."""
    return [
        each
        for each in operations(app)
        if EXPECTED[each.endpoint].found_by in OF_A_WORKSPACE
        and "application/json" in each.described.get("requestBody", {}).get("content", {})
    ]


def enter(app: Flask, stage: Stage, *, role: str | None, **session: Any) -> Browser:
    """The browser of somebody with a role in the workspace of the stage, who owns another workspace."""
    person = somebody()
    some_workspace(owner=person)
    if role is not None:
        join(stage.workspace, person, role)
    return Browser(app, HOME, cookie=sign_in(person, **session))


def wrong_body(operation: Operation, stage: Stage) -> dict[str, Any]:
    found = dict(FAULTS)
    if EXPECTED[operation.endpoint].found_by == "body":
        found["workspaceId"] = ids.encode("wsp", stage.workspace.id)
    return found


@pytest.mark.usefixtures("in_force")
def test_the_role_is_checked_before_the_body_is_validated(app: Flask) -> None:
    answers = {}
    for operation in with_bodies(app):
        stage = Stage()
        path, eve = operation.path(app, operation.values(stage)), enter(app, stage, role=None)
        with validated() as schemas:
            answer = eve.call(operation.method, path, wrong_body(operation, stage))
        faults = [each["pointer"] for each in answer.json.get("errors", ())]
        answers[operation.endpoint] = (answer.status_code, faults, schemas)

    of_body = {name for name in answers if EXPECTED[name].found_by == "body"}
    assert len(answers) > 35 and len(of_body) > 12
    assert answers == {
        name: (422, ["/workspaceId"], set()) if name in of_body else (404, [], set()) for name in answers
    }


@pytest.mark.usefixtures("in_force")
def test_a_role_that_is_too_low_has_no_body_validated(app: Flask) -> None:
    answers, expected = {}, {}
    for operation in with_bodies(app):
        least = EXPECTED[operation.endpoint].role
        assert least is not None
        if least == "viewer":
            continue
        stage = Stage()
        path = operation.path(app, operation.values(stage))
        below = enter(app, stage, role=RANKS[RANKS.index(least) - 1])
        with validated() as schemas:
            answer = below.call(operation.method, path, wrong_body(operation, stage))
        answers[operation.endpoint] = (answer.status_code, answer.json.get("requiredRole"), schemas)
        expected[operation.endpoint] = (403, least, set())

    assert len(answers) > 30
    assert answers == expected


@pytest.mark.usefixtures("in_force")
def test_a_role_that_is_enough_has_the_body_validated(app: Flask) -> None:
    """Shows that the observation of the tests above sees a validation."""
    unseen = []
    for operation in with_bodies(app):
        stage = Stage()
        owner = enter(app, stage, role="owner")
        path = operation.path(app, operation.values(stage))
        with validated() as schemas:
            owner.call(operation.method, path, wrong_body(operation, stage))
        if not schemas:
            unseen.append(operation.endpoint)

    assert unseen == []


@pytest.mark.usefixtures("in_force")
def test_a_missing_second_factor_is_reported_before_a_body_is_validated(app: Flask) -> None:
    answers = {}
    for operation in with_bodies(app):
        stage = Stage()
        path = operation.path(app, operation.values(stage))
        Workspace.update(settings={"requireMfa": True}).where(Workspace.id == stage.workspace.id).execute()
        owner = enter(app, stage, role="owner")
        with validated() as schemas:
            answer = owner.call(operation.method, path, wrong_body(operation, stage))
        answers[operation.endpoint] = (answer.status_code, answer.json["code"], schemas)

    assert answers == dict.fromkeys(answers, (403, "mfa_required", set()))


@pytest.mark.usefixtures("in_force")
def test_a_missing_proof_is_reported_before_a_body_is_validated(app: Flask) -> None:
    answers = {}
    for operation in (each for each in with_bodies(app) if EXPECTED[each.endpoint].step_up is not None):
        stage = Stage()
        path = operation.path(app, operation.values(stage))
        owner = enter(app, stage, role="owner", proved_at=present() - timedelta(hours=1))
        with validated() as schemas:
            answer = owner.call(operation.method, path, wrong_body(operation, stage))
        answers[operation.endpoint] = (answer.status_code, answer.json["code"], schemas)

    assert answers == dict.fromkeys(["invites.create", "members.change"], (403, "reauth_required", set()))


@pytest.mark.parametrize("sent", ["nothing", None, 5, "x", "src_01h455vb4pex5vsknk084sn02q"])
def test_only_short_members_are_validated_without_a_workspace(browser: Browsers, sent: Any) -> None:
    named = {} if sent == "nothing" else {"workspaceId": sent}
    long = {"matchText": 'title matches "["'.ljust(201), "match": {"all": [{"field": "colour"}]}, "sourceIds": [1]}

    refused = browser("olga").post("/v1/silences", {**named, **long, "comment": "", "surplus": "x", "other": {}})

    assert refused.status_code == 422
    assert sorted(each["pointer"] for each in refused.json["errors"]) == [
        "/comment", "/endsAt", "/surplus", "/workspaceId",
    ]  # fmt: skip


@pytest.mark.parametrize(("characters", "read"), [(199, True), (200, True), (201, False)])
def test_a_text_of_so_many_characters_is_validated_without_a_workspace(
    browser: Browsers, characters: int, read: bool
) -> None:
    refused = browser("olga").post("/v1/silences", {"matchText": 'title matches "["'.ljust(characters)})

    assert ("/matchText" in [each["pointer"] for each in refused.json["errors"]]) is read


def test_an_unknown_record_and_a_foreign_one_are_answered_alike(browser: Browsers, cast: Cast) -> None:
    eve, unknown = browser("eve"), typeid("src", new_id())

    answers = [eve.patch(f"/v1/sources/{each}", {"name": ""}) for each in (typeid("src", cast.source.id), unknown)]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].json["detail"] == answers[1].json["detail"]


def test_a_role_that_ended_has_no_body_validated(browser: Browsers, cast: Cast) -> None:
    adam = browser("adam")
    Member.delete().where(Member.user == cast.users["adam"]).execute()

    answer = adam.patch(f"/v1/sources/{typeid('src', cast.source.id)}", {"name": ""})

    assert answer.status_code == 404
