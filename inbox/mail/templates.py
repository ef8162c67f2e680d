"""The mail templates and their texts (specification 13.5).

The values of a mail wait sealed in the outbox, because they include a link's token. Names become one short line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import ClassVar

from inbox.domain.text import one_line

LONGEST_NAME = 60
NOT_YOU = "If this was not you, sign in, change your password and sign out everywhere else."


@dataclass(frozen=True, slots=True)
class Content:
    """The text of a mail: a subject, paragraphs, and at most one link with its button text."""

    subject: str
    greeting: str
    paragraphs: tuple[str, ...]
    link: str = ""
    button: str = ""
    closing: str = ""


class UnknownTemplate(ValueError):
    """The outbox has a template that this version does not know. The error names the template, never its values."""


@dataclass(frozen=True)
class MailTemplate:
    """A mail: the name of its template, and its values as fields."""

    template: ClassVar[str] = ""

    def content(self, instance: str) -> Content:
        """Build the text. `instance` is the name of this instance."""
        raise NotImplementedError


@dataclass(frozen=True)
class PasswordReset(MailTemplate):
    """To a person who requested a new password. The link is valid for 30 minutes."""

    template = "password_reset"
    name: str
    link: str

    def content(self, instance: str) -> Content:
        """See `MailTemplate`."""
        return Content(
            f"Choose a new password for {instance}",
            _hello(self.name),
            ("A new password was requested for your account.",),
            self.link,
            "Choose a new password",
            "The link works once, within 30 minutes of the request. If you did not request it, ignore this mail: your"
            " password stays the same.",
        )


@dataclass(frozen=True)
class EmailChange(MailTemplate):
    """To the new address of a person who changes it. The link is valid for an hour."""

    template = "email_change"
    name: str
    link: str

    def content(self, instance: str) -> Content:
        """See `MailTemplate`."""
        return Content(
            f"Confirm your new address for {instance}",
            _hello(self.name),
            ("You asked to use this address for your account.",),
            self.link,
            "Use this address",
            "The link works once, within an hour of the request. If you did not request it, ignore this mail.",
        )


@dataclass(frozen=True)
class EmailChangeNotice(MailTemplate):
    """To the old address of a person who changes it."""

    template = "email_change_notice"
    name: str
    new_email: str

    def content(self, instance: str) -> Content:
        """See `MailTemplate`."""
        return Content(
            f"Your address for {instance} is about to change",
            _hello(self.name),
            (
                f"Somebody who is signed in to your account asked to change the address of the account to {_masked(self.new_email)}.",
                "The address changes when the link in the mail to the new address is opened.",
            ),
            closing=NOT_YOU,
        )


@dataclass(frozen=True)
class VerifyEmail(MailTemplate):
    """To a person who signs up with this address. The link is valid for 24 hours."""

    template = "verify_email"
    name: str
    link: str

    def content(self, instance: str) -> Content:
        """See `MailTemplate`."""
        return Content(
            f"Confirm your address for {instance}",
            _hello(self.name),
            ("Somebody signed up with this address. Confirm the address to create the account.",),
            self.link,
            "Confirm my address",
            "The link works once, within 24 hours. If you did not sign up, ignore this mail.",
        )


@dataclass(frozen=True)
class AccountExists(MailTemplate):
    """To the owner of an account when a person signs up with its address. `link` leads to the sign-in page."""

    template = "account_exists"
    name: str
    link: str

    def content(self, instance: str) -> Content:
        """See `MailTemplate`."""
        return Content(
            f"You already have an account for {instance}",
            _hello(self.name),
            ("Somebody signed up with this address, which already has an account. Nothing was changed.",),
            self.link,
            "Sign in",
            "If you do not remember your password, request a new one there. If you did not sign up, ignore this mail.",
        )


@dataclass(frozen=True)
class Invitation(MailTemplate):
    """To a person who is invited into a workspace. The link is valid for 7 days."""

    template = "invitation"
    inviter: str
    workspace: str
    role: str
    link: str

    def content(self, instance: str) -> Content:
        """See `MailTemplate`."""
        return Content(
            f"{_named(self.inviter)} invites you to {_named(self.workspace)}",
            "Hello,",
            (
                f"{_named(self.inviter)} invites you to the workspace {_named(self.workspace)} of {instance}.",
                f"You would join it as {_with_article(self.role)}.",
            ),
            self.link,
            "View the invitation",
            "The link works once, within 7 days. If you do not know the sender, ignore this mail.",
        )


@dataclass(frozen=True)
class PasswordChanged(MailTemplate):
    """To a person whose password was changed. `at` is the time, formatted for the reader."""

    template = "password_changed"
    name: str
    at: str

    def content(self, instance: str) -> Content:
        """See `MailTemplate`."""
        return Content(
            f"Your password for {instance} was changed",
            _hello(self.name),
            (f"The password of your account was changed on {self.at}. All other sessions were signed out.",),
            closing="If this was not you, request a new password at once and inform the operator of the instance.",
        )


@dataclass(frozen=True)
class FactorAdded(MailTemplate):
    """To a person whose account has a new authentication factor. `factor` is `totp`, `passkey` or `oidc`."""

    template = "factor_added"
    name: str
    factor: str
    at: str

    def content(self, instance: str) -> Content:
        """See `MailTemplate`."""
        return Content(
            f"A new way to sign in to {instance}",
            _hello(self.name),
            (f"{_FACTORS.get(self.factor, 'A new way to sign in')} was added to your account on {self.at}.",),
            closing=NOT_YOU,
        )


@dataclass(frozen=True)
class FactorRemoved(MailTemplate):
    """To a person whose account lost an authentication factor. `factor` is as in `FactorAdded`."""

    template = "factor_removed"
    name: str
    factor: str
    at: str

    def content(self, instance: str) -> Content:
        """See `MailTemplate`."""
        return Content(
            f"A way to sign in to {instance} was removed",
            _hello(self.name),
            (f"{_FACTORS.get(self.factor, 'A way to sign in')} was removed from your account on {self.at}.",),
            closing=NOT_YOU,
        )


@dataclass(frozen=True)
class FallbackMail(MailTemplate):
    """To the owners of a workspace, when no destination could be notified of an open incident. `link` leads to it."""

    template = "nobody_told"
    name: str
    workspace: str
    source: str
    title: str
    severity: str
    link: str

    def content(self, instance: str) -> Content:
        """See `MailTemplate`."""
        return Content(
            f"{self.severity} in {_named(self.workspace)}: {_named(self.title)}",
            _hello(self.name),
            (
                f"{_named(self.source)} reports: {_named(self.title)}.",
                "No destination could be notified, so this mail goes to the owners.",
            ),
            self.link,
            "View the incident",
            f"Sent once each time the incident opens, to all owners of {_named(self.workspace)}.",
        )


_FACTORS = {"totp": "An authenticator app", "passkey": "A passkey", "oidc": "An identity provider"}

TEMPLATES: Mapping[str, type[MailTemplate]] = {
    letter.template: letter
    for letter in (
        *(PasswordReset, EmailChange, EmailChangeNotice, VerifyEmail, AccountExists, Invitation),
        *(PasswordChanged, FactorAdded, FactorRemoved, FallbackMail),
    )
}


def to_bytes(template: MailTemplate) -> bytes:
    """Serialize the values of a mail, for sealing."""
    return json.dumps(asdict(template)).encode()


def from_bytes(template: str, values: bytes) -> MailTemplate:
    """Restore the mail from its values. Raises `UnknownTemplate`."""
    try:
        return TEMPLATES[template](**json.loads(values))
    except (KeyError, TypeError, ValueError):
        raise UnknownTemplate(template) from None


def _hello(name: str) -> str:
    return f"Hello {_named(name)}," if one_line(name) else "Hello,"


def _named(name: str) -> str:
    """Shorten a name to one line, without text that a mail program turns into a link."""
    line = one_line(name)
    line = line if len(line) <= LONGEST_NAME else line[: LONGEST_NAME - 1] + "…"
    return line.replace("://", " ").replace("www.", "www ") or "somebody"


def _masked(address: str) -> str:
    """`n…@example.org`: the owner recognises the address."""
    local, _, domain = one_line(address).rpartition("@")
    return f"{local[:1]}…@{domain}"


def _with_article(role: str) -> str:
    return f"an {role}" if role[:1] in "aeiou" else f"a {role}"
