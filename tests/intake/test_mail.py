"""Mails as events, for any bytes (specification 19.16)."""

from __future__ import annotations

from email.message import EmailMessage
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.events import validation as events
from inbox.domain.events.fields import Action, WarningCode
from inbox.domain.senders.recovery_presets import RecoveryPreset
from inbox.domain.values.severity import Severity
from inbox.intake import mail, mail_message
from inbox.intake.mail import Envelope, Grouping
from tests.cast import NOW
from tests.database.call_counts import calls_of

ENVELOPE = Envelope(sender="nas@example.org", helo="nas.local", peer="192.0.2.7", is_encrypted=False)


def lines(*texts: str) -> bytes:
    return "\r\n".join(texts).encode()


SIMPLE = lines(
    "From: NAS <nas@example.org>", "To: hidden@inbox.example.org", "Subject: Volume full", "Message-ID: <1@nas>", "",
    "/data has 3 % left.", "Check it.",
)  # fmt: skip


def accepted(
    content: bytes, *, tag: str = "", pattern: str | None = None, preset: RecoveryPreset | None = None, **more: bool
) -> events.NewEvent:
    """The event of a mail as ingest would store it."""
    made = mail.event_of(mail_message.read(content), ENVELOPE, tag, Grouping(pattern, preset, **more))
    [event] = events.accept(orjson.loads(orjson.dumps(made)), received_at=NOW, default_severity=Severity.WARNING)
    return event


def test_the_subject_is_the_title_and_the_text_is_the_body() -> None:
    event = accepted(SIMPLE)

    assert (event.title, event.body) == ("Volume full", "/data has 3 % left.\nCheck it.")
    assert (event.type, event.resource, event.severity) == ("mail", "mail:example.org", Severity.WARNING)
    assert (event.external_id, event.tags) == ("<1@nas>", [])


def test_the_sender_of_a_mail_is_metadata_and_its_recipients_are_not() -> None:
    metadata = accepted(SIMPLE).metadata or {}

    assert metadata["mail"] == {
        "from": "nas@example.org", "envelopeFrom": "nas@example.org", "helo": "nas.local", "peer": "192.0.2.7", "date": "",
        "encrypted": False, "senderVerified": False,
    }  # fmt: skip
    assert "hidden" not in str(metadata)


def test_the_part_of_the_address_after_the_plus_is_a_tag() -> None:
    assert accepted(SIMPLE, tag="cellar").tags == ["cellar"]
    assert len(accepted(SIMPLE, tag="x" * 80).tags[0]) == 64


def test_a_pattern_of_the_source_reads_the_key_and_the_recovery() -> None:
    alarm = lines("Subject: [PROBLEM] disk on db2 is CRITICAL", "", "full")
    end = lines("Subject: [RECOVERY] disk on db2 is OK", "", "room")
    pattern = r"^\[(?:PROBLEM|(?P<recovery>RECOVERY))\] (?P<key>.+) is"

    events = [accepted(each, pattern=pattern) for each in (alarm, end)]

    assert [(each.dedup_key, each.recovers) for each in events] == [
        ("mail:example.org:disk on db2", False),
        ("mail:example.org:disk on db2", True),
    ]


def test_a_preset_reads_the_mails_of_a_tool() -> None:
    failed = accepted(
        lines("Subject: vzdump backup status (pve1): backup failed", "", "x"), preset=RecoveryPreset.PROXMOX
    )
    good = accepted(
        lines("Subject: vzdump backup status (pve1): backup successful", "", "x"), preset=RecoveryPreset.PROXMOX
    )

    assert failed.dedup_key == good.dedup_key == "mail:example.org:proxmox:pve1"
    assert (failed.action, failed.recovers, good.recovers) == (Action.TRIGGER, False, True)


def keys(subjects: list[str], *, sender: str = "ups@home.lan", **grouping: Any) -> list[str | None]:
    """The dedup keys of mails with these subjects."""
    return [accepted(lines(f"From: {sender}", f"Subject: {each}", "", "x"), **grouping).dedup_key for each in subjects]


def test_mails_of_one_domain_share_a_key_by_their_normalised_subject() -> None:
    on_battery, repeated, degraded = keys(["UPS on battery 91 %", "UPS on Battery 88 %", "RAID degraded"])

    assert on_battery == repeated == "mail:home.lan:ups on battery #"
    assert degraded == "mail:home.lan:raid degraded"
    assert keys(["RAID degraded"], sender="nas@other.lan") == ["mail:other.lan:raid degraded"]
    assert keys(["RAID degraded"], sender="NAS@HOME.LAN", pattern="^OK (?P<key>.+)") == [degraded]


def test_a_key_made_of_a_subject_is_short_and_has_no_secrets() -> None:
    [long, secret] = keys(["x " * 400, f"Key svc_src_{'a' * 40} was used"])

    assert long is not None and len(long) <= 255
    assert secret == "mail:home.lan:key svc_[redacted] was used"


