"""Pages to addresses that a provider of the workspace reaches, such as SMS (specification 23.18)."""

from __future__ import annotations

import urllib.parse
from datetime import timedelta

import pytest
import structlog

from inbox.database.base import db, new_id
from inbox.flow.delivery.deliver import claim_due, deliver
from inbox.flow.delivery.results import record_results
from inbox.flow.delivery.senders import send_one
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import DeliveryAttempt
from inbox.models.people.accounts import User
from inbox.models.people.contact_methods import ContactMethod
from inbox.models.people.members import Member
from inbox.services.deliveries import destinations
from inbox.services.workspaces import export
from tests.cast import NOW, Cast, present, typeid
from tests.flow.delivery.test_masked_answers import PublicClient
from tests.flow.notices.paging_steps import mail_of, paging, rule_by
from tests.flow.plans import follow
from tests.flow.routing_fixtures import incident, reported, routed
from tests.oncall import make_contact_method
from tests.stand_ins.receivers import Answer, Receiver
from tests.stand_ins.twilio import AUTH_TOKEN, MIAS, TwilioServer

AT = NOW + timedelta(seconds=1)


@pytest.fixture
def method(cast: Cast, provider: Destination) -> ContactMethod:
    """Mia's number, which her rules name alone."""
    mia = cast.users["mia"]
    values = {"kind": "twilio_sms", "address": MIAS, "provider_id": provider.id, "confirmed_at": present()}
    made = make_contact_method(mia, **values)
    rule_by(mia, (0, typeid("cme", made.id)))
    return made


def contact_of(person: User, method: ContactMethod) -> Destination:
    return mail_of(person, typeid("cme", method.id))


def test_a_page_reaches_the_number_by_the_settings_of_the_provider(
    cast: Cast, twilio: TwilioServer, method: ContactMethod
) -> None:
    follow(cast.workspace, paging(0, cast.users["mia"]))
    routed(cast.source)

    deliver(lambda: AT)

    [(to, text)] = twilio.texts()
    assert to == MIAS and text.startswith("ERROR ")
    contact = contact_of(cast.users["mia"], method)
    assert reported(contact) == [("opened", "sent", None)]
    assert (contact.name, contact.sealed) == ("Mia (SMS)", None)
    assert [each.requests for each in DeliveryAttempt.select()] == [None]


@pytest.mark.parametrize("off", [{"enabled": False}, {"for_contact_methods": False}, {"deleted_at": NOW}])
def test_without_its_provider_a_person_is_unreachable(
    cast: Cast, twilio: TwilioServer, provider: Destination, method: ContactMethod, off: dict[str, object]
) -> None:
    Destination.update(**off).where(Destination.id == provider.id).execute()
    follow(cast.workspace, paging(0, cast.users["mia"]))
    opened = incident(routed(cast.source).id)

    deliver(lambda: AT)

    assert twilio.sent == []
    assert not Destination.select().where(Destination.owner_id.is_null(False)).exists()
    assert opened.state == "open"


def test_what_waits_for_a_disabled_provider_is_skipped(
    cast: Cast, twilio: TwilioServer, provider: Destination, method: ContactMethod
) -> None:
    follow(cast.workspace, paging(0, cast.users["mia"]))
    routed(cast.source)
    Destination.update(enabled=False).where(Destination.id == provider.id).execute()

    deliver(lambda: AT)

    assert twilio.sent == []
    assert reported(contact_of(cast.users["mia"], method)) == [("opened", "skipped", "disabled")]


def test_a_new_secret_of_the_provider_resumes_its_contacts(
    cast: Cast, twilio: TwilioServer, provider: Destination, method: ContactMethod
) -> None:
    destinations.edit(provider, {"config": {"keySecret": "wrong"}}, expected_rev=None, now=NOW)
    follow(cast.workspace, paging(0, cast.users["mia"]))
    routed(cast.source)
    deliver(lambda: AT)
    assert contact_of(cast.users["mia"], method).stopped_reason is not None

    edited = {"config": {"keySecret": AUTH_TOKEN}}
    destinations.edit(Destination.get_by_id(provider.id), edited, expected_rev=None, now=AT)
    deliver(lambda: AT + timedelta(seconds=62))

    assert [to for to, _ in twilio.texts()] == [MIAS]


def test_a_provider_pages_in_its_own_workspace_alone(
    cast: Cast, twilio: TwilioServer, provider: Destination, method: ContactMethod
) -> None:
    Member.create(id=new_id(), workspace=cast.foreign, user=cast.users["mia"], role="member", joined_at=NOW)
    Destination.update(workspace=cast.foreign).where(Destination.id == provider.id).execute()
    follow(cast.workspace, paging(0, cast.users["mia"]))
    routed(cast.source)

    deliver(lambda: AT)

    assert twilio.sent == []


def test_an_export_has_no_number(cast: Cast, twilio: TwilioServer, method: ContactMethod) -> None:
    follow(cast.workspace, paging(0, cast.users["mia"]))
    routed(cast.source)
    deliver(lambda: AT)

    exported = b"".join(export.begin(cast.workspace.id, cast.users["olga"].id, now=present())).decode()
    assert MIAS not in exported


def test_an_answer_that_repeats_the_number_is_not_kept(
    cast: Cast, provider: Destination, method: ContactMethod, receiver: Receiver
) -> None:
    follow(cast.workspace, paging(0, cast.users["mia"]))
    routed(cast.source)
    client = PublicClient(receiver)
    receiver.answer = Answer(400, f'{{"code": 21617, "message": "{MIAS} takes no such text"}}'.encode())
    calls = claim_due(AT, 10).calls

    outcomes = [send_one(*each, client, lambda: AT) for each in calls]
    record_results(outcomes, AT)
    client.close()

    [attempt] = DeliveryAttempt.select()
    assert (attempt.status_code, attempt.excerpt or "") == (400, "")
    assert MIAS.encode() in urllib.parse.unquote_to_bytes(receiver.requests[0].body)


def test_no_log_line_and_no_reference_of_the_stream_has_the_number(
    cast: Cast, twilio: TwilioServer, method: ContactMethod
) -> None:
    twilio.refuses = 21211
    follow(cast.workspace, paging(0, cast.users["mia"]))
    routed(cast.source)

    with structlog.testing.capture_logs() as entries:
        deliver(lambda: AT)

    logged = repr(entries)
    assert "destination stopped" in logged and MIAS[1:] not in logged
    changes = db.execute_sql("SELECT string_agg(c::text, ' ') FROM change_feed c").fetchone()[0]
    assert MIAS[1:] not in (changes or "")
