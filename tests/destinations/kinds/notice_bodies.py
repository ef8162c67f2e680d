"""Bodies of notices: for each reason, with a usual text, a long one, and texts of a hostile sender."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from inbox.domain.explaining.notice_content import ActionLink
from inbox.domain.incidents.state_machine import Reason

AT = datetime(2026, 11, 22, 10, 0, tzinfo=UTC)
INCIDENT = "inc_01h455vb4pex5vsknk084sn02q"
URL = f"https://inbox.example.org/w/shop/incidents/{INCIDENT}?from=notice&x=1"
LINKS = (
    ActionLink("Acknowledge", "https://inbox.example.org/act/eyJ2Ijp7fQ.sig_na-ture1"),
    ActionLink("Resolve", "https://inbox.example.org/act/eyJ2Ijp7fQ.sig_na-ture2"),
)
LARGEST, LONGEST_WORKSPACE = 16 * 1024, 100

MARKUP = (
    "@everyone @here @channel @all @room @mia <!channel> <!here> <@U012ABCDE> <#C012ABCDE> <users/all> <@&123> "
    "*bold* _italic_ ~gone~ `code` **strong** __under__ ||spoiler|| [click](https://evil.example/a_b) "
    "<https://evil.example|click> <b>bold</b> <a href='https://evil.example'>x</a> <script>alert(1)</script> "
    '![](https://evil.example/i.png) # head\n> quote\n- item\n```\nblock\n``` \\*kept\\* &lt;b&gt; "quoted" '
    "\u202eright to left\u202c \u0645\u0631\u062d\u0628\u0627 "
)
TEXTS = {
    "usual": "Backups of the shop failed twice.",
    "long": ("The disk of the database is nearly full. " * 500)[:LARGEST],
    "hostile": MARKUP + "\N{PILE OF POO}" * ((LARGEST - len(MARKUP.encode())) // 4),
    "signs": ('&<*_"`@[]()#' * 2_000)[:LARGEST],
}
DETAILS = {
    "body": "/var on db-1 has 3 % left.\n\nLargest: /var/lib/postgresql",
    "tags": ["data", "env:production"],
    "type": "disk.full",
    "dedupKey": "disk:db-1",
    "sourceUrl": "https://prometheus.example.org/graph?g0.expr=disk_free&g0.tab=1",
    "runbookUrl": "https://wiki.example.org/runbooks/disk-full",
    "alerts": {"total": 3, "firing": 2},
    "metadata": {
        "labels": {"instance": "db-1:9100", "app.kubernetes.io/name": "postgres", "port": 9100},
        "annotations": {"description": "Nearly full", "values": [97.4, None, True]},
    },
}
"""What the newest event says."""

WITHOUT_DETAILS = dict.fromkeys(DETAILS)
"""Leaves the details out of a body."""

HOSTILE_LINKS = {
    "sourceUrl": "https://evil.example/a)[x](https://evil.example)|y<b>'\"`\\&@everyone",
    "runbookUrl": "https://evil.example/" + "&<r)" * 500,
}
SENDER_LINKS = [
    spelled
    for links in (DETAILS, HOSTILE_LINKS)
    for url in (links["sourceUrl"], links["runbookUrl"])
    for spelled in (url, quote(str(url), safe="%/:?=&;+'@#$!*,~"))
]
"""The links of senders, as they are and as Markdown has them."""

MEMBER = {"type": "user", "id": "usr_1", "name": "Mia"}
OF_REASON: dict[str, dict[str, Any]] = {
    "escalated": {"escalation": {"kind": "severity", "from": "WARNING", "to": "CRITICAL"}},
    "resolved": {"resolvedBy": MEMBER, "state": "resolved"},
    "acknowledged": {"actor": MEMBER, "state": "acknowledged"},
    "snoozed": {"actor": MEMBER, "state": "snoozed", "snoozedUntil": "2026-11-22T12:00:00Z"},
    "updated": {"actor": MEMBER, "text": "Mia changed the title."},
    "informational": {"incidentId": "", "state": "", "eventId": "evt_1"},
    "test": {"incidentId": "", "title": "Test notification", "severity": "INFO"},
}
REASONS = (*(str(reason) for reason in Reason), "test")
LOUD, QUIET = "escalated", "acknowledged"


def body(reason: str = "opened", text: str = "usual", **data: Any) -> bytes:
    """The body of the notice. A text other than `usual` is in each field that people or senders write."""
    written: dict[str, Any] = {
        "title": "Disk full",
        "resource": "db-1",
        "sourceName": "Backups",
        "workspaceName": "Shop",
    }
    if text != "usual":
        written = {**dict.fromkeys(written, TEXTS[text]), "workspaceName": TEXTS[text][:LONGEST_WORKSPACE]}
    fields = {
        "v": 1,
        "severity": "CRITICAL",
        "state": "open",
        "incidentId": INCIDENT,
        "firstSeenAt": "2026-11-22T09:59:00Z",
        **OF_REASON.get(reason, {}),
        **(
            written
            if reason != "test" or text != "usual"
            else {"resource": "", "sourceName": "Test", "workspaceName": "Shop"}
        ),
        "url": URL,
        "reason": reason,
        **({"text": TEXTS[text]} if text != "usual" else {}),
        **(_details(text) if reason != "test" else {}),
        **data,
    }
    fields = {name: value for name, value in fields.items() if value is not None}
    kind = reason if reason == "test" else f"incident.{reason}"
    return json.dumps({"type": kind, "timestamp": "2026-11-22T10:00:00Z", "data": fields}).encode()


def _details(text: str) -> dict[str, Any]:
    """The details with this text wherever a sender writes."""
    if text == "usual":
        return DETAILS
    written = TEXTS[text]
    return {**DETAILS, **HOSTILE_LINKS, "body": written, "tags": [written[:64]] * 20, "dedupKey": written[:255]}
