"""Apprise: sends to many services through the Apprise library, which runs in a separate process."""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from inbox.config import settings
from inbox.destinations.apprise.schemas import SCHEMAS
from inbox.destinations.base import Config, Message, UrlCheck
from inbox.destinations.descriptors import (
    ADDRESS_ITSELF,
    Abilities,
    FieldDescription,
    FieldType,
    Icon,
    KindDescription,
    Limits,
)
from inbox.destinations.http import Client
from inbox.destinations.layout import cut, digest_lines, fitting_links, plain_line, plain_link
from inbox.destinations.service import ServiceKind
from inbox.domain.deliveries.delivery import FailureReason, Receipt, parse_retry_after
from inbox.domain.explaining.notice_content import NoticeContent
from inbox.domain.values.addresses import AddressRefused, parse
from inbox.domain.values.severity import Severity
from inbox.runtime import child_process
from inbox.runtime.child_process import Child

PROGRAM = Path(__file__).parent / "child.py"
MOST_PROCESSES = 2
"""The maximum number of child processes per worker. Each loads an interpreter and the library into memory."""

LONGEST_LINE, MOST_LINES = 16_384, 100
"""The limits on the output of a child process. A process that exceeds them is ended."""

LONGEST_TEXT, LONGEST_LINES, LONGEST_LINKS = 2_000, 600, 500
FORBIDDEN_PARAMETERS = frozenset(
    [
        "verify",
        "redirect",
        "rto",
        "cto",
        "retry",
        "wait",
        "overflow",
        "store",
        "template",
        "attach",
        "keyfile",
        "file",
        "include",
    ]
)
"""Parameters that weaken a call, repeat it, or read a file."""

NOT_HERE = "Turned off by the operator (INBOX_ALLOW_APPRISE)."
WITH_PROXY = "It does not use the outbound proxy (INBOX_OUTBOUND_PROXY)."
_TYPES = {Severity.CRITICAL: "failure", Severity.ERROR: "failure", Severity.WARNING: "warning"}
_free = threading.BoundedSemaphore(MOST_PROCESSES)


def _schema(url: str) -> str:
    return url.partition("://")[0].lower()


def _url_fault(url: str) -> str | None:
    if "://" not in url:
        return "must be an address of Apprise, such as rocket://user:password@chat.example.org/room"
    if _schema(url) not in SCHEMAS:
        return f"has a schema that cannot be used here: {_schema(url)[:20]}"
    found = sorted(_parameters(url) & FORBIDDEN_PARAMETERS)
    return f"must not have the parameter {found[0]}" if found else None


def _parameters(url: str) -> set[str]:
    """Returns the parameter names as the library reads them: decoded, lower case, without spaces and leading signs."""
    names = (each.partition("=")[0] for each in re.split("[&;]", url.partition("?")[2]))
    return {unquote(name).replace("+", " ").strip().lstrip("-:").strip().lower() for name in names}


