"""The stand-ins of services without published types refuse what the documentation of the services forbids.

Each test takes the requests that a kind sends for an incident, and puts one defect into one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from inbox.destinations.layout import utf8_length
from tests.destinations.kinds.card_services import LARGEST_EVENT
from tests.destinations.kinds.cases import CASES
from tests.destinations.kinds.defects import (
    FORM,
    Path,
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
from tests.stand_ins.receivers import Request

HTML = ("m.new_content", "formatted_body")
RELATION = ("m.relates_to",)


@dataclass(frozen=True)
class Documented:
    """What the documentation of a service demands: members, the longest text of some, and values at a limit and beyond.

    `credential` is the header or the member that proves who sends.
    """

    credential: str
    required: tuple[Path, ...]
    longest: Mapping[Path, tuple[int, Callable[[str], int]]]
    taken: tuple[tuple[Path, Any], ...]
    refused: tuple[tuple[Path, Any], ...]


def several(path: Path, *values: Any) -> tuple[tuple[Path, Any], ...]:
    """Each value at the place."""
    return tuple((path, value) for value in values)


SERVICES = {
    "matrix": Documented(
        "authorization",
        (("msgtype",), ("body",), ("format",), ("m.new_content",), (*RELATION, "rel_type"), (*RELATION, "event_id")),
        {},
        several(("msgtype",), "m.text", "m.notice"),
        (
            *several(("msgtype",), "m.unknown", ""),
            *several(("format",), "text/html"),
            *several(HTML, "<script>x</script>", "<b onclick='x'>x</b>", "<a href='https://evil.example'>x</a>"),
            *several(("m.mentions",), {"room": True}),
            *several((*RELATION, "event_id"), "$unknown"),
            *several((*RELATION, "rel_type"), "m.other"),
            *several((*RELATION, "is_falling_back"), False),
        ),
    ),
    "ntfy": Documented(
        "authorization",
        (("topic",), ("message",), ("actions", 0, "action"), ("actions", 0, "label"), ("actions", 0, "url")),
        {("message",): (4_096, utf8_length), ("sequence_id",): (64, len)},
        several(("priority",), 1, 5),
        (
            *several(("priority",), 0, 6, "5"),
            *several(("sequence_id",), "", "a/b", "a b", "é"),
            *several(("topic",), "other", ""),
            *several(("actions", 0, "action"), "email"),
            *several(("actions",), [{"action": "view", "label": "Open", "url": "x"}] * 4),
            *several(("message",), ""),
        ),
    ),
    "gotify": Documented(
        "x-gotify-key",
        (("message",),),
        {("message",): (8_000, len)},
        several(("priority",), 0, 10),
        (
            *several(("priority",), -1, 11, "8"),
            *several(("message",), ""),
            *several(("extras", "client::display", "contentType"), "text/html"),
        ),
    ),
    "pushover": Documented(
        "token",
        (("token",), ("user",), ("message",), ("retry",), ("expire",)),
        {("title",): (250, len), ("message",): (1_024, len), ("url_title",): (100, len)},
        (*several(("priority",), -2, 1), *several(("retry",), 30), *several(("expire",), 10_800)),
        (
            *several(("priority",), -3, 3),
            *several(("retry",), 29),
            *several(("expire",), 10_801),
            *several(("user",), "uSecretUserOfPushover000000001"),
            *several(("message",), ""),
        ),
    ),
    "opsgenie": Documented(
        "authorization",
        (("message",), ("alias",)),
        {
            ("message",): (130, len),
            ("alias",): (512, len),
            ("description",): (15_000, len),
            ("entity",): (512, len),
            ("source",): (100, len),
            ("note",): (25_000, len),
        },
        several(("priority",), "P1", "P5"),
        (
            *several(("priority",), "P0", "P6", 1),
            *several(("message",), ""),
            *several(("details",), {"a": "x" * 4_000, "b": "x" * 4_001}, {"a": 1}),
        ),
    ),
    "twilio_sms": Documented(
        "authorization",
        (("To",), ("From",), ("Body",)),
        {("Body",): (1_600, len)},
        several(("ValidityPeriod",), 1, 14_400),
        (
            *several(("ValidityPeriod",), 0, 14_401, "soon"),
            *several(("To",), "0170000000", "+49170000000x", ""),
            *several(("From",), "+15550199", ""),
            *several(("Body",), "", "a\x00b"),
        ),
    ),
}


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
        assert service == "twilio_sms" or json_of(turn.request, turn.request.method) == body_of(turn.request)


def test_each_service_without_published_types_is_here() -> None:
    assert set(SERVICES) == UNPUBLISHED
