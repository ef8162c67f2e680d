"""Mails that become events, and mails that are dropped (specification 19.16)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from inbox.domain.values.severity import Severity
from inbox.flow.routing.route import route
from inbox.models.events.tables import Event
from inbox.models.incidents.tables import Incident
from inbox.models.senders.source_samples import SourceSample
from inbox.models.senders.sources import Source, SourceKey
from tests.cast import Cast, make_key, make_source, present
from tests.mail_in.conftest import DOMAIN, MAIL, MailIn
from tests.runtime.metrics.counted import Counted


def mails(counted: Counted, outcome: str) -> float:
    return counted.of("inbox_mail_in_messages_total", outcome=outcome)


def test_a_mail_is_an_event_before_it_is_accepted(mail_in: MailIn, cast: Cast) -> None:
    counted = Counted()

    code, reply = mail_in.send()

    [event] = Event.select()
    assert (code, reply) == (250, "2.0.0 The event is stored")
    assert (event.title, event.body, event.source_id) == ("Volume full", "/data has 3 % left.", cast.source.id)
    assert event.metadata["mail"]["peer"] == "127.0.0.1" and event.metadata["mail"]["helo"] == "nas.local"
    assert event.warnings == []
    assert mails(counted, "accepted") == 1 and counted.of("inbox_ingest_events_total", outcome="accepted") == 1


def test_the_same_mail_again_is_no_second_event(mail_in: MailIn) -> None:
    counted = Counted()
    first = mail_in.send()

    repeat = mail_in.send("Received: from relay by inbox\r\n" + MAIL, sender="bounce-2@example.org")

    assert (first[0], repeat) == (250, (250, "2.0.0 The event was stored before"))
    assert Event.select().count() == 1
    assert (mails(counted, "accepted"), mails(counted, "duplicate")) == (1, 1)


def test_a_changed_text_under_the_same_message_id_is_a_new_event(mail_in: MailIn) -> None:
    mail_in.send()
    mail_in.send(MAIL.replace("3 %", "2 %"))

    assert Event.select().count() == 2


def test_a_dropped_attachment_and_a_forged_sender_are_warnings_of_the_event(mail_in: MailIn) -> None:
    text = (
        "From: boss@example.net\r\nSubject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n--b\r\n"
        'Content-Type: image/png\r\nContent-Disposition: attachment; filename="a.png"\r\n\r\nabc\r\n--b--\r\n'
    )
    counted = Counted()

    mail_in.send(text)

    [event] = Event.select()
    assert [warning["code"] for warning in event.warnings] == ["attachment_dropped", "sender_differs"]
    assert counted.of("inbox_ingest_warnings_total", code="attachment_dropped") == 1


def test_patterns_of_the_source_read_recoveries(mail_in: MailIn, cast: Cast) -> None:
    Source.update(recovery_pattern=r"^(?P<recovery>OK)?.*disk (?P<key>\w+)").where(
        Source.id == cast.source.id
    ).execute()

    mail_in.send("Subject: Bad disk sda\r\n\r\n")
    mail_in.send("Subject: OK disk sda\r\n\r\n")

    found = {event.title: (event.dedup_key, str(event.severity)) for event in Event.select()}
    assert found["OK disk sda"] == ("mail:example.org:sda", "SUCCESS")
    assert found["Bad disk sda"][0] == "mail:example.org:sda" and found["Bad disk sda"][1] != "SUCCESS"


def incidents_after(mail_in: MailIn, subjects: list[str]) -> dict[str, str]:
    """The states of the incidents that mails of one sender with these subjects open, by their titles."""
    for each in subjects:
        assert mail_in.send(f"From: <root@home.lan>\r\nSubject: {each}\r\n\r\nx\r\n")[0] == 250
        route(present)
    return {incident.title: str(incident.state) for incident in Incident.select()}


@pytest.fixture
def errors(cast: Cast) -> None:
    Source.update(default_severity=Severity.ERROR).where(Source.id == cast.source.id).execute()


@pytest.mark.usefixtures("errors")
def test_mails_about_two_things_open_two_incidents(mail_in: MailIn) -> None:
    found = incidents_after(mail_in, ["UPS on battery, 91 %", "RAID degraded", "UPS on battery, 85 %"])

    assert list(found.values()) == ["open", "open"]
    assert any(title.startswith("UPS") for title in found) and "RAID degraded" in found


@pytest.mark.usefixtures("errors")
def test_a_recovery_without_a_key_resolves_the_incident_of_its_domain(mail_in: MailIn, cast: Cast) -> None:
    Source.update(recovery_pattern="on utility power", resolve_by="fingerprint").where(
        Source.id == cast.source.id
    ).execute()

    assert incidents_after(mail_in, ["UPS on battery", "UPS on utility power"]) == {"UPS on battery": "resolved"}


@pytest.mark.usefixtures("errors")
def test_the_grouping_of_the_source_decides_about_mails(mail_in: MailIn, cast: Cast) -> None:
    Source.update(group_by=["resource"]).where(Source.id == cast.source.id).execute()

    assert len(incidents_after(mail_in, ["UPS on battery", "RAID degraded"])) == 1


def test_an_address_is_read_without_case_and_may_have_a_tag(mail_in: MailIn) -> None:
    local = mail_in.address.partition("@")[0]

    code, _ = mail_in.send(to=f"{local.upper()}+cellar@{DOMAIN.upper()}")

    [event] = Event.select()
    assert code == 250 and event.tags == ["cellar"]


def test_a_mail_to_two_sources_is_an_event_of_each(mail_in: MailIn, cast: Cast) -> None:
    other, _ = make_source(cast.workspace, "UPS")
    second = f"{make_key(other, kind='mail_address')}@{DOMAIN}"

    code, _ = mail_in.send(to=[mail_in.address, second, mail_in.address])

    assert code == 250
    assert {event.source_id for event in Event.select()} == {cast.source.id, other.id}
    assert Event.select().count() == 2


@pytest.mark.parametrize(
    "header", ["Auto-Submitted: auto-replied", "X-Incident-Inbox: 1", "Content-Type: multipart/report"]
)
def test_a_mail_that_is_no_alarm_is_taken_and_kept_as_the_sample(mail_in: MailIn, cast: Cast, header: str) -> None:
    counted = Counted()

    code, reply = mail_in.send(f"Subject: Out of office\r\n{header}\r\n\r\nuntil Monday\r\n", sender="<>")

    [sample] = SourceSample.select()
    assert (code, reply) == (250, "2.0.0 An automatic reply gives no event")
    assert Event.select().count() == 0 and mails(counted, "dropped") == 1
    assert "Out of office" in sample.body and "no event" in sample.detail and sample.source_id == cast.source.id


def test_an_alarm_with_the_null_sender_is_an_event(mail_in: MailIn) -> None:
    code, _ = mail_in.send(sender="<>")

    [event] = Event.select()
    assert code == 250 and event.metadata["mail"]["envelopeFrom"] == ""


@pytest.mark.parametrize(("hops", "code"), [(24, 250), (25, 250), (26, 554)])
def test_a_mail_of_too_many_hops_is_a_loop(mail_in: MailIn, hops: int, code: int) -> None:
    assert mail_in.send("Received: from a by b\r\n" * hops + MAIL)[0] == code
    assert Event.select().count() == (code == 250)


def test_an_address_that_ended_is_refused_also_after_the_recipient_was_accepted(mail_in: MailIn) -> None:
    with mail_in.client() as client:
        client.mail("nas@example.org")
        assert client.rcpt(mail_in.address)[0] == 250
        SourceKey.update(revoked_at=present()).where(SourceKey.kind == "mail_address").execute()
        assert client.data(MAIL)[0] == 550

    assert mail_in.send()[0] == 550
    assert Event.select().count() == 0


def test_an_address_is_no_key_of_http_and_a_key_is_no_address(mail_in: MailIn, cast: Cast, app: Flask) -> None:
    alias = make_key(cast.source, kind="alias_token")
    secret = mail_in.address.partition("@")[0]

    assert [mail_in.send(to=f"{each}@{DOMAIN}")[0] for each in (cast.key, alias)] == [550, 550]
    for path in ("/v1/hooks/alertmanager", "/v1/legacy/message"):
        answer = app.test_client().post(path, json={"message": "x"}, headers={"Authorization": f"Bearer {secret}"})
        assert answer.status_code == 401


def test_mails_faster_than_the_rate_limit_are_repeated_by_the_sender(receive: Callable[..., MailIn]) -> None:
    mail_in = receive(rate_limits=True, events_per_minute_source=1)
    counted = Counted()

    codes = [mail_in.send(MAIL.replace("<1@nas>", f"<{number}@nas>"))[0] for number in range(5)]

    assert codes[0] == 250 and codes[-1] == 451
    assert Event.select().count() == codes.count(250)
    assert mails(counted, "deferred") == codes.count(451)
