"""Mentions of each kind that has them: whom a message mentions, when, and that texts of senders mention nobody."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from inbox.destinations import KINDS
from inbox.domain.values.refusals import ValidationFailed
from tests.destinations.kinds.cases import CASES, rows
from tests.destinations.kinds.stand_in import Stage, staged, vet
from tests.stand_ins.receivers import Request

MENTIONS = rows("MENTIONS")
KINDS_WITH_MENTIONS = {CASES[name].kind: name for name, _, _ in MENTIONS}


def mentioning(name: str, mention: str, markup: str, **more: str) -> Any:
    case = CASES[name]
    stage = staged(replace(case, settings={**case.settings, "mention": mention, **more}))
    return stage, markup


def start(entered: Stage, markup: str) -> Stage:
    entered.service.mention = markup
    return entered


def texts(value: Any) -> Iterator[str]:
    """Every text in a request, and each object as JSON, as services read them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield json.dumps(value)
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)


def has(request: Request, markup: str) -> bool:
    return any(markup in text for text in texts(json.loads(request.body)))


def markups(stage: Stage, markup: str) -> list[bool]:
    return [has(request, markup) for request in stage.receiver.requests]


@pytest.mark.parametrize(("name", "mention", "markup"), MENTIONS)
def test_a_severe_notice_that_asks_for_attention_mentions(name: str, mention: str, markup: str) -> None:
    stage, _ = mentioning(name, mention, markup)
    with stage as entered:
        begun = start(entered, markup)
        assert begun.send("opened").is_accepted
        assert markups(begun, markup) == [True]
        assert begun.send("escalated").is_accepted
        assert markups(begun, markup)[-1] is True
        for reason in ("acknowledged", "resolved"):
            begun.send(reason)
            assert markups(begun, markup)[-1] is False


@pytest.mark.parametrize(("name", "mention", "markup"), MENTIONS)
def test_a_text_of_a_sender_beside_a_mention_has_no_effect(name: str, mention: str, markup: str) -> None:
    stage, _ = mentioning(name, mention, markup)
    with stage as entered:  # the service refuses markup other than the mention
        begun = start(entered, markup)
        for reason in ("opened", "acknowledged", "escalated"):
            assert begun.send(reason, "hostile").is_accepted


@pytest.mark.parametrize("name", sorted(KINDS_WITH_MENTIONS.values()))
@pytest.mark.parametrize(
    ("least", "severity", "is_mentioned"),
    [
        (None, "CRITICAL", True), (None, "ERROR", False), ("WARNING", "WARNING", True), ("WARNING", "ERROR", True),
        ("WARNING", "INFO", False), ("INFO", "SUCCESS", True), ("DEBUG", "DEBUG", True),
    ],
)  # fmt: skip
def test_a_notice_below_the_least_severity_mentions_nobody(
    name: str, least: str | None, severity: str, is_mentioned: bool
) -> None:
    mention, markup = next((mention, markup) for each, mention, markup in MENTIONS if each == name)
    stage, _ = mentioning(name, mention, markup, **({"mentionFrom": least} if least else {}))
    with stage as entered:
        begun = start(entered, markup)
        assert begun.send("opened", severity=severity).is_accepted
        assert markups(begun, markup) == [is_mentioned]


@pytest.mark.parametrize("name", sorted(KINDS_WITH_MENTIONS.values()))
def test_a_test_notice_mentions_at_any_severity(name: str) -> None:
    mention, markup = next((mention, markup) for each, mention, markup in MENTIONS if each == name)
    stage, _ = mentioning(name, mention, markup)
    with stage as entered:
        begun = start(entered, markup)
        assert begun.send("test").is_accepted
        assert markups(begun, markup)[-1] is True


@pytest.mark.parametrize(
    ("mention", "allowed"),
    [
        ("role:118000000000000000", {"parse": [], "roles": ["118000000000000000"]}),
        ("user:118000000000000000", {"parse": [], "users": ["118000000000000000"]}),
        ("@here", {"parse": ["everyone"]}),
    ],
)
def test_discord_is_allowed_to_notify_those_of_the_setting_alone(mention: str, allowed: dict[str, Any]) -> None:
    markup = next(markup for _, each, markup in MENTIONS if each == mention)
    stage, _ = mentioning("discord", mention, markup)
    with stage as entered:
        begun = start(entered, markup)
        for reason in ("opened", "acknowledged", "escalated"):
            begun.send(reason, "hostile")
        found = [json.loads(each.body)["allowed_mentions"] for each in begun.receiver.requests]
        assert found == [allowed, {"parse": []}, {"parse": []}, allowed]


def test_a_card_of_teams_names_the_person_that_it_mentions() -> None:
    person = "olga_ops@example.org"
    stage, markup = mentioning("teams", person, f"<at>{person}</at>")
    with stage as entered:
        begun = start(entered, markup)
        begun.send("opened")
        card = json.loads(begun.receiver.requests[0].body)["attachments"][0]["content"]
    entity = {"type": "mention", "text": markup, "mentioned": {"id": person, "name": person}}
    assert card["msteams"] == {"width": "Full", "entities": [entity]}
    assert card["body"][0]["text"] == markup


@pytest.mark.parametrize("name", sorted(KINDS_WITH_MENTIONS.values()))
@pytest.mark.parametrize(
    "mention", ["a b", "<!here>", "@here @all", "role:", "user:x", "x>", '"x"', "@" * 3, "x" * 300]
)
def test_a_mention_of_another_form_is_refused(name: str, mention: str) -> None:
    case = CASES[name]
    with pytest.raises(ValidationFailed) as refused:
        KINDS[case.kind].validate({**case.settings, "mention": mention}, vet)
    assert [each.pointer for each in refused.value.errors] == ["/config/mention"]
