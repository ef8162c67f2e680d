"""A large on-call set-up is created within the limits of one request (specification 22.12)."""

from __future__ import annotations

import json

import pytest

from inbox.models.oncall.schedules import OnCallSchedule
from inbox.services.oncall.schedules import MAX_SCHEDULES
from tests.api.imports.imports_steps import IMPORT, adam  # noqa: F401  a fixture
from tests.api.imports.test_imports_on_call import of_file
from tests.browser import Browser
from tests.cast import Cast, join, make_user, present
from tests.intake.importers.opsgenie import fixtures
from tests.intake.importers.rotas import rotas

pytestmark = pytest.mark.slow


def test_all_schedules_that_a_workspace_may_have_are_created_by_one_request_and_once(adam: Browser, cast: Cast) -> None:
    for email in fixtures.PEOPLE:
        name = email.partition("@")[0]
        join(cast.workspace, make_user(name), "member")
    drawn = rotas(MAX_SCHEDULES, present(), fixtures.PEOPLE, levels=1, has_nobody=True)
    found = json.loads(json.dumps(fixtures.answers(drawn, present())).replace("@acme.example", "@example.org"))

    first = adam.post(IMPORT, of_file(cast, found))
    second = adam.post(IMPORT, of_file(cast, found))

    assert (first.status_code, second.status_code) == (201, 201), first.text
    assert {each["created"] for each in second.json["items"]} == {False}
    assert OnCallSchedule.select().count() == MAX_SCHEDULES
    turns = [turn for row in OnCallSchedule.select() for layer in row.layers for turn in layer["members"]]
    assert len({user for turn in turns for user in turn}) == len(fixtures.PEOPLE)


def test_a_schedule_above_the_maximum_of_the_workspace_is_refused_and_nothing_is_created(
    adam: Browser, cast: Cast
) -> None:
    drawn = rotas(MAX_SCHEDULES + 1, present(), fixtures.PEOPLE, levels=1, has_nobody=True)

    refused = adam.post(IMPORT, of_file(cast, fixtures.answers(drawn)))

    assert (refused.status_code, refused.json["code"]) == (409, "conflict")
    assert OnCallSchedule.select().count() == 0
