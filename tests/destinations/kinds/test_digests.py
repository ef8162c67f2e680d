"""The digest of each kind that has digests: the exact request, what fits, and that texts of senders have no effect.

Run with `REWRITE_GOLDEN=1` after a change of a form, and read the diff.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from inbox.destinations import KINDS, WITH_DIGESTS, Message, telegram
from inbox.domain.deliveries import notices
from inbox.domain.explaining import digest_text, notice_content
from inbox.domain.explaining.digest_text import DigestContext
from inbox.mail.message import SenderIdentity, build_notice
from tests.destinations.kinds.cases import CASES, MODULES
from tests.destinations.kinds.notice_bodies import AT, TEXTS, body
from tests.destinations.kinds.stand_in import RedirectedClient, folder_of
from tests.destinations.kinds.test_golden import as_stored
from tests.stand_ins.receivers import Answer, Receiver

NAMES = [name for name, case in CASES.items() if case.kind in WITH_DIGESTS]
CONTEXT = DigestContext("Shop", "https://inbox.example.org/w/shop/inbox", ZoneInfo("Europe/Berlin"))
ACCEPTED = b'{"ok": true, "id": "1", "channel": "C0123456789", "ts": "1.2", "event_id": "$1", "status": 1}'
FORMS = ("usual", "long", "hostile")


def golden_of(name: str) -> Path:
    """The golden file of a case."""
    return CASES[name].folder / f"{name}_digest.json"


def digest(form: str) -> bytes:
    """The body of a digest: of three incidents, or of forty with the texts of `form`."""
    if form == "usual":
        bodies = [
            body("opened", severity="ERROR"),
            body("informational", severity="INFO", title="Deployed"),
            body("opened", incidentId="inc_2", title="Site down", severity="WARNING"),
            body("resolved", incidentId="inc_2", title="Site down", severity="WARNING"),
        ]
    else:
        bodies = [body("opened", title=TEXTS[form], incidentId=f"inc_{number}") for number in range(40)]
    contents = [notice_content.of_body(each) for each in bodies]
    return notices.body_bytes(digest_text.body(contents, CONTEXT, AT))


@pytest.fixture
def client(receiver: Receiver) -> Iterator[RedirectedClient]:
    receiver.answer = Answer(200, ACCEPTED, {"Content-Type": "application/json"})
    client = RedirectedClient(receiver)
    yield client
    client.close()


def requests_of(name: str, form: str, receiver: Receiver, client: RedirectedClient) -> list[dict[str, Any]]:
    case = CASES[name]
    before = len(receiver.requests)
    KINDS[case.kind].send(Message("dlv_1", digest(form), AT), case.config, client)
    calls = zip(client.urls[before:], receiver.requests[before:], strict=True)
    return [as_stored(request.method, url, request) for url, request in calls]


@pytest.mark.parametrize("name", NAMES)
def test_the_request_of_a_digest_equals_the_golden_file(
    name: str, receiver: Receiver, client: RedirectedClient
) -> None:
    found = {form: requests_of(name, form, receiver, client) for form in FORMS}
    file = golden_of(name)
    if os.environ.get("REWRITE_GOLDEN"):
        file.write_text(json.dumps(found, ensure_ascii=False, indent=1, sort_keys=True) + "\n")

    assert found == json.loads(file.read_text())
    assert [len(calls) for calls in found.values()] == [1, 1, 1]


@pytest.mark.parametrize("name", NAMES)
def test_texts_of_senders_have_no_effect_in_a_digest(name: str, receiver: Receiver, client: RedirectedClient) -> None:
    ((call),) = requests_of(name, "hostile", receiver, client)
    formatted = call["body"].get("formatted_body", "") if CASES[name].kind == "matrix" else json.dumps(call["body"])
    for effect in getattr(import_module(f"tests.destinations.{CASES[name].kind}"), "EFFECTS", ()):
        assert effect not in formatted


def lengths(kind: str, fields: dict[str, Any]) -> tuple[int, int]:
    """The length of the longest text of a request in the unit of the service, and the limit."""
    match kind:
        case "slack":
            return len(fields["blocks"][1]["text"]["text"]), 3_000
        case "discord":
            return len(fields["embeds"][0]["description"]), 4_096
        case "telegram":
            return telegram._shown_length(fields["text"]), 4_096
        case "ntfy":
            return len(fields["message"].encode()), 4_000
        case "pushover":
            return len(fields["message"]), 1_024
        case "teams":
            return len(json.dumps(fields, ensure_ascii=False).encode()), 20 * 1_024
        case "google_chat":
            return len(json.dumps(fields, ensure_ascii=False).encode()), 32_000
        case _:
            return len(json.dumps(fields, ensure_ascii=False).encode()), 65_000


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
def test_a_digest_fits_its_limit_and_counts_omitted_lines(
    name: str, form: str, receiver: Receiver, client: RedirectedClient
) -> None:
    ((call),) = requests_of(name, form, receiver, client)
    length, limit = lengths(CASES[name].kind, call["body"])
    assert length <= limit
    assert (" more" in json.dumps(call["body"])) is (form != "usual")


@pytest.mark.parametrize("form", FORMS)
def test_a_mail_lists_the_incidents_with_links(form: str) -> None:
    content = notice_content.of_body(digest(form))
    sender = SenderIdentity("Inbox", "https://inbox.example.org", "inbox@example.org")
    mail = build_notice(content, sender, to="mia@example.org", id="dlv_1")
    text, html = ("" if part is None else part.get_content() for part in map(mail.get_body, (["plain"], ["html"])))

    assert f"{mail['Subject']}".startswith("DIGEST")
    assert text.count("https://inbox.example.org/w/shop/incidents/") == len(content.lines)
    assert html.count("<li") == len(content.lines) + (1 if content.more else 0)
    assert "<script>" not in html
    assert ("and 15 more" in text) is (form != "usual")


def test_each_golden_file_of_a_digest_belongs_to_a_kind() -> None:
    found = {file for module in MODULES for file in folder_of(module.__name__.rpartition(".")[2]).glob("*_digest.json")}

    assert found == set(map(golden_of, NAMES))
