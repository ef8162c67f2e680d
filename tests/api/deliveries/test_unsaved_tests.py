"""Tests of a destination before it is created (specification 9.10)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from werkzeug.test import TestResponse

from inbox.config import settings as settings_module
from inbox.config.settings import Settings
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery, Notice
from inbox.models.records.audit import AuditEntry
from tests.api.deliveries.destinations_steps import Browsers
from tests.browser import Browser
from tests.cast import Cast, typeid
from tests.stand_ins.receivers import SECRET, Answer, Receiver

PATH = "/v1/destinations/test"


def sent_test(browser: Browser, cast: Cast, url: str, **more: Any) -> TestResponse:
    body = {"workspaceId": typeid("wsp", cast.workspace.id), "name": "Pager", "kind": "webhook"}
    return browser.post(PATH, {**body, "config": {"url": url, "secret": SECRET}, **more})


def test_a_test_before_the_creation_is_signed_and_stores_nothing(
    browser: Browsers, cast: Cast, receiver: Receiver
) -> None:
    answer = sent_test(browser("adam"), cast, receiver.url)

    (request,) = receiver.requests
    receipt = answer.get_json()
    assert (answer.status_code, receipt["status"], receipt["statusCode"]) == (200, "sent", 200)
    assert request.verified()["type"] == "test"
    assert [each.select().count() for each in (Destination, Delivery, Notice)] == [0, 0, 0]


def test_the_audit_log_has_the_test_without_its_settings(browser: Browsers, cast: Cast, receiver: Receiver) -> None:
    sent_test(browser("adam"), cast, receiver.url)

    entry = AuditEntry.get(AuditEntry.action == "destination.tested")
    assert (entry.details, entry.target["name"]) == ({"kind": "webhook", "unsaved": True}, "Pager")


def test_a_refusal_is_answered(browser: Browsers, cast: Cast, receiver: Receiver) -> None:
    receiver.script(Answer(410, b"gone"))

    receipt = sent_test(browser("adam"), cast, receiver.url).get_json()

    assert (receipt["status"], receipt["statusCode"]) == ("failed", 410)


@pytest.mark.parametrize(
    ("more", "pointer"),
    [({"kind": "pigeon"}, "/kind"), ({"config": {"url": "https://93.184.216.34/"}}, "/config/secret")],
)
def test_settings_that_cannot_be_created_are_not_tested(
    browser: Browsers, cast: Cast, receiver: Receiver, more: dict[str, Any], pointer: str
) -> None:
    answer = sent_test(browser("adam"), cast, receiver.url, **more)

    assert (answer.status_code, answer.get_json()["errors"][0]["pointer"]) == (422, pointer)
    assert receiver.requests == []


def test_tests_of_new_destinations_of_a_workspace_are_limited_to_ten_a_minute(
    browser: Browsers, cast: Cast, receiver: Receiver, settings: Settings
) -> None:
    settings_module.use(replace(settings, rate_limits=True))
    adam = browser("adam")

    answers = [sent_test(adam, cast, receiver.url).status_code for _ in range(11)]

    assert answers == [200] * 10 + [429]
    assert len(receiver.requests) == 10


def test_members_and_people_of_other_workspaces_cannot_test(browser: Browsers, cast: Cast, receiver: Receiver) -> None:
    answers = [sent_test(browser(name), cast, receiver.url).status_code for name in ("mia", "eve")]

    assert answers == [403, 422]
    assert receiver.requests == []
