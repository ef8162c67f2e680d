"""The text of a mail in parts: HTML that says more, attached texts, and links (specification 19.16)."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from inbox.intake import mail, mail_message
from inbox.intake.mail import Envelope, Grouping
from inbox.intake.mail_message import MailMessage
from tests.database.call_counts import calls_of

ENVELOPE = Envelope("nas@example.org", "nas", "192.0.2.7", is_encrypted=False)


def both(plain: str, html: str) -> MailMessage:
    message = EmailMessage()
    message["Subject"] = "Backup report"
    message.set_content(plain)
    message.add_alternative(html, subtype="html")
    return mail_message.read(message.as_bytes())


def html_of(html: str) -> MailMessage:
    return mail_message.read(b"Subject: s\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html.encode())


FAILED = "<html><head><style>p{color:red}</style></head><body><h1>FAILED</h1><p>Job db-1: disk full</p></body></html>"


@pytest.mark.parametrize(
    "plain",
    ["This message needs a mail program that shows HTML.", "Diese Nachricht ist nur in HTML lesbar.", " ", "--",
     "View this mail in your browser: https://mails.example.org/1"],
)  # fmt: skip
def test_html_is_the_text_of_a_mail_whose_plain_part_only_points_to_it(plain: str) -> None:
    assert both(plain, FAILED).text == "FAILED\nJob db-1: disk full"


@pytest.mark.parametrize(
    "plain",
    ["Job db-1: disk full", "FAILED\n\nJob db-1: disk full\n", "Job db-1 failed, the disk is full after 12 of 40 GB"],
)
def test_a_plain_part_that_says_the_same_is_the_text(plain: str) -> None:
    assert both(plain, FAILED).text == plain.strip()


def test_html_with_much_more_text_is_the_text() -> None:
    rows = "".join(f"<tr><td>disk {number}</td><td>full</td></tr>" for number in range(60))

    assert "disk 59 full" in both("2 disks are full", f"<p>2 disks are full</p><table>{rows}</table>").text


def attached(
    content: bytes, name: str | None, kind: str = "text/plain", *, inline: bool = False, text: str = "Failed."
) -> MailMessage:
    message = EmailMessage()
    message["Subject"] = "Backup"
    message.set_content(text)
    maintype, subtype = kind.split("/")
    message.add_attachment(
        content, maintype=maintype, subtype=subtype, filename=name, disposition="inline" if inline else "attachment"
    )
    return mail_message.read(message.as_bytes())


@pytest.mark.parametrize("inline", [True, False])
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("log.txt", "text/plain"),
        ("rows.csv", "text/csv"),
        ("run.log", "application/octet-stream"),
        ("job.out", "text/x-log"),
    ],
)
def test_a_small_attached_text_stands_below_the_text(name: str, kind: str, inline: bool) -> None:
    read = attached(b"rsync: no space left\n", name, kind, inline=inline)

    assert read.text == f"Failed.\n\n{name}:\nrsync: no space left"
    assert read.attachments == []


@pytest.mark.parametrize(("size", "is_shown"), [(16_383, True), (16_384, True), (16_385, False)])
def test_a_large_attached_text_is_left_out_with_a_warning(size: int, is_shown: bool) -> None:
    read = attached(b"x" * size, "log.txt")

    assert ("xxx" in read.text) is is_shown and bool(read.attachments) is not is_shown


@pytest.mark.parametrize(
    ("content", "name", "kind"),
    [(b"\0\1", "run.log", "application/octet-stream"), (b"abc", "run.bin", "application/octet-stream"),
     (b"abc", "page.html", "text/html"), (b"BEGIN:VCALENDAR", "a.ics", "text/calendar"), (b"  ", "empty.txt", "text/plain")],
)  # fmt: skip
def test_other_attachments_are_left_out(content: bytes, name: str, kind: str) -> None:
    read = attached(content, name, kind)

    assert read.text == "Failed." and read.attachments[0].startswith(name)


def test_a_mail_that_is_one_attached_text_has_it_as_its_text() -> None:
    content = b"Subject: log\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=log.txt\r\n\r\ndisk full\r\n"

    assert mail_message.read(content).text == "disk full"
    assert attached(b"disk full", "log.txt", text="").text == "disk full"


def test_a_second_text_without_a_name_follows_the_first() -> None:
    part = b"--b\r\nContent-Type: text/plain\r\n\r\n"
    content = (
        b"Subject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
        + part
        + b"one\r\n"
        + part
        + b"two\r\n--b--\r\n"
    )

    assert mail_message.read(content).text == "one\n\ntwo"


LINK = "https://icinga.example.org/host?name=db-1"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f'<p>db-1 is <a href="{LINK}">down</a>.</p>', f"db-1 is down ({LINK})."),
        (f"<a class=x href='{LINK}' >down </a>now", f"down ({LINK}) now"),
        (f"<a href={LINK}>down</a>", f"down ({LINK})"),
        (f'<a href="{LINK}&amp;x=1"><div>down</div></a>end', f"down ({LINK}&x=1)\nend"),
        (f'<a href="{LINK}">{LINK}</a>', LINK),
        ('<a href="https://example.org/">example.org</a>', "example.org"),
        ('<a href="mailto:a@example.org">Ann</a> <a href="#top">top</a> <a href="javascript:x()">x</a>', "Ann top x"),
        (f'<a href="{LINK}"><img src="x.png"></a>down', "down"),
        (f'<a href="{LINK}">open', f"open ({LINK})"),
        (f'<a href="{LINK}">one<a href="{LINK}2">two</a>', f"one ({LINK})two ({LINK}2)"),
        ('<a data-href="https://x.example.org">x</a>', "x"),
    ],
)  # fmt: skip
def test_a_link_of_html_keeps_its_address(html: str, text: str) -> None:
    assert html_of(html).text == text


@pytest.mark.parametrize(
    ("html", "link"),
    [
        (f'<a href="https://l.example.org/unsubscribe?u=1">out</a><a href="{LINK}">down</a>', LINK),
        (f'<a href="https://l.example.org/u/1">Unsubscribe</a><a href="{LINK}">down</a>', LINK),
        (f'<link href="https://l.example.org/style.css"><a href="https://x.example.org/"><img></a><a href="{LINK}">down</a>', LINK),
        (f'<a href="https://x.example.org/logo.png">logo</a><a href="{LINK}">down</a>', LINK),
        (f'<a href="https://x.example.org/{"y" * 2048}">long</a><a href="{LINK}">down</a>', LINK),
        ('<a href="/relative">down</a>', ""),
        ("<p>https://x.example.org is down</p>", ""),
    ],
)  # fmt: skip
def test_the_first_link_about_the_subject_is_the_link_of_the_event(html: str, link: str) -> None:
    made = mail.event_of(html_of(html), ENVELOPE, "", Grouping())

    assert made.get("url", "") == link


@pytest.mark.parametrize(
    ("text", "link"),
    [(f"See {LINK}.", LINK), (f"<{LINK}>", LINK), ("To unsubscribe: https://l.example.org/u\nhttps://a.example.org/1", "https://a.example.org/1"),
     ("no link", ""), ("ftp://a.example.org", "")],
)  # fmt: skip
def test_a_plain_text_has_a_link_too(text: str, link: str) -> None:
    assert mail_message.read(b"Subject: s\r\n\r\n" + text.encode()).link == link


def test_a_plain_part_without_a_link_has_that_of_the_html() -> None:
    assert both("Job db-1: disk full", FAILED.replace("db-1", f'<a href="{LINK}">db-1</a>')).link == LINK


@pytest.mark.parametrize(
    "html",
    [f'<a href="{LINK}">' * 8_000, f'<a href="{LINK}">x</a>' * 5_000, '<a href="' * 20_000, "<a href=" + " " * 200_000 + ">",
     "<p>" + "x " * 100_000 + f'<a href="{LINK}">y</a>'],
)  # fmt: skip
def test_links_cost_little(html: str) -> None:
    content = b"Subject: s\r\nContent-Type: text/html\r\n\r\n" + html.encode()

    assert calls_of(lambda: mail_message.read(content)) < 30 * len(content)
