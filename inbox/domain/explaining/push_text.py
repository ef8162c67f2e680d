"""The message of a notice to a phone by web push, and its headers (specification 9.13)."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

from inbox.domain.explaining import notice_content
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values.severity import Severity

TTL_SECONDS = 4 * 3600
"""The time for which a push service keeps a message for a phone that is off. A later message would only confuse."""

LONGEST_TITLE, LONGEST_BODY, ELLIPSIS = 500, 800, "\\u2026"
"""The limits of the texts of a notification, in bytes of JSON."""

LONGEST_EXCERPT = 400
"""The limit of the first lines of an event's body, in bytes of JSON. A phone shows some 200 characters."""

MAX_PLAIN = 2_500
"""The bytes of a message before its encryption. Some services accept no more."""

SHOWN_FACTS = frozenset({"Resource", "Source", "Workspace"})
"""The facts that a notification names. The other facts are in its title."""

CLEARING = frozenset({"resolved", "acknowledged"})
"""The reasons after which nothing is left to do. The notification is removed if the system can remove it."""


def urgency(severity: str, reason: str) -> str:
    """Returns how urgently the push service wakes the phone (RFC 8030 5.3)."""
    if reason in notice_content.QUIET:
        return "normal" if reason in CLEARING else "low"
    return "high" if Severity(severity).rank >= Severity.ERROR.rank else "normal"


def topic(subject: str) -> str:
    """Returns the topic of a message: an undelivered message of the same incident is replaced (RFC 8030 5.4)."""
    return base64.urlsafe_b64encode(hashlib.sha256(subject.encode()).digest())[:32].decode()


def message(body: bytes, *, hide_content: bool) -> bytes:
    """Returns the message in the declarative form, from the body of a notice. `tag` names its incident.

    With `hide_content` it contains only the severity and the workspace, and no text of a sender.
    """
    content = notice_content.of_body(body)
    if hide_content:
        is_shift = content.reason == notice_content.ON_CALL
        title = "On-call shift" if is_shift else f"{content.severity.capitalize()} incident"
        text = f"{content.workspace}." if is_shift else f"{content.workspace}. {content.status.capitalize()}."
    else:
        title = content.headline
        facts = " · ".join(fact.value for fact in content.facts if fact.label in SHOWN_FACTS)
        sentence = "" if content.reason == Reason.OPENED else content.sentence
        text = "\n".join(filter(None, (sentence, _cut(content.excerpt, LONGEST_EXCERPT), facts)))
    notification: dict[str, Any] = {
        "title": _cut(title, LONGEST_TITLE),
        "body": _cut(text, LONGEST_BODY),
        "navigate": content.url,
        "tag": content.incident_id or "test",
        "lang": "en",
        "dir": "auto",
        "silent": content.is_quiet,
        "data": {"incidentId": content.incident_id, "reason": content.reason, "state": content.state},
    }
    return json.dumps({"web_push": 8030, "mutable": True, "notification": notification}, separators=(",", ":")).encode()


def _cut(text: str, longest: int) -> str:
    """Returns the beginning of the text, with at most this number of bytes as JSON."""
    if len(json.dumps(text)) <= longest:
        return text
    count = len(text)
    while count and len(json.dumps(text[:count])) > longest - len(ELLIPSIS):
        count = count * 9 // 10
    return text[:count] + "…"
