"""Mail templates: their text, and that text chosen by people cannot extend them."""

from __future__ import annotations

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from html import unescape
from typing import cast
from uuid import UUID

import pytest

from inbox.mail.message import InvalidAddress, SenderIdentity, build_message
from inbox.mail.templates import FIELDS, MailTemplate, UnknownTemplate, fill, from_bytes, to_bytes
from tests.cast import NOW

STATIONERY = SenderIdentity("Incident Inbox", "https://inbox.example.org", "Incident Inbox <inbox@example.org>")
MAIL_ID = UUID("01939d0e-0000-7000-8000-000000000001")
LINK = "https://inbox.example.org/reset#token=abc_-123"

AT = "21 November 2026, 09:00 UTC"

EACH = [
    fill("password_reset", name="Mia", link=LINK),
    fill("contact_code", name="Mia", code="012345"),
    fill("contact_stopped", name="Mia", link=LINK),
    fill("email_change", name="Mia", link=LINK),
    fill("email_change_notice", name="Mia", new_email="new@example.org"),
    fill("verify_email", name="Mia", link=LINK),
    fill("account_exists", name="Mia", link=LINK),
    fill("invitation", inviter="Olga", workspace="Acme", role="admin", link=LINK),
    fill("password_changed", name="Mia", at=AT),
    fill("password_reset_unconfirmed", name="Mia", at=AT),
    fill("factor_added", name="Mia", factor="passkey", at=AT),
    fill("factor_removed", name="Mia", factor="totp", at=AT),
    fill(
        "nobody_told",
        name="Olga",
        workspace="Acme",
        source="Prometheus",
        title="Disk full",
        severity="CRITICAL",
        link=LINK,
    ),
    fill(
        "shift",
        name="Olga",
        workspace="Acme",
        schedule="Backend",
        starts="Monday, 23 November 2026, 10:00 (Europe/Berlin)",
        ends="Monday, 30 November 2026, 10:00 (Europe/Berlin)",
        further="2",
        link=LINK,
    ),
    fill("daily_limit", name="Olga", workspace="Acme", what="calls", whom="to Mia", link=LINK),
    fill(
        "schedule_problems",
        name="Olga",
        workspace="Acme",
        schedule="Backend",
        problems="All turns name the same person.\nThe layer Nights has nobody within a year.",
        link=LINK,
    ),
]


def invitation(inviter: str, workspace: str, role: str = "member") -> MailTemplate:
    return fill("invitation", inviter=inviter, workspace=workspace, role=role, link=LINK)


def read(letter: MailTemplate, to: str = "mia@example.org") -> EmailMessage:
    """The letter as the program of whoever gets it reads it."""
    message = build_message(letter, STATIONERY, to=to, mail_id=MAIL_ID, at=NOW)
    return cast(EmailMessage, message_from_bytes(message.as_bytes(), policy=default))


def texts(message: EmailMessage) -> tuple[str, str]:
    plain, html = (message.get_body((kind,)) for kind in ("plain", "html"))
    assert plain is not None and html is not None
    return str(plain.get_content()), str(html.get_content())


def test_each_mail_template_has_an_example() -> None:
    assert {letter.template for letter in EACH} == set(FIELDS)


@pytest.mark.parametrize("letter", EACH, ids=lambda letter: letter.template)
def test_a_letter_is_complete_as_text_and_as_html(letter: MailTemplate) -> None:
    message = read(letter)
    plain, html = texts(message)

    assert message["From"] == "Incident Inbox <inbox@example.org>"
    assert message["To"] == "mia@example.org"
    assert message["Message-ID"] == f"<{MAIL_ID}@example.org>"
    assert message["Date"].datetime == NOW
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Subject"] and "\n" not in message["Subject"]
    assert (LINK in plain.splitlines()) == ("link" in letter.values) == (f'href="{LINK}"' in html)
    assert plain.splitlines()[0] in ("Hello Mia,", "Hello Olga,", "Hello,")
    for line in filter(None, plain.partition("-- ")[0].splitlines()):
        assert line.removesuffix(":") in unescape(html)
    assert "<script" not in html and "<img" not in html and "src=" not in html


@pytest.mark.parametrize("letter", EACH, ids=lambda letter: letter.template)
def test_a_mail_leaves_the_outbox_unchanged_and_identical_each_time(letter: MailTemplate) -> None:
    repeated = from_bytes(letter.template, to_bytes(letter))

    assert repeated == letter
    first, second = (
        build_message(each, STATIONERY, to="a@b.example", mail_id=MAIL_ID, at=NOW) for each in (letter, repeated)
    )
    assert first.as_bytes() == second.as_bytes()


@pytest.mark.parametrize(
    ("template", "values"),
    [("no_such", b"{}"), ("verify_email", b"{}"), ("verify_email", b'{"name":"a","link":"b","more":1}'),
     ("verify_email", b"["), ("verify_email", b"[]"), ("verify_email", b"\xff")],
)  # fmt: skip
def test_an_unknown_mail_template_is_reported(template: str, values: bytes) -> None:
    with pytest.raises(UnknownTemplate):
        from_bytes(template, values)


@pytest.mark.parametrize(
    "name",
    ["Mia\r\nBcc: eve@example.org", "Mia\nX-Header: 1", "Mia\u2028Bcc: eve@example.org", "\x00Mia", "M" * 5_000, "\u202eaiM"],
)  # fmt: skip
def test_a_name_cannot_add_a_header_or_a_line(name: str) -> None:
    message = read(invitation(name, name))
    plain, _ = texts(message)

    assert message["Bcc"] is None and message["X-Header"] is None
    assert message.get_all("To") == ["mia@example.org"]
    assert not any(line.startswith(("Bcc", "X-Header")) for line in plain.splitlines())
    assert max(len(line) for line in plain.splitlines()) < 300


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "Tom & Jerry's"])
def test_a_name_is_not_html(name: str) -> None:
    message = read(invitation(name, name))
    plain, html = texts(message)

    assert name in plain and name in message["Subject"]
    assert name not in html
    assert "<script" not in html and "<img" not in html


def test_a_name_contains_no_link() -> None:
    plain, html = texts(read(invitation("Win at https://evil.example", "www.evil.example")))

    for text in (plain, html):
        assert "https://evil" not in text and "www.evil" not in text


def test_the_old_address_learns_enough_of_the_new_one_to_know_it() -> None:
    plain, html = texts(read(fill("email_change_notice", name="Mia", new_email="newest@example.org")))

    assert "n…@example.org" in plain and "n…@example.org" in html
    assert "newest" not in plain + html


def test_letters_of_the_world_keep_their_characters() -> None:
    message = read(invitation("Zoë Łukasz", "Störung 障害 🚨", "viewer"))

    assert "Störung 障害 🚨" in message["Subject"]
    assert "Zoë Łukasz" in texts(message)[0]


@pytest.mark.parametrize(
    "to", ["", "nobody", "a@b\r\nBcc: c@d.example", "a b@c.example", "<>", "@", "a@b@c", "a@b, c@d"]
)
def test_an_invalid_recipient_address_is_refused(to: str) -> None:
    with pytest.raises(InvalidAddress):
        build_message(EACH[0], STATIONERY, to=to, mail_id=MAIL_ID, at=NOW)
