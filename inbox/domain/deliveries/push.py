"""Web push: the allowed push services, and the content of a notification (specification 9.13)."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from inbox.domain.explaining import notice_content
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values.severity import Severity

TTL_SECONDS = 4 * 3600
"""The time for which a push service keeps a message for a phone that is off. A later message would only confuse."""

SERVICES = (
    "fcm.googleapis.com",
    "jmt17.google.com",
    "*.push.services.mozilla.com",
    "*.push.apple.com",
    "*.notify.windows.com",
)
"""The push services of browsers. The endpoint of a subscription comes from a client, so others are refused."""

LONGEST_ENDPOINT = 2_048
LONGEST_TITLE, LONGEST_BODY, ELLIPSIS = 500, 800, "\\u2026"
"""The limits of the texts of a notification, in bytes of JSON."""

MAX_PLAIN = 2_500
"""The bytes of a message before its encryption. Some services accept no more."""

LOST = frozenset({"http_404", "http_410"})
"""The statuses by which a push service reports that a subscription has ended."""

SHOWN_FACTS = frozenset({"Resource", "Source", "Workspace"})
"""The facts that a notification names. The other facts are in its title."""

CLEARING = frozenset({"resolved", "acknowledged"})
"""The reasons after which nothing is left to do. The notification is removed if the system can remove it."""

_HOST = re.compile(r"(\*\.)?[a-z0-9.-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class PushHosts:
    """Hosts of additional push services, from the operator."""

    names: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> PushHosts:
        """Parses host names separated by commas. Raises `ValueError`."""
        names = tuple(name.strip().lower() for name in text.split(",") if name.strip())
        if not all(_HOST.fullmatch(name) for name in names):
            raise ValueError("must be host names separated by commas, such as push.example.org, *.example.net")
        return cls(names)


class EndpointRefused(ValueError):
    """The endpoint belongs to no known push service. The text gives the reason and never contains the endpoint."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An accepted endpoint. `is_added`: the operator added its host, so the general policy of addresses applies."""

    url: str
    origin: str
    is_added: bool


def endpoint(url: str, added: PushHosts) -> Endpoint:
    """Checks the endpoint of a subscription; `added` are hosts of the operator. Raises `EndpointRefused`.

    A known push service is called by https at port 443. An added host may have a port, and may use http if the policy
    of addresses allows it.
    """
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise EndpointRefused("must be a URL") from None
    if len(url) > LONGEST_ENDPOINT or not url.isascii() or not url.isprintable() or parts.username is not None:
        raise EndpointRefused("must be a URL of at most 2,048 ASCII characters without a user name")
    if parts.scheme not in ("https", "http") or not host:
        raise EndpointRefused("must be an https URL")
    origin = f"{parts.scheme}://{parts.netloc.lower()}"
    if any(_matches(host, name) for name in added.names):
        return Endpoint(url, origin, is_added=True)
    if parts.scheme != "https" or port not in (None, 443):
        raise EndpointRefused("must be an https URL without a port")
    if not any(_matches(host, name) for name in SERVICES):
        raise EndpointRefused("is not at a known push service; the operator can add its host to INBOX_PUSH_HOSTS")
    return Endpoint(url, origin, is_added=False)


def _matches(host: str, name: str) -> bool:
    return host.endswith(name[1:]) if name.startswith("*.") else host == name


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
        title = f"{content.severity.capitalize()} incident"
        text = f"{content.workspace}. {content.status.capitalize()}."
    else:
        title = content.headline
        facts = " · ".join(fact.value for fact in content.facts if fact.label in SHOWN_FACTS)
        text = facts if content.reason == Reason.OPENED else f"{content.sentence} {facts}"
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
