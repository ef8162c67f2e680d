"""Every kind × reason × long and hostile text has its golden form, as a digest beside the files that are read in full.

Run with `REWRITE_GOLDEN=1` after a change of a form. The full files show the change: a digest alone shows that there is one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

import pytest

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.destinations import KINDS, Config, Message, apprise
from inbox.destinations.email import readable_body
from inbox.destinations.http import Client
from inbox.domain.explaining import push_text
from inbox.domain.values.addresses import OutboundPolicy
from tests.destinations.kinds.cases import CASES, EDITING
from tests.destinations.kinds.notice_bodies import AT, LINKS, REASONS, TEXTS, body
from tests.destinations.kinds.stand_in import Stage, folder_of
from tests.destinations.kinds.test_golden import as_stored
from tests.destinations.receivers import Receiver, answer
from tests.mail.servers import MailServer
from tests.stand_ins.receivers import SECRET

pytestmark = pytest.mark.slow

FORMS = [f"{reason} {text}" for reason, text in product(REASONS, TEXTS)]
WITHOUT_STAGE = {"webhook", "email", "web_push", "apprise"}
ON_CALL = "on-call@example.org"
UNSUBSCRIBE = "https://inbox.example.org/unsubscribe/eyJ2Ijp7fQ.sig_na-ture"
CLIENT = Client(OutboundPolicy(allow_private=True, allow_loopback=True))


def digest(sent: object) -> str:
    """The beginning of the digest of what was sent."""
    return hashlib.sha256(json.dumps(sent, sort_keys=True).encode()).hexdigest()[:16]


def check(name: str, found: Mapping[str, str]) -> None:
    """The digests are those of the file."""
    file = folder_of(CASES[name].kind if name in CASES else name) / f"{name}_forms.json"
    if os.environ.get("REWRITE_GOLDEN"):
        file.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    assert found == json.loads(file.read_text())


def test_each_form_of_a_service_is_taken_by_it_and_is_the_golden_one(stage: Stage) -> None:
    found = {}
    for form in FORMS:
        stage.reference, stage.sent, stage.action_links, before = {}, 0, LINKS, len(stage.calls())
        stage.send(*form.split())
        if stage.case.name in EDITING:
            stage.send(*form.split())
        found[form] = digest([as_stored(*each) for each in stage.calls()[before:]])

    check(stage.case.name, found)


@pytest.fixture
def mail_server(settings: Settings) -> Iterator[MailServer]:
    with MailServer() as running:
        in_force.use(
            replace(
                settings,
                smtp_url=running.url,
                mail_from="Inbox <inbox@example.org>",
                base_url="https://inbox.example.org",
            )
        )
        yield running
    in_force.use(settings)


def test_each_mail_is_the_golden_one(mail_server: MailServer) -> None:
    found = {}
    for form in FORMS:
        message = Message("dlv_1", body(*form.split()), AT, {}, LINKS, unsubscribe_urls={ON_CALL: UNSUBSCRIBE})
        assert KINDS["email"].send(message, Config({"to": ON_CALL}), CLIENT).is_accepted
        mail = mail_server.mails[-1].message
        headers = {name: str(value) for name, value in mail.items() if not name.lower().startswith("content-")}
        found[form] = digest([headers, readable_body(mail)])

    check("email", found)


def test_each_notification_of_a_phone_is_the_golden_one() -> None:
    found = {}
    for form in FORMS:
        messages = [push_text.message(body(*form.split()), hide_content=hidden) for hidden in (False, True)]
        assert all(len(each) <= push_text.MAX_PLAIN for each in messages)
        found[form] = digest([each.decode() for each in messages])

    check("web_push", found)


def test_each_text_for_apprise_is_the_golden_one() -> None:
    messages = {form: Message("dlv_1", body(*form.split()), AT, {}, LINKS) for form in FORMS}

    check("apprise", {form: digest(apprise.layout(each.content)) for form, each in messages.items()})


def test_a_webhook_is_the_body_of_the_notice() -> None:
    with Receiver(answer(200)) as receiver:
        config = Config({"url": receiver.url}, {"secret": SECRET})
        for form in FORMS:
            assert KINDS["webhook"].send(Message("dlv_1", body(*form.split()), AT), config, CLIENT).is_accepted

        assert [hit.body for hit in receiver.hits] == [body(*form.split()) for form in FORMS]


def test_the_golden_files_cover_each_kind_reason_and_text() -> None:
    files = [file for kind in KINDS for file in folder_of(kind).glob("*_forms.json")]
    stored = {file.stem.removesuffix("_forms"): json.loads(file.read_text()) for file in files}

    staged = {case.kind for case in CASES.values()} | WITHOUT_STAGE
    assert set(KINDS) == staged, "tests/destinations/KIND/__init__.py has the CASES of each kind"
    assert set(stored) == set(CASES) | WITHOUT_STAGE - {"webhook"}
    assert all(set(forms) == set(FORMS) for forms in stored.values())
