"""Alarms and ends in the mails of tools: the end closes its alarm, and other alarms stay apart (specification 19.16)."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from inbox.domain.events import validation as events
from inbox.domain.senders.recovery_presets import MAIL_PRESETS, RecoveryPreset
from inbox.domain.values.severity import Severity
from inbox.intake import legacy_push, mail, mail_message
from inbox.intake.mail import Envelope, Grouping
from tests.cast import NOW

ENVELOPE = Envelope(sender="root@web1", helo="web1", peer="192.0.2.7", is_encrypted=False)


def event(subject: str, text: str = "x", *, sender: str = "root@web1", **of_source: Any) -> events.NewEvent:
    """The event of a mail as ingest would store it."""
    content = f"From: {sender}\r\nSubject: {subject}\r\n\r\n{text}".encode()
    made = mail.event_of(mail_message.read(content), ENVELOPE, "", Grouping(**of_source))
    [found] = events.accept(orjson.loads(orjson.dumps(made)), received_at=NOW, default_severity=Severity.ERROR)
    return found


ZABBIX = (
    "Problem started at 10:00:00 on 2026.11.29\r\nHost: {host}\r\nSeverity: High\r\nOriginal problem ID: {number}\r\n"
)
MONIT = (
    "{0} Service api\r\n\r\n\tDate:        Sun, 29 Nov 2026 10:00:00\r\n\tAction:      alert\r\n\tHost:        web1\r\n"
)
SMARTD = (
    "The following warning was logged by the smartd daemon:\r\n\r\nDevice: /dev/{0} [SAT], 1 unreadable sectors\r\n"
)

PAIRS = [
    ("alertmanager", ("[FIRING:2] HighLoad shop (web1 critical)", ""), ("[RESOLVED] HighLoad shop (critical)", ""),
     "alertmanager:HighLoad shop"),
    ("alertmanager", ("[FIRING:1]  (HighLoad web1)", ""), ("[RESOLVED]  (HighLoad web1)", ""), "alertmanager:(HighLoad web1)"),
    ("icinga", ("[PROBLEM] procs on vm is CRITICAL!", ""), ("[RECOVERY] procs on vm is OK!", ""), "icinga:procs on vm"),
    ("icinga", ("[PROBLEM] Host vm is DOWN!", ""), ("[RECOVERY] Host vm is UP!", ""), "icinga:Host vm"),
    ("icinga", ("** PROBLEM Service Alert: web1/disk is WARNING **", ""), ("** RECOVERY Service Alert: web1/disk is OK **", ""),
     "icinga:web1/disk"),
    ("icinga", ("** PROBLEM Host Alert: web1 is DOWN **", ""), ("** FLAPPINGSTOP Host Alert: web1 is UP **", ""), "icinga:web1"),
    ("monit", ("monit alert --  Connection failed api", MONIT), ("monit alert --  Connection succeeded api", MONIT),
     "monit:Connection:api:web1"),
    ("monit", ("Connection failed api", ""), ("Connection succeeded api", ""), "monit:Connection:api"),
    ("monit", ("monit alert --  Does not exist api", MONIT), ("monit alert --  Exists api", MONIT), "monit:api:web1"),
    ("monit", ("monit alert --  Resource limit matched api", ""), ("monit alert --  Resource limit succeeded api", ""),
     "monit:Resource limit:api"),
    ("monit", ("monit alert --  Timeout api", ""), ("monit alert --  Timeout recovery api", ""), "monit:Timeout:api"),
    ("zabbix", ("Problem: High load", ZABBIX.format(host="web1", number=17)),
     ("Resolved in 2m 3s: High load", ZABBIX.format(host="web1", number=17)), "zabbix:17"),
    ("zabbix", ("PROBLEM: High load", "Details\r\nHost: web1"), ("OK: High load", "Details\r\nHost: web1"), "zabbix:High load:web1"),
    ("mdadm", ("Fail event on /dev/md0:nas", ""), ("SpareActive event on /dev/md0:nas", ""), "mdadm:/dev/md0:nas"),
    ("mdadm", ("DegradedArray event on /dev/md/1:nas", ""), ("RebuildFinished event on /dev/md/1:nas", ""), "mdadm:/dev/md/1:nas"),
]  # fmt: skip


@pytest.mark.parametrize("is_chosen", [False, True])
@pytest.mark.parametrize(("tool", "alarm", "end", "key"), PAIRS)
def test_the_end_of_an_alarm_has_its_key_with_and_without_a_preset(
    tool: str, alarm: tuple[str, str], end: tuple[str, str], key: str, is_chosen: bool
) -> None:
    preset = {"preset": RecoveryPreset(tool)} if is_chosen else {}

    opened, closed = event(*alarm, **preset), event(*end, **preset)

    assert (opened.dedup_key, opened.severity, opened.recovers) == (f"mail:web1:{key}", Severity.ERROR, False)
    assert (closed.dedup_key, closed.recovers) == (opened.dedup_key, True)


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("[ACKNOWLEDGEMENT] procs on vm is CRITICAL!", ""),
        ("** CUSTOM Host Alert: web1 is DOWN **", ""),
        ("[DOWNTIMESTART] procs on vm is CRITICAL!", ""),
        ("[FLAPPINGSTART] procs on vm is WARNING!", ""),
        ("Monit instance changed web1", ""),
        ("monit alert --  Action done api", MONIT),
        ("Updated problem in 3m: High load", ZABBIX.format(host="web1", number=17)),
        ("Test subject", "This is the test message from Zabbix"),
        ("TestMessage event on /dev/md0:nas", ""),
        ("SMART error (EmailTest) detected on host: nas", ""),
    ],
)
def test_a_mail_that_is_neither_an_alarm_nor_an_end_opens_nothing(subject: str, text: str) -> None:
    found = event(subject, text)

    assert (found.severity, found.dedup_key, found.recovers) == (Severity.INFO, None, False)


@pytest.mark.parametrize(
    ("alarm", "end"),
    [("[FIRING:1] Disk full on web1", "[RESOLVED] Disk full on web1"), ("Disk full on web1", "RESOLVED: Disk full on web1"),
     ("CRITICAL: Disk full on web1", "OK: Disk full on web1"), ("PROBLEM - Disk full on web1", "RECOVERY - Disk full on web1"),
     ("Host 10.0.0.5 is DOWN", "Host 10.0.0.5 is UP"), ("UPS at 91 %", "[OK] UPS at 100 %")],
)  # fmt: skip
def test_words_of_states_end_alarms_of_any_sender_and_are_no_part_of_the_title(alarm: str, end: str) -> None:
    for of_source in ({}, {"preset": RecoveryPreset.GENERAL}):
        opened, closed = event(alarm, **of_source), event(end, **of_source)

        assert opened.dedup_key == closed.dedup_key and opened.dedup_key.startswith("mail:web1:")
        assert (opened.recovers, closed.recovers) == (False, True)
        assert not any(word in opened.title + closed.title for word in ("FIRING", "RESOLVED", "OK", "DOWN", "PROBLEM"))


def test_a_source_with_a_pattern_of_its_own_reads_no_words_of_states() -> None:
    found = event("RESOLVED: disk", pattern=r"back: (?P<key>\w+)")

    assert (found.recovers, found.dedup_key) == (False, "mail:web1:disk")


def test_hosts_whose_mails_read_the_same_stay_apart() -> None:
    subjects = [
        "[PROBLEM] procs on vm is CRITICAL!",
        "monit alert --  Connection failed api",
        "Fail event on /dev/md0:nas",
    ]

    for subject in subjects:
        assert len({event(subject, sender=sender).dedup_key for sender in ("a@web1", "a@web2", "b@web2")}) == 2
    assert event("Failed db", pattern=r"Failed (?P<key>\w+)", sender="x@nas.lan").dedup_key == "mail:nas.lan:db"


@pytest.mark.parametrize(
    "mails",
    [
        [("Host 10.0.0.5 is DOWN", ""), ("Host 10.0.0.6 is DOWN", "")],
        [("Disk 3 failed in enclosure 1", ""), ("Disk 5 failed in enclosure 1", "")],
        [("VM 101 backup failed", ""), ("VM 102 backup failed", "")],
        [("Cron <root@web1> /usr/local/bin/backup", ""), ("Cron <root@web2> /usr/local/bin/backup", "")],
        [("Cron <root@web1> backup --level 1", ""), ("Cron <root@web1> backup --level 2", "")],
        [("SMART error (CurrentPendingSector) detected on host: nas", SMARTD.format(disk)) for disk in ("sda", "sdb")],
        [("Fail event on /dev/md0:nas", ""), ("Fail event on /dev/md1:nas", "")],
        [("Connection failed to db1 from web1", ""), ("Connection failed to db2 from web1", "")],
        [("Security event on web1", ""), ("Power event on web1", "")],
    ],
)
def test_alarms_about_two_things_have_two_keys(mails: list[tuple[str, str]]) -> None:
    assert len({event(*each).dedup_key for each in mails}) == 2


def test_measures_of_one_thing_have_one_key() -> None:
    assert len({event(f"UPS: on battery, {percent}% left").dedup_key for percent in (80, 5)}) == 1


def test_a_key_has_no_secret() -> None:
    assert "hunter2" not in (event("Cron <root@web1> curl https://u:hunter2@example.org/").dedup_key or "")


def test_every_tool_that_mails_is_tried_and_is_a_preset() -> None:
    tested = {tool for tool, *_ in PAIRS} | {"smartd", "cron"}

    assert {str(preset) for preset in MAIL_PRESETS} == tested


@pytest.mark.parametrize(
    ("title", "key", "severity"),
    [("[FIRING:1] Disk 3 full, 91 %", "general:disk 3 full, #", "ERROR"), ("[RESOLVED] Disk 3 full, 12 %", "general:disk 3 full, #", "SUCCESS"),
     ("Disk 5 full", "general:disk 5 full", "ERROR")],
)  # fmt: skip
def test_a_source_of_messages_reads_words_of_states_where_its_preset_is_the_general_one(
    title: str, key: str, severity: str
) -> None:
    sent = legacy_push.parse({"title": title, "message": "x", "priority": 8})

    made = legacy_push.event(sent, pattern=None, preset=RecoveryPreset.GENERAL)

    assert (made["dedupKey"], made["severity"]) == (key, severity)
    assert legacy_push.event(sent, pattern=None, preset=None).get("dedupKey") is None


def test_a_notice_of_a_tool_in_a_message_opens_nothing() -> None:
    sent = legacy_push.parse({"title": "Monit instance changed web1", "message": "x", "priority": 8})

    assert legacy_push.event(sent, pattern=None, preset=RecoveryPreset.MONIT)["severity"] == "INFO"
