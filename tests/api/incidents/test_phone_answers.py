"""Answers of people by phone: keys of calls, replies to text messages, and STOP (specification 23.21)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from flask import Flask

from inbox.config.settings import current
from inbox.destinations import Config
from inbox.domain.values import ids
from inbox.identity import call_tokens
from inbox.models.deliveries.destinations import Destination
from inbox.models.incidents.tables import Incident
from inbox.models.people.contact_methods import ContactMethod
from inbox.models.people.members import Member
from inbox.models.records.audit import AuditEntry
from inbox.services.incidents.phone_answers import ANSWERED, NOT_ALLOWED, NOT_POSSIBLE, NOTHING_FOLLOWS
from inbox.services.incidents.text_replies import HELP, UNKNOWN_CODE
from tests.api.incidents.phone_steps import Phones, said
from tests.api.people.links_steps import Browsers
from tests.cast import Cast, present
from tests.flow.notices.paging_steps import mailing  # noqa: F401
from tests.flow.routing_fixtures import reasons
from tests.stand_ins import twiml
from tests.stand_ins.outgoing_posts import store_destination
from tests.stand_ins.receivers import SECRET, Receiver
from tests.stand_ins.twilio import ADAMS, MIAS, TwilioServer, make_provider


@pytest.fixture
def twilio() -> Iterator[TwilioServer]:
    with TwilioServer() as server:
        yield server


@pytest.fixture
def calls(cast: Cast, app: Flask, twilio: TwilioServer) -> Phones:
    return Phones(cast, app, twilio, make_provider(cast.workspace, twilio, "twilio_voice"))


@pytest.fixture
def texts(cast: Cast, app: Flask, twilio: TwilioServer) -> Phones:
    return Phones(cast, app, twilio, make_provider(cast.workspace, twilio))


def now(found: Incident) -> Incident:
    again: Incident = Incident.get_by_id(found.id)
    return again


def answer_to(browser: Browsers, found: Incident) -> str | None:
    """The answer that the page of an incident shows."""
    [page] = browser("vic").get(f"/v1/incidents/{ids.encode('inc', found.id)}/pages").json["items"]
    return page["answer"] and str(page["answer"]["kind"])


def code_of(texts: Phones, number: int = -1) -> str:
    return re.findall(r"Reply ([0-9]+)a", texts.twilio.texts()[number][1])[0]


def test_a_call_says_severity_title_and_source_twice_and_takes_a_key(cast: Cast, calls: Phones) -> None:
    calls.paged(cast.users["mia"], title="Disk full on https://db.example.org/x", severity="CRITICAL")

    [form] = calls.twilio.sent
    words = twiml.said(form["Twiml"])
    assert (form["To"], words[0]) == (MIAS, words[1])
    assert words[0] == f"Critical. Disk full on. From {cast.source.name}."


@pytest.mark.parametrize(
    ("key", "state", "words"), [("4", "acknowledged", "Acknowledged."), ("6", "resolved", "Resolved.")]
)
def test_a_key_acts_as_the_called_person_and_is_an_answer_of_the_page(
    cast: Cast, calls: Phones, browser: Browsers, key: str, state: str, words: str
) -> None:
    opened = calls.paged(cast.users["mia"])

    assert said(calls.press(key)).startswith(words)

    assert now(opened).state == state
    assert answer_to(browser, opened) == state


def test_five_takes_the_next_step_and_a_repeated_report_does_nothing_again(
    cast: Cast, calls: Phones, mailing: None
) -> None:
    opened = calls.paged(cast.users["mia"])

    first, again = calls.press("5"), calls.press("5")

    assert said(first) == said(again) and said(first).startswith("Escalated.")
    assert reasons(opened.id) == ["opened", "escalated"]
    assert said(calls.press("5", call="CA2")).startswith(NOTHING_FOLLOWS)


@pytest.mark.parametrize("key", ["*", "9", ""])
def test_star_and_other_keys_speak_again_and_take_a_key(cast: Cast, calls: Phones, key: str) -> None:
    opened = calls.paged(cast.users["mia"])

    answer = calls.press(key)

    assert "Disk" in said(answer) or now(opened).title in said(answer)
    assert twiml.checked(answer.text).find("Gather") is not None
    assert now(opened).state == "open"


def test_a_report_that_twilio_did_not_sign_is_refused(cast: Cast, calls: Phones, texts: Phones) -> None:
    opened = calls.paged(cast.users["mia"])

    assert calls.press("4", token="another token").status_code == 401
    assert calls.press("4", url=f"{calls.key_url}x").status_code == 403
    assert texts.text("STOP", token="another token").status_code == 401
    assert now(opened).state == "open"


def test_a_taken_call_is_no_answer(cast: Cast, calls: Phones, browser: Browsers) -> None:
    opened = calls.paged(cast.users["mia"])

    assert answer_to(browser, opened) is None


def test_a_call_makes_none_for_updates(cast: Cast, calls: Phones) -> None:
    calls.paged(cast.users["mia"])
    calls.press("6")

    [contact] = Destination.select().where(Destination.owner_id.is_null(False))
    assert contact.send_updates is False
    assert len(calls.twilio.sent) == 1


def test_a_former_member_and_a_viewer_do_not_act(cast: Cast, calls: Phones) -> None:
    opened = calls.paged(cast.users["mia"])
    url = calls.key_url
    Member.update(role="viewer").where(Member.user == cast.users["mia"]).execute()

    assert said(calls.press("4", url=url)).startswith(NOT_ALLOWED)
    Member.delete().where(Member.user == cast.users["mia"]).execute()
    assert said(calls.press("4", url=url, call="CA2")).startswith(NOT_ALLOWED)
    assert now(opened).state == "open"


def test_without_the_auth_token_of_the_account_a_call_takes_no_key(cast: Cast, calls: Phones) -> None:
    Destination.update(config={**calls.provider.config, "keySid": f"SK{'1' * 32}"}).execute()
    calls.twilio.key_sid = f"SK{'1' * 32}"
    calls.paged(cast.users["mia"])

    assert twiml.checked(calls.twilio.sent[-1]["Twiml"]).find("Gather") is None


@pytest.mark.parametrize(
    ("letter", "state", "words"),
    [("a", "acknowledged", "Acknowledged."), ("R", "resolved", "Resolved."), (" e", "open", "Escalated.")],
)
def test_a_reply_with_the_number_of_the_incident_acts(
    cast: Cast, texts: Phones, letter: str, state: str, words: str, mailing: None
) -> None:
    opened = texts.paged(cast.users["mia"])

    answer = texts.text(f" {code_of(texts)}{letter} ")

    assert said(answer).startswith(words)
    assert now(opened).state == state


def test_each_incident_has_its_own_number_at_a_phone(cast: Cast, texts: Phones) -> None:
    first = texts.paged(cast.users["mia"], key="first")
    Destination.update(next_call_at=None).execute()
    PAUSED = "UPDATE paid_messages SET last_at = last_at - interval '2 minutes'"
    cast.workspace._meta.database.execute_sql(PAUSED)
    second = texts.page_again(key="second")

    assert (code_of(texts, 0), code_of(texts, 1)) == ("1", "2")
    texts.text("2a")
    assert (now(first).state, now(second).state) == ("open", "acknowledged")


def test_a_number_of_nobody_gets_no_answer_and_acts_on_nothing(cast: Cast, texts: Phones) -> None:
    opened = texts.paged(cast.users["mia"])

    assert said(texts.text(f"{code_of(texts)}a", sender=ADAMS)) == ""
    assert now(opened).state == "open"


def test_other_words_and_unknown_numbers_are_explained(cast: Cast, texts: Phones) -> None:
    texts.paged(cast.users["mia"])

    assert said(texts.text("what?")) == HELP
    assert said(texts.text("77a")) == UNKNOWN_CODE


def test_an_act_that_the_state_does_not_allow_is_said(cast: Cast, texts: Phones) -> None:
    texts.paged(cast.users["mia"])
    texts.text(f"{code_of(texts)}r")

    assert said(texts.text(f"{code_of(texts)}a", id="SM2")).startswith(NOT_POSSIBLE)


@pytest.mark.parametrize("word", ["STOP", " unsubscribe ", "Quit"])
def test_stop_disables_the_number_and_start_enables_it(cast: Cast, texts: Phones, mailing: None, word: str) -> None:
    texts.paged(cast.users["mia"])

    assert said(texts.text(word)) == "" and said(texts.text(word, id="SM2")) == ""

    [method] = ContactMethod.select()
    assert method.disabled_at is not None
    assert [each.action for each in AuditEntry.select() if each.action.startswith("contact_method")] == [
        "contact_method.disabled"
    ]
    texts.page_again(key="other")
    assert len(texts.twilio.texts()) == 1
    texts.text("start")
    assert ContactMethod.get_by_id(method.id).disabled_at is None


def test_a_provider_of_another_workspace_acts_on_nothing_here(cast: Cast, texts: Phones, twilio: TwilioServer) -> None:
    opened = texts.paged(cast.users["mia"])
    code = code_of(texts)
    foreign = Phones(cast, texts.app, twilio, make_provider(cast.foreign, twilio))

    assert said(foreign.text(f"{code}a")) == ""
    assert now(opened).state == "open"


@pytest.fixture
def exchange(cast: Cast, app: Flask, receiver: Receiver, twilio: TwilioServer) -> Phones:
    """A telephone system that takes requests for calls."""
    config = Config({"url": receiver.url, "to": "+491700000009"}, {"secret": SECRET})
    provider = store_destination(cast.workspace, "call_request", config, for_contact_methods=True)
    return Phones(cast, app, twilio, provider)


def test_a_telephone_system_is_asked_for_a_call_and_reports_one_answer(
    cast: Cast, exchange: Phones, receiver: Receiver, mailing: None
) -> None:
    opened = exchange.paged(cast.users["mia"])
    [request] = receiver.requests
    asked = request.verified()
    path = asked["answerUrl"].removeprefix(current().base_url)
    client = exchange.app.test_client()

    again = client.post(path, data={"digits": "*"})
    assert again.json == {"text": asked["text"], "isDone": False}
    first, second = (client.post(path, data={"digits": key}) for key in ("4", "6"))

    assert (asked["to"], asked["keys"]["4"]) == (MIAS, "acknowledge")
    assert first.json == {"text": "Acknowledged.", "isDone": True}
    assert second.json == {"text": ANSWERED, "isDone": True}
    assert now(opened).state == "acknowledged"


def test_an_old_address_for_answers_is_refused(cast: Cast, exchange: Phones, receiver: Receiver) -> None:
    exchange.paged(cast.users["mia"])
    delivery_id = ids.decode("dlv", receiver.requests[0].json["id"])
    assert delivery_id is not None
    old = call_tokens.issue(current().signing_key, delivery_id, present() - call_tokens.LIFETIME)

    assert exchange.app.test_client().post(f"/v1/call-answers/{old}", data={"digits": "4"}).status_code == 403


def test_an_unknown_destination_is_answered_like_a_wrong_signature(texts: Phones) -> None:
    Destination.update(deleted_at=texts.provider.created_at).execute()

    assert texts.text("15a").status_code == 401