def test_a_source_that_groups_its_events_itself_gives_its_mails_no_key() -> None:
    assert keys(["RAID degraded"], has_group_by=True) == [None]
    assert keys(["disk sda bad"], has_group_by=True, pattern=r"disk (?P<key>\w+)") == ["mail:home.lan:sda"]


@pytest.mark.parametrize(("resolves_by_fingerprint", "key"), [(True, None), (False, "mail:home.lan:ups on battery")])
def test_a_recovery_without_a_key_finds_its_alarm_by_type_and_resource(
    resolves_by_fingerprint: bool, key: str | None
) -> None:
    mails = [lines("From: ups@home.lan", f"Subject: {each}", "", "x") for each in ("UPS on battery", "UPS is back")]

    alarm, end = (accepted(each, pattern="is back", resolves_by_fingerprint=resolves_by_fingerprint) for each in mails)

    assert (alarm.dedup_key, alarm.recovers, end.recovers) == (key, False, True)
    assert (alarm.type, alarm.resource) == (end.type, end.resource) == ("mail", "mail:home.lan")
    assert (end.dedup_key is None) is resolves_by_fingerprint


@pytest.mark.parametrize(
    ("header", "title"),
    [("=?utf-8?q?Platte_voll_=E2=9C=93?=", "Platte voll ✓"), ("=?iso-8859-1?Q?Gr=FC=DFe?=", "Grüße"),
     ("=?punycode?q?abc-?=", "abc-"), ("=?no-such-set?q?abc?=", "abc"), ("=?utf-8?b?!!!?=", "=?utf-8?b?!!!?="),
     ("folded\r\n over lines", "folded over lines"), ("a\x00b\x07c", "a\ufffdb c"), ("", "first line")],
)  # fmt: skip
def test_a_subject_is_decoded(header: str, title: str) -> None:
    assert accepted(f"Subject: {header}\r\n\r\nfirst line\r\nsecond".encode()).title == title


def test_a_subject_of_raw_bytes_is_guessed() -> None:
    assert accepted("Subject: Größe\r\n\r\nx".encode("latin-1")).title == "Größe"
    assert accepted("Subject: Größe\r\n\r\nx".encode()).title == "Größe"


def test_a_mail_without_anything_has_a_title() -> None:
    assert accepted(b"").title == mail.NO_SUBJECT


def test_html_alone_becomes_text() -> None:
    html = "<html><head><title>no</title><style>p{}</style></head><body><h1>Alarm</h1><p>Disk&nbsp;full &amp; hot<br>now</p>"

    event = accepted(lines("Subject: s", "Content-Type: text/html; charset=utf-8", "", html + "<script>x()</script>"))

    assert event.body == "Alarm\nDisk full & hot\nnow"


def whole(*, attachment: bool) -> bytes:
    message = EmailMessage()
    message["Subject"] = "Both"
    message["From"] = "nas@example.org"
    message.set_content("plain text")
    message.add_alternative("<p>html text</p>", subtype="html")
    if attachment:
        message.add_attachment(b"\x89PNG" * 100, maintype="image", subtype="png", filename="camera.png")
    return message.as_bytes()


def test_plain_text_goes_before_html() -> None:
    assert (accepted(whole(attachment=False)).body or "").strip() == "plain text"


def test_an_attachment_is_left_out_with_a_warning() -> None:
    read = mail_message.read(whole(attachment=True))

    [warning] = mail.warnings_of(read, ENVELOPE)

    assert warning.code is WarningCode.ATTACHMENT_DROPPED
    assert warning.detail == "not stored: camera.png (image/png, 400 bytes)"
    assert mail.warnings_of(mail_message.read(whole(attachment=False)), ENVELOPE) == []


def test_a_from_that_is_not_the_sender_of_the_envelope_is_a_warning() -> None:
    read = mail_message.read(SIMPLE)
    forged = Envelope(sender="someone@example.net", helo="", peer="", is_encrypted=True)

    assert [each.code for each in mail.warnings_of(read, forged)] == [WarningCode.SENDER_DIFFERS]
    assert mail.warnings_of(read, Envelope("NAS@EXAMPLE.ORG", "", "", is_encrypted=True)) == []


@pytest.mark.parametrize("parts", [998, 999, 2_000])
def test_a_mail_of_very_many_parts_is_stored_as_received(parts: int) -> None:
    head = lines("Subject: many", "Content-Type: multipart/mixed; boundary=b", "", "")
    content = head + b"--b\r\n\r\npart\r\n" * parts + b"--b\r\n\r\nlast\r\n--b--\r\n"

    read = mail_message.read(content)

    assert read.subject == "many"
    assert read.is_whole is (parts + 2 <= mail_message.MOST_SEPARATORS)
    assert read.text.startswith("part" if read.is_whole else "--b")


def test_a_text_with_many_lines_of_dashes_is_whole() -> None:
    read = mail_message.read(lines("Subject: table", "", *["-----"] * 2_000))

    assert read.is_whole and read.text.startswith("-----")


