"""The texts for programs that mail: their address receives the mails that the programs send (specification 19.7)."""

from __future__ import annotations

import re

import pytest

from inbox.domain.values.severity import Severity
from inbox.flow.routing.route import route
from inbox.intake import snippets
from inbox.intake.source_kind import MailPlace
from inbox.models.incidents.tables import Incident
from inbox.models.senders.sources import Source
from tests.cast import Cast, present
from tests.mail_in.conftest import DOMAIN, MailIn

SENT = {
    "monit": ("monit@web1", "monit alert --  Connection failed api", "Connection failed Service api"),
    "smartd": ("root@nas", "SMART error (Health) detected on host: nas", "Device: /dev/sda [SAT], FAILED"),
    "mdadm": ("root@nas", "Fail event on /dev/md0:nas", "A Fail event had been detected on md device /dev/md0."),
    "cron": ("root@web1", "Cron <root@web1> /usr/local/bin/backup > /dev/null", "no space left"),
}


@pytest.mark.parametrize("name", SENT)
def test_the_address_in_a_text_receives_the_mails_of_the_program(mail_in: MailIn, cast: Cast, name: str) -> None:
    Source.update(default_severity=Severity.ERROR).where(Source.id == cast.source.id).execute()
    [text] = [
        each.text("https://x.example.org", mail=MailPlace(DOMAIN, mail_in.port))
        for each in snippets.MAIL.snippets
        if each.name == name
    ]
    [recipient] = re.findall(rf"{snippets.KEY}@{DOMAIN}", text)
    sender, subject, body = SENT[name]

    code, _ = mail_in.send(
        f"From: {sender}\r\nSubject: {subject}\r\n\r\n{body}\r\n",
        to=recipient.replace(snippets.KEY, mail_in.address.partition("@")[0]), sender=sender,
    )  # fmt: skip
    route(present)

    [incident] = Incident.select()
    assert (code, incident.title, incident.severity) == (250, subject, Severity.ERROR)


def test_the_mail_about_the_end_resolves_the_incident_of_its_alarm(mail_in: MailIn, cast: Cast) -> None:
    Source.update(default_severity=Severity.ERROR).where(Source.id == cast.source.id).execute()
    ends = {"[PROBLEM] procs on vm is CRITICAL!": "[RECOVERY] procs on vm is OK!", "[FIRING:1] Load (vm)": "[RESOLVED] Load (vm)",
            "Connection failed api": "Connection succeeded api", "Disk full": "OK: Disk full"}  # fmt: skip

    for subject in [*ends, *ends.values()]:
        mail_in.send(f"From: <a@vm>\r\nSubject: {subject}\r\n\r\nx\r\n")
        route(present)

    assert [str(each.state) for each in Incident.select()] == ["resolved"] * len(ends)


def test_two_hosts_open_two_incidents_and_two_values_open_one(mail_in: MailIn, cast: Cast) -> None:
    Source.update(default_severity=Severity.ERROR).where(Source.id == cast.source.id).execute()
    subjects = [
        "Host 10.0.0.5 is DOWN",
        "Host 10.0.0.6 is DOWN",
        "UPS: on battery, 80% left",
        "UPS: on battery, 5% left",
    ]

    for subject in subjects:
        mail_in.send(f"From: <a@vm>\r\nSubject: {subject}\r\n\r\nx\r\n")
        route(present)

    assert sorted(each.title for each in Incident.select()) == [
        "Host 10.0.0.5",
        "Host 10.0.0.6",
        "UPS: on battery, 80% left",
    ]
