"""Mails that are expensive to parse are stored as received; real mails are split into parts."""

from __future__ import annotations

from base64 import encodebytes

import pytest

from inbox.intake import mail, mail_message
from inbox.intake.mail import Envelope, Grouping
from inbox.intake.mail_message import MOST_COST, MOST_HEADER_LINES, MOST_SEPARATORS
from tests.database.call_counts import calls_of

HEAD = b'From: a@example.org\r\nSubject: s\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n'
PART = b"--b\r\nContent-Type: text/plain\r\n\r\n"
ENVELOPE = Envelope("a@example.org", "h", "192.0.2.1", is_encrypted=False)


def nested(levels: int, body: bytes) -> bytes:
    opened = (
        b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (number, number) for number in range(levels)
    )
    return b"Subject: s\r\n" + b"".join(opened) + b"\r\ntext" + body


@pytest.mark.parametrize(
    "content",
    [
        nested(28, b"\r\n" * 1_000_000),
        nested(5, b"\r" * 2_000_000),
        HEAD + b"--b\r\n" + b"A: b\r\n" * 300_000 + b"\r\nx",
        HEAD + b"\r--b\r\rx" * 300_000,
        b"Subject: s\r\nContent-Type: message/delivery-status\r\n\r\n" + b"a\r\n\r\n" * 200_000,
        HEAD + b"--b\r\nContent-Type: message/delivery-status\r\n\r\n" + b"a\n\n" * 200_000,
        b"Subject: s\r\n" + b"A: b\r\n" * 300_000 + b"\r\nx",
        b"Subject: s\r\n\r\n" + b"\r\n" * 1_000_000,
        b"".join(b"X%d: " % number + b"=?utf-8?q?a?=" * 150 + b"\r\n" for number in range(900)) + b"\r\nx",
    ],
    ids=["nested", "CR", "headers of a part", "CR parts", "status", "status in a part", "headers", "lines", "words"],
)
def test_a_mail_that_would_cost_much_is_stored_at_a_low_cost(content: bytes) -> None:
    read = mail_message.read(content)

    assert mail.event_of(read, ENVELOPE, "", Grouping())["title"]
    # The parser makes several calls for each line, and more for each part and header.
    assert calls_of(lambda: mail_message.read(content)) < 150_000


def test_an_event_of_an_unsplit_mail_has_a_warning() -> None:
    read = mail_message.read(nested(5, b"\r\n" * 1_000_000))

    assert not read.is_whole and "--b0" in read.text
    assert mail.warnings_of(read, ENVELOPE)[0].code == "mail_unreadable"


@pytest.mark.parametrize(("beyond", "is_whole"), [(-6, True), (0, True), (6, False)])
def test_a_mail_in_parts_has_a_largest_cost(beyond: int, is_whole: bool) -> None:
    colons, boundaries = 4, 1
    lines = (MOST_COST - colons * 6) * 5 // (5 + boundaries)
    content = HEAD + PART
    content += b"\r\n" * (lines + beyond - content.count(b"\n"))

    assert mail_message.read(content).is_whole is is_whole


@pytest.mark.parametrize(("beyond", "is_whole"), [(-1, True), (0, True), (1, False)])
def test_a_mail_has_a_largest_number_of_lines_that_may_separate_parts(beyond: int, is_whole: bool) -> None:
    content = HEAD + b"\r\n" + b"--\r\n" * (MOST_SEPARATORS + beyond)

    assert mail_message.read(content).is_whole is is_whole


@pytest.mark.parametrize(("before", "sender"), [(998, "a@example.org"), (999, "a@example.org"), (1_000, "")])
def test_the_first_lines_of_a_head_are_read(before: int, sender: str) -> None:
    assert MOST_HEADER_LINES == 1_000
    content = b"Subject: s\r\n" + b"X: y\r\n" * (before - 1) + b"From: a@example.org\r\nLast: 1\r\n\r\ntext"

    read = mail_message.read(content)

    assert (read.subject, read.sender, read.text) == ("s", sender, "text")


def test_mails_with_a_large_attachment_or_a_long_log_are_split_into_parts() -> None:
    file = b"--b\r\nContent-Type: application/zip\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    attached = HEAD + PART + b"see the file\r\n" + file + encodebytes(bytes(1_500_000)) + b"--b--\r\n"
    log = b"2026-11-28T12:00:00Z db2: a checkpoint took long\r\n" * 40_000

    assert mail_message.read(attached).text == "see the file"
    assert mail_message.read(attached).attachments == ["a part without a name (application/zip, 1,500,000 bytes)"]
    assert mail_message.read(HEAD + PART + log + b"--b--\r\n").text.startswith("2026-11-28T12:00:00Z db2")


def test_a_large_mail_without_parts_is_read_whole() -> None:
    read = mail_message.read(b"Subject: s\r\nFrom: a@example.org\r\n\r\n" + b"x: y\r\n" * 300_000)

    assert read.is_whole and len(read.text) > 50_000