class Apprise(ServiceKind):
    """Settings: `{url}`. The whole URL is a secret."""

    description = KindDescription(
        kind="apprise",
        position=160,
        label="Apprise",
        summary="A message through the Apprise library, for services without a kind here.",
        target="urlHint",
        icon=Icon.CHAT,
        can=Abilities(digests=True, templates=True),
        limits=Limits(text_length=LONGEST_TEXT, pace_seconds=1.0),
        fields=(
            FieldDescription(
                name="url",
                label="Apprise address",
                type=FieldType.SECRET,
                help="In the format that Apprise documents for the service.",
                example="rocket://user:password@chat.example.org/room",
                secret=True,
                sent_to=ADDRESS_ITSELF,
                max_length=1_000,
                check=_url_fault,
            ),
        ),
    )

    def unavailable_because(self) -> str | None:
        chosen = settings.current()
        if not chosen.may_use_apprise:
            return NOT_HERE
        return WITH_PROXY if chosen.outbound_proxy is not None else None

    def validate(self, config: Mapping[str, Any], vet: UrlCheck, stored: Config | None = None) -> Config:
        """Validates like other kinds, but the hint is only the schema, because the host part may contain a token."""
        found = super().validate(config, vet, stored)
        return Config({**found.public, "urlHint": f"{_schema(found.secrets['url'])}://…"}, found.secrets)

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Sends the message in a child process that is ended at the deadline.

        Waiting for a free process counts, too.
        """
        began, url, content = time.monotonic(), config.secrets["url"], message.content
        if self.unavailable_because() is not None or _url_fault(url) is not None:
            return Receipt(failure=FailureReason.UNSENDABLE)
        order = {"url": url, "caFile": settings.current().ca_file, **layout(content)}
        client.note("APPRISE", f"{_schema(url)}://", {}, f"{order['title']}\n{order['body']}")
        seconds = float(settings.current().delivery_timeout_seconds)
        if not _free.acquire(timeout=seconds):
            return Receipt(failure=FailureReason.SERVICE_BUSY, duration_ms=_since(began))
        try:
            result = _run(order, client, began + seconds - time.monotonic())
        finally:
            _free.release()
        return _receipt(result, _since(began))


def layout(content: NoticeContent) -> dict[str, str]:
    """Returns the title, the plain-text body and the type of the message."""
    lines = digest_lines(content, LONGEST_LINES, plain_line)
    end = f"\n{content.facts_line}\n{content.url}"
    end += fitting_links(content, LONGEST_LINKS, plain_link)
    kind = "success" if content.is_resolved else _TYPES.get(content.severity, "info")
    return {
        "title": f"{content.symbol} {content.headline}",
        "body": cut(f"{content.text}{lines}", LONGEST_TEXT - len(end)) + end,
        "type": kind,
    }


def _run(order: Mapping[str, str], client: Client, seconds: float) -> Mapping[str, Any] | FailureReason:
    """Returns the result of the child process, or the reason why it has none."""
    with child_process.started([sys.executable, "-I", str(PROGRAM)], seconds) as child:
        try:
            result = _talk(child, order, client)
        except (OSError, ValueError):
            result = None
    if child.is_late:
        return FailureReason.TIMEOUT
    return FailureReason.CONNECTION_LOST if result is None else result


def _talk(child: Child, order: Mapping[str, str], client: Client) -> Mapping[str, Any] | None:
    """Sends the order, answers address checks, and returns the result, or None when the child gives none."""
    line: Any = dict(order)
    for _ in range(MOST_LINES):
        child.input.write(json.dumps(line).encode() + b"\n")
        child.input.flush()
        answered = child.output.readline(LONGEST_LINE)
        if not answered.endswith(b"\n"):
            return None
        reply = json.loads(answered)
        if "result" in reply:
            found: Mapping[str, Any] = reply["result"]
            return found
        line = _is_allowed(reply["check"], client)
    return None


def _is_allowed(question: Mapping[str, Any], client: Client) -> bool:
    """Returns whether the address policy of the instance allows these addresses."""
    host = f"[{question['host']}]" if ":" in question["host"] else question["host"]
    scheme = "http" if question["scheme"] == "http" else "https"
    try:
        client.check(parse(f"{scheme}://{host}:{int(question['port'])}/"), question["addresses"])
    except (AddressRefused, ValueError):
        return False
    return True


def _receipt(result: Mapping[str, Any] | FailureReason, took: int) -> Receipt:
    if isinstance(result, FailureReason):
        return Receipt(failure=result, duration_ms=took)
    status = result.get("status")
    if result["sent"]:
        return Receipt(status if status and 200 <= status < 300 else 200, duration_ms=took)
    if result["sent"] is None:
        return Receipt(failure=FailureReason.UNSENDABLE, duration_ms=took)
    if result["refused"]:
        return Receipt(failure=FailureReason.ADDRESS_REFUSED, duration_ms=took)
    if status is None:
        return Receipt(failure=FailureReason.CONNECT_FAILED, duration_ms=took)
    pause = parse_retry_after(result.get("retryAfter"), datetime.now(UTC))
    failure = FailureReason.MESSAGE_REFUSED if 200 <= status < 300 else None
    return Receipt(status, failure=failure, duration_ms=took, retry_after=pause)


def _since(began: float) -> int:
    return int((time.monotonic() - began) * 1000)


KIND = Apprise()
