"""The stand-ins of services without published types refuse what the documentation of the services forbids.

Each test takes the requests that a kind sends for an incident, and puts one defect into one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.destinations.kinds.cases import CASES, with_table
from tests.destinations.kinds.defects import (
    FORM,
    Turn,
    body_of,
    defects,
    first_with,
    member,
    turns,
    with_body,
    with_headers,
    with_member,
)
from tests.destinations.kinds.stand_in import json_of
from tests.destinations.kinds.test_published_types import UNPUBLISHED
from tests.destinations.matrix import LARGEST_EVENT
from tests.stand_ins.receivers import Request

SERVICES = {module.CASES[0].name: module.DOCUMENTED for module in with_table("DOCUMENTED")}


@pytest.fixture(params=list(SERVICES))
def service(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def status(name: str, turn: Turn, request: Request) -> int:
    """What the stand-in answers to a changed request."""
    return turn.answer(CASES[name], request).status


def test_a_member_that_nobody_knows_and_a_number_for_a_text_are_refused(service: str) -> None:
    for turn in turns(CASES[service]):
        is_form = turn.request.headers["content-type"] == FORM  # whose values are all texts
        body = body_of(turn.request)
        for changed in [{**body, "unknown": 1}] if is_form else defects(body):
            assert status(service, turn, with_body(turn.request, changed)) == 400, changed


def test_a_required_member_that_is_missing_is_refused(service: str) -> None:
    found = turns(CASES[service])
    for path in SERVICES[service].required:
        turn = first_with(found, path)
        assert status(service, turn, with_member(turn.request, path, ...)) == 400, path


def test_a_text_is_taken_at_its_limit_and_refused_above(service: str) -> None:
    found = turns(CASES[service])
    for path, (longest, length) in SERVICES[service].longest.items():
        turn = first_with(found, path)
        text = member(body_of(turn.request), path)
        for beyond in (0, 1):
            padded = "x" * (longest - length(text) + beyond) + text
            answered = status(service, turn, with_member(turn.request, path, padded))
            assert answered == 400 if beyond else answered < 300, (path, beyond)


def test_a_value_is_taken_at_its_limit_and_refused_beyond(service: str) -> None:
    found, documented = turns(CASES[service]), SERVICES[service]
    for path, value in documented.taken:
        turn = first_with(found, path)
        assert status(service, turn, with_member(turn.request, path, value)) < 300, (path, value)
    for path, value in documented.refused:
        turn = first_with(found, path)
        assert status(service, turn, with_member(turn.request, path, value)) == 400, (path, value)


def without_its_frame(request: Request, credential: str) -> Iterator[tuple[str, Request]]:
    """The request with another method, path, type or credential."""
    yield "method", replace(request, method="GET")
    yield "path", replace(request, path=f"{request.path}/other")
    yield "no type", with_headers(request, content_type=None)
    yield "type", with_headers(request, content_type="text/plain")
    if credential in request.headers:
        for value in (None, "", f"{request.headers[credential]}x"):
            yield f"credential {value!r}", with_headers(request, **{credential: value})
    else:
        for value in (..., "", "another"):
            yield f"credential {value!r}", with_member(request, (credential,), value)


def test_another_method_path_type_or_credential_is_refused(service: str) -> None:
    for turn in turns(CASES[service]):
        for what, request in without_its_frame(turn.request, SERVICES[service].credential):
            assert status(service, turn, request) == 400, what


@pytest.mark.parametrize(("beyond", "expected"), [(0, 200), (1, 400)])
def test_an_event_of_matrix_is_taken_up_to_its_size(beyond: int, expected: int) -> None:
    turn = turns(CASES["matrix"])[0]
    space = b" " * (LARGEST_EVENT - len(turn.request.body) + beyond)

    assert status("matrix", turn, replace(turn.request, body=turn.request.body + space)) == expected


def test_twilio_takes_each_parameter_once() -> None:
    turn = turns(CASES["twilio_sms"])[0]

    assert status("twilio_sms", turn, replace(turn.request, body=turn.request.body + b"&To=%2B491700000000")) == 400


def test_the_recorded_request_is_accepted(service: str) -> None:
    for turn in turns(CASES[service]):
        assert status(service, turn, turn.request) < 300
        assert service.startswith("twilio_") or json_of(turn.request, turn.request.method) == body_of(turn.request)


def test_each_service_without_published_types_has_a_stand_in() -> None:
    assert set(SERVICES) == UNPUBLISHED
