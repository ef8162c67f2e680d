"""Rules for every kind: no answer raises, every call uses the client, and a description exists."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inbox.destinations import KINDS, Message
from inbox.destinations.descriptors import FieldType
from inbox.destinations.http import CallResult, Client
from inbox.destinations.service import EditingKind
from inbox.domain.deliveries.delivery import Receipt
from inbox.domain.values.addresses import OutboundPolicy
from tests.destinations.kinds import test_answers_of_chats, test_answers_of_others
from tests.destinations.kinds.cases import CASES, EDITING
from tests.destinations.kinds.notice_bodies import AT, body
from tests.destinations.kinds.stand_in import Case, Stage, outcome

OF_SERVICES = sorted(set(KINDS) - {"webhook", "web_push", "email"})
case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)

NAMES = st.sampled_from(
    [
        "ok",
        "error",
        "code",
        "errcode",
        "retry_after",
        "retry_after_ms",
        "parameters",
        "migrate_to_chat_id",
        "result",
        "message_id",
        "id",
        "ts",
        "channel",
        "event_id",
        "status",
        "user",
        "token",
        "errors",
        "description",
        "http",
        "receipt",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.integers(min_value=10**25)
    | st.sampled_from(["ratelimited", "M_LIMIT_EXCEEDED", 429, 10008, "message is not modified", "can't parse entities"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=8,
)  # fmt: skip
BODIES = (
    st.dictionaries(NAMES, VALUES, max_size=6).map(lambda found: json.dumps(found).encode())
    | VALUES.map(lambda found: json.dumps(found).encode())
    | st.binary(max_size=50)
)
HEADERS = st.dictionaries(
    st.sampled_from(["x-ratelimit-reset", "x-limit-app-reset", "x-ratelimit-period-in-sec"]),
    st.sampled_from(["", "12", "-1", "nan", "inf", "9" * 400, "soon"]),
)
REFERENCE_OF_ALL = {"channel": "C1", "ts": "1.0", "id": "m1", "chatId": 1, "messageId": 1, "eventId": "$1"}
"""What the kinds keep of a message, all in one."""

REFERENCES = [{}, {"place": "x"}, {"id": "m1"}]


class Answering(Client):
    """A client whose calls are answered from a list, without a network."""

    def __init__(self, answers: list[CallResult]) -> None:
        super().__init__(OutboundPolicy(allow_private=False, allow_loopback=False))
        self.answers = answers
        self.urls: list[str] = []

    def exchange(self, method: str, url: str, headers: Any, body: bytes | None = None) -> CallResult:
        self.urls.append(url)
        assert all(value.isascii() and value.isprintable() for value in headers.values())
        return self.answers[(len(self.urls) - 1) % len(self.answers)]


RESULTS = st.builds(
    lambda status, content, headers: CallResult(Receipt(status_code=status), content, headers),
    st.sampled_from([200, 201, 202, 204, 302, 400, 401, 403, 404, 410, 413, 429, 500, 503]), BODIES, HEADERS,
)  # fmt: skip


@case
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    answers=st.lists(RESULTS, min_size=1, max_size=3),
    reason=st.sampled_from(["opened", "escalated", "resolved", "test"]),
)
def test_no_answer_of_a_service_makes_a_kind_fail(case: Case, answers: list[CallResult], reason: str) -> None:
    kind, config = KINDS[case.kind], case.config
    place = kind.place(config) if isinstance(kind, EditingKind) else None
    for reference in ({}, {"place": place, **REFERENCE_OF_ALL}):
        client = Answering(answers)
        receipt = kind.send(Message("dlv_1", body(reason), AT, reference), config, client)
        assert outcome(receipt) in ("sent", "retry", "message refused", "destination refused")
        assert 1 <= len(client.urls) <= 6


@case
@pytest.mark.parametrize("content", [b"[" * 60_000, b'{"id":' * 9_000, b'{"id":' + b"9" * 5_000 + b"}"], ids=len)
def test_a_deep_body_and_a_long_number_make_no_kind_fail(case: Case, content: bytes) -> None:
    client = Answering([CallResult(Receipt(status_code=200), content)])
    receipt = KINDS[case.kind].send(Message("dlv_1", body(), AT), case.config, client)

    assert receipt.reference is None


@pytest.mark.parametrize("stage", EDITING, indirect=True)
@pytest.mark.parametrize("reference", REFERENCES)
def test_an_incomplete_reference_counts_as_a_deleted_message(stage: Stage, reference: dict[str, Any]) -> None:
    stage.reference = reference

    assert outcome(stage.send("resolved")) == "sent"
    assert len(stage.service.messages) == 1


def test_calls_go_to_fixed_hosts_or_to_hosts_of_the_settings(stage: Stage) -> None:
    stage.send()

    assert stage.client.urls
    assert all(url.startswith(f"{stage.service.origin}/") for url in stage.client.urls)


@pytest.mark.parametrize("name", OF_SERVICES)
def test_a_kind_is_described_in_full(name: str) -> None:
    found = KINDS[name].description

    assert (found.kind, KINDS[name].name) == (name, name)
    assert found.label
    assert found.summary.endswith(".")
    assert found.limits.text_length
    shown = {each.name for each in found.fields if not each.secret} | {each.hint_name for each in found.fields}
    assert found.target in shown


@pytest.mark.parametrize("field", [
    pytest.param(each, id=f"{name}-{each.name}") for name in OF_SERVICES for each in KINDS[name].description.fields
])  # fmt: skip
def test_a_field_is_described_in_full(field: Any) -> None:
    assert field.label
    assert field.help.endswith((".", '".'))
    assert field.secret or field.type is not FieldType.SECRET
    if field.type in (FieldType.TEXT, FieldType.URL, FieldType.SECRET) and field.name != "password":
        assert field.example
    if field.pattern is not None:
        assert re.fullmatch(field.pattern, field.example), field.example
    assert (field.type is FieldType.CHOICE) == bool(field.choices)
    assert not field.choices or not field.required or field.default in field.choices
    assert dataclasses.replace(field) == field


def test_every_kind_and_form_of_settings_is_tested() -> None:
    assert {each.kind for each in CASES.values()} | {"apprise"} == set(OF_SERVICES)  # it is no client of ours
    answers = [*test_answers_of_chats.ANSWERS, *test_answers_of_others.ANSWERS]
    assert {name for name, *_ in answers} == set(CASES)
