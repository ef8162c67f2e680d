"""The longest possible notice and digest of each kind have no text above the limit that the kind states."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qsl

import pytest

from inbox.destinations import KINDS, WITH_DIGESTS, Message, apprise, twilio_sms
from inbox.destinations.layout import utf8_length, utf16_length
from inbox.domain.explaining.notice_content import ActionLink
from tests.destinations.kinds.cases import CASES
from tests.destinations.kinds.notice_bodies import AT, LONGEST_WORKSPACE, REASONS, TEXTS, WITHOUT_DETAILS, body
from tests.destinations.kinds.stand_in import RedirectedClient
from tests.destinations.kinds.test_digests import ACCEPTED, digest
from tests.stand_ins.receivers import Answer, Receiver, Request

ADDRESS = re.compile(r"https?://\S+")
FIRE = "\N{FIRE}"
SERVED_FAR_AWAY = (
    f"https://{'inbox.' * 20}example.org/behind/a/proxy/w/{'shop-' * 10}/incidents/inc_01h455vb4pex5vsknk084sn02q"
)
LINKS = tuple(
    ActionLink(label, f"https://inbox.example.org/act/{'eyJ2Ijp7fQ' * 30}") for label in ("Acknowledge", "Resolve")
)
LONG = (*(text for name, text in TEXTS.items() if name != "usual"), '<&>"' * 4_000, "\N{PILE OF POO}" * 4_000)

UNITS: dict[str, Callable[[str], int]] = {
    "telegram": lambda text: utf16_length(html.unescape(re.sub(r"<[^>]*>", "", text))),
    "ntfy": utf8_length,
}
"""How a service counts, where it does not count characters of the request."""


@pytest.fixture
def client(receiver: Receiver) -> Iterator[RedirectedClient]:
    receiver.answer = Answer(200, ACCEPTED, {"Content-Type": "application/json"})
    client = RedirectedClient(receiver)
    yield client
    client.close()


def texts_of(value: Any) -> Iterator[str]:
    """Each text in a request. An address alone is none."""
    match value:
        case str():
            if not ADDRESS.fullmatch(value):
                yield value
        case dict():
            for each in value.values():
                yield from texts_of(each)
        case list():
            for each in value:
                yield from texts_of(each)


def fields_of(request: Request) -> Any:
    content = request.body.decode()
    return json.loads(content) if content.startswith("{") else dict(parse_qsl(content))


def longest(kind: str, receiver: Receiver, before: int) -> int:
    length = UNITS.get(kind, len)
    found = (length(text) for each in receiver.requests[before:] if each.body for text in texts_of(fields_of(each)))
    return max(found, default=0)


def filled(reason: str, text: str, **data: str) -> bytes:
    """The body of a notice with this text in each field that people or senders write."""
    notice = json.loads(body(reason, "long", **data))
    written = dict.fromkeys(("title", "resource", "sourceName", "text"), text)
    notice["data"] |= {**written, "workspaceName": text[:LONGEST_WORKSPACE]}
    return json.dumps(notice).encode()


def messages(kind: str) -> Iterator[Message]:
    for text in LONG:
        for reason in REASONS:
            for url in ({}, {"url": SERVED_FAR_AWAY}):
                for links in ((), LINKS):
                    yield Message("dlv_1", filled(reason, text, **url), AT, {}, links)
    if kind in WITH_DIGESTS:
        for form in ("long", "hostile"):
            yield Message("dlv_1", digest(form), AT)


@pytest.mark.parametrize("name", CASES)
def test_the_longest_notice_has_no_text_above_the_stated_limit(
    name: str, receiver: Receiver, client: RedirectedClient
) -> None:
    kind, config = KINDS[CASES[name].kind], CASES[name].config
    limit, found = kind.description.limits.text_length, 0

    for message in messages(kind.name):
        before = len(receiver.requests)
        kind.send(message, config, client)
        found = max(found, longest(kind.name, receiver, before))

    assert limit is not None and 0 < found <= limit


def test_the_longest_notice_by_apprise_has_no_text_above_the_stated_limit() -> None:
    limit = KINDS["apprise"].description.limits.text_length
    found = max(len(text) for message in messages("apprise") for text in apprise.layout(message.content).values())
    assert limit is not None and found <= limit


@pytest.mark.parametrize(
    ("title", "url", "text"),
    [
        ("Disk full", "https://inbox.example.org/i", "CRITICAL Disk full https://inbox.example.org/i"),
        ("x" * 123, "https://inbox.example.org/i", f"CRITICAL {'x' * 123} https://inbox.example.org/i"),
        ("x" * 124, "https://inbox.example.org/i", f"CRITICAL {'x' * 120}... https://inbox.example.org/i"),
        ("[" * 62, "https://inbox.example.org/i", f"CRITICAL {'[' * 60}... https://inbox.example.org/i"),
        ("ж" * 97, "https://inbox.example.org/i", f"CRITICAL {'ж' * 97} https://inbox.example.org/i"),
        ("ж" * 98, "https://inbox.example.org/i", f"CRITICAL {'ж' * 94}... https://inbox.example.org/i"),
        (FIRE * 49, "https://inbox.example.org/i", f"CRITICAL {FIRE * 47}... https://inbox.example.org/i"),
        ("x" * 20, f"https://{'i' * 122}", f"CRITICAL {'x' * 20} https://{'i' * 122}"),
        ("x" * 21, f"https://{'i' * 123}", f"CRITICAL {'x' * 21}"),
        ("x" * 200, f"https://{'i' * 200}", f"CRITICAL {'x' * 148}..."),
        ("“Disk” – full…", "https://inbox.example.org/i", 'CRITICAL "Disk" - full... https://inbox.example.org/i'),
    ],
)
def test_a_text_message_has_one_part_or_two_with_other_signs(title: str, url: str, text: str) -> None:
    found = twilio_sms.text_of(Message("dlv_1", body(**{**WITHOUT_DETAILS, "title": title, "url": url}), AT).content)

    assert found == text
    assert len(found) <= 160 if found.isascii() else len(found.encode("utf-16-le")) // 2 <= 134


@pytest.mark.parametrize(
    ("title", "written", "text"),
    [
        ("Disk full", "3 % left\nof /var", "CRITICAL Disk full: 3 % left of /var https://inbox.example.org/i"),
        ("Disk full", "x" * 112, f"CRITICAL Disk full: {'x' * 112} https://inbox.example.org/i"),
        ("Disk full", "x" * 113, f"CRITICAL Disk full: {'x' * 109}... https://inbox.example.org/i"),
        ("Disk full", "ж", "CRITICAL Disk full https://inbox.example.org/i"),
        ("Диск", "полон", "CRITICAL Диск: полон https://inbox.example.org/i"),
        ("x" * 103, "y" * 18, f"CRITICAL {'x' * 103}: {'y' * 18} https://inbox.example.org/i"),
        ("x" * 104, "y", f"CRITICAL {'x' * 104} https://inbox.example.org/i"),
    ],
)
def test_a_text_message_has_the_beginning_of_the_body_where_there_is_room(title: str, written: str, text: str) -> None:
    data = {**WITHOUT_DETAILS, "title": title, "url": "https://inbox.example.org/i", "body": written}
    found = twilio_sms.text_of(Message("dlv_1", body(**data), AT).content)

    assert found == text
    assert len(found) <= 160
