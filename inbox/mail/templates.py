"""The mails, their values and their texts (specification 13.5). `texts/` has one Jinja template for each mail.

The values of a mail wait sealed in the outbox, because they include a link's token. Names become one short line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined

from inbox.domain.explaining.notice_content import NoticeContent
from inbox.domain.values.text import one_line

FIELDS: Mapping[str, frozenset[str]] = {
    name: frozenset(fields.split())
    for name, fields in {
        "password_reset": "name link",
        "email_change": "name link",
        "email_change_notice": "name new_email",
        "verify_email": "name link",
        "account_exists": "name link",
        "invitation": "inviter workspace role link",
        "password_changed": "name at",
        "password_reset_unconfirmed": "name at",
        "contact_code": "name code",
        "contact_stopped": "name link",
        "factor_added": "name factor at",
        "factor_removed": "name factor at",
        "nobody_told": "name workspace source title severity link",
        "shift": "name workspace schedule starts ends further link",
        "schedule_problems": "name workspace schedule problems link",
        "daily_limit": "name workspace what whom link",
    }.items()
}
"""The names of the templates, and the values of each. The template says who gets the mail."""

LONGEST_NAME, LONGEST_SUBJECT, LONGEST_PLACE = 60, 150, 60
NOT_YOU = "If this was not you, sign in, change your password and sign out everywhere else."
FACTORS = {"totp": "An authenticator app", "passkey": "A passkey", "oidc": "An identity provider"}


class UnknownTemplate(ValueError):
    """The outbox has a template that this version does not know. The error names the template, never its values."""


@dataclass(frozen=True, slots=True)
class MailTemplate:
    """A mail: the name of its template, and its values."""

    template: str
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Content:
    """The text of a mail: a subject, and the same paragraphs as plain text and as HTML."""

    subject: str
    text: str
    html: str


def fill(template: str, /, **values: str) -> MailTemplate:
    """Return a mail with these values. Raises `UnknownTemplate` where they are not the fields of the template."""
    if FIELDS.get(template) != values.keys():
        raise UnknownTemplate(template)
    return MailTemplate(template, values)


def to_bytes(mail: MailTemplate) -> bytes:
    """Serialize the values of a mail, for sealing."""
    return json.dumps(mail.values).encode()


def from_bytes(template: str, values: bytes) -> MailTemplate:
    """Restore the mail from its values. Raises `UnknownTemplate`."""
    try:
        return fill(template, **json.loads(values))
    except (TypeError, ValueError):
        raise UnknownTemplate(template) from None


def render(mail: MailTemplate, *, instance: str, base_url: str) -> Content:
    """Build the text. `instance` is the name of this instance, and `base_url` its web address."""
    about = {"instance": instance, "base_url": base_url, "greeting": _hello(mail.values.get("name", "")), **mail.values}
    parts, escaped = (
        {**about, **vars(texts.get_template(f"{mail.template}.jinja").make_module(about))} for texts in (_PLAIN, _HTML)
    )
    text, html = _PLAIN.get_template("layout.txt").render(parts), _HTML.get_template("layout.html").render(escaped)
    return Content(str(parts["subject"]), text, html)


def render_notice(content: NoticeContent, *, instance: str, base_url: str) -> Content:
    """Build the text of a notice. The subject is its headline in one short line, with the resource."""
    about = {"content": content, "instance": instance, "base_url": base_url}
    text, html = (
        texts.get_template(f"notice.{form}").render(about) for texts, form in ((_PLAIN, "txt"), (_HTML, "html"))
    )
    return Content(_subject_of(content), text, html)


def _subject_of(content: NoticeContent) -> str:
    """Return the headline with the resource, if the title does not name it: two hosts can have the same problem."""
    resource = one_line(next((fact.value for fact in content.facts if fact.label == "Resource"), ""))
    is_named = resource.casefold() in content.title.casefold()
    place = "" if is_named else f" · {_shortened(resource, LONGEST_PLACE)}"
    return _shortened(one_line(content.headline), LONGEST_SUBJECT - len(place)) + place


def _hello(name: str) -> str:
    return f"Hello {_named(name)}," if one_line(name) else "Hello,"


def _named(name: str) -> str:
    """Shorten a name to one line, without text that a mail program turns into a link."""
    return _unlinked(_shortened(one_line(name), LONGEST_NAME)) or "someone"


def _unlinked(text: str) -> str:
    """Return one line without text that a mail program turns into a link."""
    return one_line(text).replace("://", " ").replace("www.", "www ")


def _shortened(line: str, longest: int) -> str:
    return line if len(line) <= longest else line[: longest - 1] + "…"


def _masked(address: str) -> str:
    """Mask an address as `n…@example.org`, which its owner recognizes."""
    local, _, domain = one_line(address).rpartition("@")
    return f"{local[:1]}…@{domain}"


def _with_article(role: str) -> str:
    return f"an {role}" if role[:1] in "aeiou" else f"a {role}"


def _environment(*, autoescape: bool) -> Environment:
    """Load the templates of `texts/`. Every value is escaped in HTML. A missing value is an error."""
    found = Environment(
        loader=PackageLoader("inbox.mail", "texts"),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters |= {"named": _named, "unlinked": _unlinked, "masked": _masked, "with_article": _with_article}
    found.globals |= {"not_you": NOT_YOU, "factors": FACTORS}
    return found


_PLAIN, _HTML = _environment(autoescape=False), _environment(autoescape=True)