def test_a_mail_nested_very_deep_is_stored() -> None:
    head, depth = b"Subject: deep\r\n", 900
    body = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(depth))

    assert accepted(head + body + b"\r\ntext\r\n").title == "deep"


@pytest.mark.parametrize(
    ("header", "is_dropped"),
    [("Auto-Submitted: auto-replied", True), ("Auto-Submitted: auto-generated", False), ("Auto-Submitted: no", False),
     ("Content-Type: multipart/report; report-type=delivery-status; boundary=x", True), ("X-Incident-Inbox: 1", True),
     ("Content-Type: multipart/mixed; boundary=x", False)],
)  # fmt: skip
def test_automatic_replies_reports_and_our_own_mails_are_no_alarms(header: str, is_dropped: bool) -> None:
    read = mail_message.read(lines("Subject: s", header, "", "text"))

    assert bool(mail.reason_to_drop(read)) is is_dropped


def test_the_same_mail_has_the_same_identity_and_another_text_another_one() -> None:
    repeat = SIMPLE.replace(b"To: hidden@", b"Received: from a by b\r\nTo: hidden@")
    other = SIMPLE.replace(b"3 %", b"2 %")
    nameless = SIMPLE.replace(b"Message-ID: <1@nas>\r\n", b"")

    assert accepted(SIMPLE).idempotency_key == accepted(repeat).idempotency_key
    assert accepted(other).idempotency_key != accepted(SIMPLE).idempotency_key
    assert accepted(nameless).idempotency_key is None


@pytest.mark.parametrize(
    ("content", "expected"),
    [(lines("Subject: s", "Content-Type: text/plain; charset=utf-7", "", "a+2AA-b"), ("s", "a?b")),
     (lines("Subject: =?utf-7?q?a+2AA-b?=", "", "text"), ("a?b", "text")),
     (lines("Subject: s", "Content-Type: text/html; charset=utf-7", "", "a+2AA-b"), ("s", "a?b")),
     (lines("Subject: =?utf-7?q?f+APw-r?=", "Content-Type: text/plain; charset=utf-7", "", "+2D3cAA-"), ("für", "\U0001f400"))],
)  # fmt: skip
def test_half_a_surrogate_of_utf_7_is_replaced(content: bytes, expected: tuple[str, str]) -> None:
    event = accepted(content)

    assert (event.title, event.body) == expected


def test_half_a_surrogate_in_the_name_of_an_attachment_is_replaced() -> None:
    head = lines(
        "Subject: s", "Content-Type: image/png", "Content-Disposition: attachment; filename*=utf-7''%2B2AA-", "", "x"
    )

    warning, *_ = mail.warnings_of(mail_message.read(head), ENVELOPE)

    assert warning.detail.encode().startswith(b"not stored: ? (image/png")


@given(st.binary(max_size=400))
def test_any_bytes_are_an_event(content: bytes) -> None:
    assert accepted(content).title


FRAGMENTS = st.sampled_from(
    [b"Subject: ", b"From: ", b"Message-ID: ", b"Content-Type: multipart/mixed; boundary=a\r\n", b"=?utf-8?q?x?=", b"\r\n", b"--a",
     b"--a--", b"Content-Type: text/html; charset=utf-7\r\n", b"Content-Type: message/rfc822\r\n", b"Content-Type: text/plain; charset*=''x\r\n",
     b"Content-Transfer-Encoding: base64\r\n", b"Content-Transfer-Encoding: x-uuencode\r\n", b"begin 666 x\r\n", b"QUJD", b"<p>x</p>",
     b"Content-Disposition: attachment; filename*=utf-8''%ff\r\n", b"+2AA-", b"=?utf-7?q?+2AA-?=", b"\xff\xfe", b"\x00", b" ", b"\r\n\r\n", b"<!--", b"&#x110000;"]
)  # fmt: skip


@given(st.lists(FRAGMENTS, max_size=25).map(b"".join))
def test_any_pieces_of_mails_are_an_event(content: bytes) -> None:
    read = mail_message.read(content)

    assert accepted(content).title
    assert all(len(each.detail) <= 500 for each in mail.warnings_of(read, ENVELOPE))


@pytest.mark.parametrize(
    "content",
    [b"Subject: " + b"=?utf-8?q?" * 40_000, b"From: " + b"<(\"" * 100_000, b"Content-Type: text/html\r\n\r\n" + b"<a " * 200_000,
     b"Content-Type: text/html\r\n\r\n" + b"<!--" * 150_000, b"Subject: " + b"a\r\n " * 150_000, b"x: y\r\n" * 100_000,
     b"Content-Type: text/plain; charset=punycode\r\n\r\n" + b"a-" * 300_000,
     b"Content-Type: text/plain; " + b"a*0=x; " * 80_000 + b"\r\n\r\ntext"],
)  # fmt: skip
def test_many_kilobytes_of_odd_bytes_cost_little(content: bytes) -> None:
    assert accepted(content).title

    # A reader that begins again at each odd byte makes 100,000 times as many calls.
    assert calls_of(lambda: accepted(content)) < 30 * len(content)
