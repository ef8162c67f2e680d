"""The content of a notice, decided once for all destination kinds, which only lay it out (specification 9.14)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from inbox.domain.explaining import notice_text
from inbox.domain.explaining.recipient_text import TextContext
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values import redaction, wallclock
from inbox.domain.values.number_text import rough_duration_text
from inbox.domain.values.severity import Severity

TEST, DIGEST, ON_CALL, CODE = "test", "digest", "on_call", "code"
"""The reasons of messages that are not about one incident."""

TEST_SENTENCE = "This is a test. Notices of incidents will look like it."
FALLBACK_SENTENCE = "No other destination could be notified."
UTC = ZoneInfo("UTC")

LONGEST_TITLE, LONGEST_SENTENCE, LONGEST_VALUE, LONGEST_LINE_TITLE = 256, 1_000, 160, 100
"""The maximum number of characters. With all facts, a notice then fits into services that accept 4,000 characters."""

LONGEST_EXCERPT, MOST_LINES, LONGEST_BEGINNING = 500, 12, 4_000
"""The limits of the first lines of a body: their characters, their number, and the part of the body that is read."""

QUIET = frozenset({Reason.RESOLVED, Reason.ACKNOWLEDGED, Reason.SNOOZED, Reason.UPDATED})
"""The reasons of quiet notices: they require no action, make no sound, and change an earlier message if possible."""

_STATUS: Mapping[str, str] = {
    Reason.RESOLVED: "RESOLVED",
    Reason.ACKNOWLEDGED: "ACKNOWLEDGED",
    Reason.SNOOZED: "SNOOZED",
    TEST: "TEST",
    DIGEST: "DIGEST",
    ON_CALL: "ON CALL",
    CODE: "CODE",
}
"""The first word of a notice, if it is not the severity."""

_SYMBOLS: Mapping[str, str] = {
    Severity.CRITICAL: "\N{LARGE RED CIRCLE}",
    Severity.ERROR: "\N{LARGE ORANGE CIRCLE}",
    Severity.WARNING: "\N{LARGE YELLOW CIRCLE}",
    Severity.INFO: "\N{LARGE BLUE CIRCLE}",
    Severity.SUCCESS: "\N{LARGE GREEN CIRCLE}",
    Severity.DEBUG: "\N{MEDIUM WHITE CIRCLE}",
}

_COLOURS: Mapping[str, str] = {
    Severity.CRITICAL: "#c92a2a",
    Severity.ERROR: "#e8590c",
    Severity.WARNING: "#f08c00",
    Severity.INFO: "#1971c2",
    Severity.SUCCESS: "#2f9e44",
    Severity.DEBUG: "#868e96",
}

_RESOLVED_SYMBOL, _RESOLVED_COLOUR = "\N{WHITE HEAVY CHECK MARK}", "#2f9e44"
_DIGEST_SYMBOL = "\N{CLIPBOARD}"


class ActionLink(NamedTuple):
    """A link in a message that acts on the incident: its label `Acknowledge`, and its address."""

    label: str
    url: str


class Fact(NamedTuple):
    """A label and its value: `Source`, `Backups`."""

    label: str
    value: str


class Link(NamedTuple):
    """A link of the sender or to a runbook: its label `Runbook`, and its address."""

    label: str
    url: str


class DigestLine(NamedTuple):
    """An incident of a digest: symbol, status, title, a note in brackets, and link.

    The newest notice gives symbol and status.
    """

    symbol: str
    status: str
    title: str
    note: str
    url: str


@dataclass(frozen=True, slots=True)
class NoticeContent:
    """The parts of a message.

    `status` is one word in capitals: the severity, or the incident's outcome. `sentence` describes the change and its
    cause. `symbol` and `colour` (`#rrggbb`) repeat the status for the eye. `incident_id` is empty for a test and for an
    event without an incident. Texts are as senders and people wrote them: a kind escapes them. `action_links` are for
    kinds that can show them. `lines` are a digest's incidents; `more` further ones have no line. `excerpt` has the first
    lines of the newest event's body, and `links` lead to the runbook and to the sender. `data` is that of the webhook.
    """

    reason: str
    severity: Severity
    state: str
    status: str
    title: str
    sentence: str
    facts: tuple[Fact, ...]
    workspace: str
    url: str
    incident_id: str
    at: datetime
    symbol: str
    colour: str
    action_links: tuple[ActionLink, ...] = ()
    lines: tuple[DigestLine, ...] = ()
    more: int = 0
    excerpt: str = ""
    links: tuple[Link, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def headline(self) -> str:
        """The notice in one line: `CRITICAL · Disk full`."""
        return f"{self.status} · {self.title}"

    @property
    def is_quiet(self) -> bool:
        """Returns whether the notice requires no action."""
        return self.reason in QUIET

    @property
    def is_resolved(self) -> bool:
        """Returns whether the incident has ended."""
        return self.reason == Reason.RESOLVED

    @property
    def is_test(self) -> bool:
        """Returns whether a person sent the notice to test the destination."""
        return self.reason == TEST

    @property
    def facts_line(self) -> str:
        """The facts in one line: `Source: Backups · State: open`."""
        return " · ".join(f"{fact.label}: {fact.value}" for fact in self.facts)

    @property
    def text(self) -> str:
        """The sentence, and below it the first lines of the body."""
        return f"{self.sentence}\n{self.excerpt}" if self.excerpt else self.sentence

    @property
    def links_text(self) -> str:
        """The links in lines of plain text."""
        return "\n".join(f"{link.label}: {link.url}" for link in self.links)

    @property
    def plain_text(self) -> str:
        """The notice in lines of plain text, the link to it last."""
        return "\n".join(filter(None, (self.headline, self.text, self.facts_line, self.url)))


def of_body(body: bytes) -> NoticeContent:
    """Returns the content of a notice from the body of its webhook (specification 10.2)."""
    notice = json.loads(body)
    data, at = notice["data"], datetime.fromisoformat(notice["timestamp"])
    reason, severity = data["reason"], Severity(data["severity"])
    is_resolved = reason == Reason.RESOLVED
    return NoticeContent(
        reason=reason,
        severity=severity,
        state=data["state"],
        status=status_of(reason, severity),
        title=_cut(data["title"], LONGEST_TITLE),
        sentence=_cut(_sentence(reason, data, at), LONGEST_SENTENCE),
        facts=_facts(data, at),
        workspace=data["workspaceName"],
        url=data["url"],
        incident_id=data.get("incidentId", ""),
        at=at,
        symbol=_DIGEST_SYMBOL if reason == DIGEST else _symbol(reason, severity),
        colour=_RESOLVED_COLOUR if is_resolved else _COLOURS[severity],
        lines=_lines(data, at) if reason == DIGEST else (),
        more=data["more"] if reason == DIGEST else 0,
        excerpt=_excerpt(data.get("body", "")),
        links=_links(data),
        data=data,
    )


def status_of(reason: str, severity: Severity) -> str:
    """Returns the first word of a notice."""
    return _STATUS.get(reason, str(severity))


def _symbol(reason: str, severity: Severity) -> str:
    return _RESOLVED_SYMBOL if reason == Reason.RESOLVED else _SYMBOLS[severity]


def _lines(data: Mapping[str, Any], at: datetime) -> tuple[DigestLine, ...]:
    zone = wallclock.zone_of(data["timezone"])
    return tuple(
        DigestLine(
            _symbol(item["reason"], Severity(item["severity"])),
            item["status"],
            _cut(item["title"], LONGEST_LINE_TITLE),
            _note(datetime.fromisoformat(item["at"]).astimezone(zone), at.astimezone(zone), item["notices"]),
            item["url"],
        )
        for item in data["items"]
    )


def _note(noticed: datetime, at: datetime, notices: int) -> str:
    """Returns the note of a digest line: the time of the notice and the number of notices.

    It includes the day if it differs from the day of the digest.
    """
    clock = noticed.strftime("%H:%M" if noticed.date() == at.date() else "%a %H:%M")
    return clock if notices == 1 else f"{clock}, {notices} notices"


def _sentence(reason: str, data: Mapping[str, Any], at: datetime) -> str:
    if reason == TEST:
        return TEST_SENTENCE
    if reason in (DIGEST, ON_CALL, CODE):
        return str(data["text"])
    if reason == Reason.FALLBACK:
        return FALLBACK_SENTENCE
    return notice_text.of_reason(Reason(reason), data, TextContext(at, data["severity"], UTC))


def _facts(data: Mapping[str, Any], at: datetime) -> tuple[Fact, ...]:
    """Returns resource, source, state, beginning, alerts, severity, tags and workspace, without missing values."""
    found = (
        Fact("Resource", data["resource"]),
        Fact("Source", data["sourceName"]),
        Fact("State", data["state"]),
        Fact("Began", _beginning(data, at)),
        Fact("Alerts", _alerts(data.get("alerts"))),
        Fact("Severity", data["severity"]),
        Fact("Tags", ", ".join(data.get("tags", ()))),
        Fact("Workspace", data["workspaceName"]),
    )
    return tuple(Fact(fact.label, _cut(fact.value, LONGEST_VALUE)) for fact in found if fact.value)


def _beginning(data: Mapping[str, Any], at: datetime) -> str:
    """Returns how long before the notice an old problem began that still exists: `9 days ago`."""
    if "beganAt" not in data or data["reason"] == Reason.RESOLVED:
        return ""
    return f"{rough_duration_text(at - datetime.fromisoformat(data['beganAt']))} ago"


def _alerts(counts: Mapping[str, int] | None) -> str:
    """Returns how many alerts of an incident with several are firing: `2 of 3 firing`."""
    return f"{counts['firing']:,} of {counts['total']:,} firing" if counts is not None and counts["total"] > 1 else ""


def _excerpt(body: str) -> str:
    """Returns the first lines of a body without empty ones, at most `LONGEST_EXCERPT` characters."""
    lines = [line.rstrip() for line in body[:LONGEST_BEGINNING].splitlines() if line.strip()]
    text = "\n".join(lines[:MOST_LINES])
    if len(text) > LONGEST_EXCERPT:
        return redaction.cut(text, LONGEST_EXCERPT - 1).rstrip() + "…"
    return f"{text}…" if len(lines) > MOST_LINES else text


def _links(data: Mapping[str, Any]) -> tuple[Link, ...]:
    """Returns the runbook and the page of the sender. An address that is both is a runbook."""
    runbook, source = data.get("runbookUrl", ""), data.get("sourceUrl", "")
    found = (Link("Runbook", runbook), Link("Open in sender", "" if source == runbook else source))
    return tuple(each for each in found if each.url)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
