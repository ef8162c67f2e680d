"""The fields of one event: each is validated, redacted and truncated, with a warning for each change."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from inbox.domain.events import metadata
from inbox.domain.events.field_names import NAMES_OF_A_BODY, UNKNOWN, unknown_fields
from inbox.domain.values import severity, times
from inbox.domain.values.jsonbody import escaped
from inbox.domain.values.redaction import cut, redact
from inbox.domain.values.refusals import Fault
from inbox.domain.values.severity import Severity
from inbox.domain.values.text import is_web_link, one_line, without_nul

TITLE_LIMIT = 256
BODY_LIMIT = 16_384
EXCERPT_LENGTH = 200
"""The number of characters of a body that a row of a list has."""

TYPE_LIMIT = 128
RESOURCE_LIMIT = 128
IDENTITY_LIMIT = 255
TAGS_LIMIT = 20
TAG_LIMIT = 64
URL_LIMIT = 2_048
MAX_AGE = timedelta(days=7)
MAX_AHEAD = timedelta(minutes=5)

_TYPE = re.compile(r"[a-z0-9][a-z0-9_.-]{0,127}")
_MUST_BE_STRING = "must be a string"


class WarningCode(StrEnum):
    """A change to an event that is stored nevertheless (specification 4.3)."""

    TITLE_TRUNCATED = "title_truncated"
    BODY_TRUNCATED = "body_truncated"
    TYPE_DROPPED = "type_dropped"
    RESOURCE_TRUNCATED = "resource_truncated"
    TAGS_DROPPED = "tags_dropped"
    TAG_TRUNCATED = "tag_truncated"
    URL_DROPPED = "url_dropped"
    METADATA_TRUNCATED = "metadata_truncated"
    CLOCK_SKEW = "clock_skew"
    SEVERITY_UNKNOWN = "severity_unknown"
    FIELD_UNKNOWN = "field_unknown"
    REDACTED = "redacted"
    ATTACHMENT_DROPPED = "attachment_dropped"
    MAIL_UNREADABLE = "mail_unreadable"
    SENDER_DIFFERS = "sender_differs"
    NOT_MAPPED = "not_mapped"
    ALERTS_TRUNCATED = "alerts_truncated"
    CHARSET_GUESSED = "charset_guessed"


_DETAILS = {
    WarningCode.TITLE_TRUNCATED: f"cut to {TITLE_LIMIT} characters",
    WarningCode.BODY_TRUNCATED: f"cut to {BODY_LIMIT} characters",
    WarningCode.TYPE_DROPPED: f"not stored: at most {TYPE_LIMIT} of a-z 0-9 _ . -, beginning with a letter or digit",
    WarningCode.RESOURCE_TRUNCATED: f"cut to {RESOURCE_LIMIT} characters",
    WarningCode.TAGS_DROPPED: f"blank tags and those beyond {TAGS_LIMIT} were not stored",
    WarningCode.TAG_TRUNCATED: f"cut to {TAG_LIMIT} characters",
    WarningCode.URL_DROPPED: f"not stored: an absolute http or https link of at most {URL_LIMIT} characters is expected",
    WarningCode.METADATA_TRUNCATED: f"cut to {metadata.KEYS_LIMIT} keys and {metadata.BYTES_LIMIT} bytes",
    WarningCode.CLOCK_SKEW: "more than 7 days past or 5 minutes ahead: replaced by the time of receipt",
    WarningCode.SEVERITY_UNKNOWN: (
        f"unknown, treated as INFO; must be one of {', '.join(severity.Severity)}, or {', '.join(severity.ALIASES)}"
    ),
    WarningCode.FIELD_UNKNOWN: UNKNOWN,
    WarningCode.REDACTED: "a secret was removed",
}


class EventWarning(NamedTuple):
    """A change and its place. `pointer` is a JSON pointer into the event (`/tags/2`), not into a batch."""

    code: WarningCode
    pointer: str
    detail: str


class Action(StrEnum):
    """The requested action of an event."""

    TRIGGER = "trigger"
    RESOLVE = "resolve"


class OccurredAt(NamedTuple):
    """The time of the occurrence: the time to store, the normalized sent time, and whether skew replaced it."""

    at: datetime
    normalized: str | None
    skewed: bool


class EventFields:
    """One event after `jsonbody.check_tree`. Each method returns one field ready to be stored.

    A missing field and a null one are the same. `pointer_prefix` is the pointer of the event in the body (`/events/3`, or empty).
    `faults` is the caller's list; faults are appended to it. A method's result does not matter after a fault.
    """

    __slots__ = ("faults", "pointer_prefix", "raw", "warnings")

    def __init__(self, raw: Mapping[str, Any], at: str, faults: list[Fault]) -> None:
        self.raw = raw
        self.pointer_prefix = at
        self.faults = faults
        self.warnings: list[EventWarning] = []

    def title(self) -> str:
        """Returns the title: one line, not blank, at most 256 characters."""
        sent = self._string("title")
        if sent is None:
            if self.raw.get("title") is None:
                self._refuse("/title", "is required")
            return ""
        line = one_line(self._redacted(without_nul(sent), "/title"))
        if not line:
            self._refuse("/title", "must not be blank")
        elif len(line) > TITLE_LIMIT:
            self._warn(WarningCode.TITLE_TRUNCATED, "/title")
            line = one_line(cut(line, TITLE_LIMIT))
        return line

    def severity(self, default: Severity) -> Severity:
        """Returns the severity by name or alias; `default` when missing, INFO when unknown."""
        sent = self._string("severity")
        if sent is None:
            return default
        parsed = severity.parse(sent)
        if parsed is None:
            self._warn(WarningCode.SEVERITY_UNKNOWN, "/severity")
            return Severity.INFO
        return parsed

    def action(self) -> Action:
        """Returns the action, exactly `trigger` or `resolve`; `resolve` requires a `dedupKey`."""
        sent = self._string("action")
        if sent is None or sent == "trigger":
            return Action.TRIGGER
        if sent != "resolve":
            self._refuse("/action", "must be trigger or resolve")
        elif self.raw.get("dedupKey") in (None, ""):
            self._refuse("/dedupKey", "is required to resolve")
        return Action.RESOLVE

    def type(self) -> str | None:
        """Returns the type, in lower case if that makes it fit the pattern; otherwise it is not stored."""
        sent = self._string("type")
        if not sent:
            return None
        if _TYPE.fullmatch(sent) is None:
            sent = sent.lower()
            if _TYPE.fullmatch(sent) is None:
                self._warn(WarningCode.TYPE_DROPPED, "/type")
                return None
        return cut(self._redacted(sent, "/type"), TYPE_LIMIT)

    def resource(self) -> str | None:
        """Returns the resource as sent, `kind:name` or not, at most 128 characters."""
        return self._text("resource", RESOURCE_LIMIT, WarningCode.RESOURCE_TRUNCATED)

    def body(self) -> str | None:
        """Returns the body as sent, at most 16,384 characters."""
        return self._text("body", BODY_LIMIT, WarningCode.BODY_TRUNCATED)

    def identity(self, name: str) -> str | None:
        """Returns `dedupKey`, `externalId` or `idempotencyKey`.

        It is kept verbatim or refused, never changed. An empty value is None.
        """
        sent = self._string(name)
        if not sent:
            return None
        if len(sent) > IDENTITY_LIMIT:
            self._refuse(f"/{name}", f"must have at most {IDENTITY_LIMIT} characters")
        elif "\x00" in sent:
            self._refuse(f"/{name}", "must not contain U+0000")
        return sent

    def tags(self) -> list[str]:
        """Returns the first 20 tags that are not blank, each at most 64 characters."""
        sent = self.raw.get("tags")
        if not sent and (sent is None or type(sent) is list):
            return []
        if type(sent) is not list:
            self._refuse("/tags", "must be an array of strings")
            return []
        invalid_indexes = [index for index, tag in enumerate(sent) if type(tag) is not str]
        if invalid_indexes:
            for index in invalid_indexes[:TAGS_LIMIT]:
                self._refuse(f"/tags/{index}", _MUST_BE_STRING)
            return []
        stored_tags = [(index, tag) for index, tag in enumerate(sent) if tag and not tag.isspace()][:TAGS_LIMIT]
        if len(stored_tags) < len(sent):
            self._warn(WarningCode.TAGS_DROPPED, "/tags")
        return [
            self._truncated(tag, f"/tags/{index}", TAG_LIMIT, WarningCode.TAG_TRUNCATED) for index, tag in stored_tags
        ]

    def url(self) -> str | None:
        """Returns the URL: an absolute http or https link of at most 2,048 characters, or None."""
        sent = self._string("url")
        if not sent:
            return None
        link = sent.strip()
        if len(link) <= URL_LIMIT and is_web_link(link):
            redacted_text = redact(link)
            if len(redacted_text) <= URL_LIMIT:
                if redacted_text != link:
                    self._warn(WarningCode.REDACTED, "/url")
                return redacted_text
        self._warn(WarningCode.URL_DROPPED, "/url")
        return None

    def occurred_at(self, received_at: datetime, max_age: timedelta = MAX_AGE) -> OccurredAt:
        """Returns the time of occurrence: RFC 3339 with an offset, or refused.

        The time of receipt replaces a missing time, and one that is too far from the time of receipt.
        """
        sent = self._string("occurredAt")
        if sent is None:
            return OccurredAt(received_at, None, False)
        stamp = times.parse_sent(sent)
        if stamp is None:
            self._refuse("/occurredAt", "must be an RFC 3339 date and time with an offset")
            return OccurredAt(received_at, None, False)
        at, text = stamp
        if received_at - at > max_age or at - received_at > MAX_AHEAD:
            self._warn(WarningCode.CLOCK_SKEW, "/occurredAt")
            return OccurredAt(received_at, text, True)
        return OccurredAt(at, text, False)

    def metadata(self) -> dict[str, Any] | None:
        """Returns the metadata: at most 256 keys and 32 KB, reduced by `metadata.sanitize`."""
        sent = self.raw.get("metadata")
        if sent is None:
            return None
        if type(sent) is not dict:
            self._refuse("/metadata", "must be an object")
            return None
        sanitized = metadata.sanitize(sent)
        if sanitized.redacted:
            self._warn(WarningCode.REDACTED, "/metadata")
        if sanitized.truncated:
            self._warn(WarningCode.METADATA_TRUNCATED, "/metadata")
        return sanitized.metadata

    def check_names(self) -> None:
        """Warns about unknown fields, each with the closest field name."""
        if not NAMES_OF_A_BODY.issuperset(self.raw):
            for name, detail in unknown_fields(self.raw):
                self.warnings.append(EventWarning(WarningCode.FIELD_UNKNOWN, f"/{escaped(name)}", detail))

    def _string(self, name: str) -> str | None:
        sent = self.raw.get(name)
        if sent is None or type(sent) is str:
            return sent
        self._refuse(f"/{name}", _MUST_BE_STRING)
        return None

    def _text(self, name: str, limit: int, code: WarningCode) -> str | None:
        sent = self._string(name)
        return self._truncated(sent, f"/{name}", limit, code) if sent else None

    def _truncated(self, text: str, pointer: str, limit: int, code: WarningCode) -> str:
        redacted_text = self._redacted(without_nul(text), pointer)
        if len(redacted_text) <= limit:
            return redacted_text
        self._warn(code, pointer)
        return cut(redacted_text, limit)

    def _redacted(self, text: str, pointer: str) -> str:
        redacted_text = redact(text)
        if redacted_text is not text and redacted_text != text:
            self._warn(WarningCode.REDACTED, pointer)
        return redacted_text

    def _warn(self, code: WarningCode, pointer: str) -> None:
        self.warnings.append(EventWarning(code, pointer, _DETAILS[code]))

    def _refuse(self, pointer: str, detail: str) -> None:
        self.faults.append(Fault(self.pointer_prefix + pointer, detail))
