"""Serves `POST /v1/events` without Flask, and is the base of all fronts before Flask.

Flask would be most of the work at this rate. Specification 4.7.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from itertools import zip_longest
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import orjson
import structlog

from inbox.api.http.bodies import Body, ByteBudget, refuse_compressed
from inbox.api.http.errors import ENDED, INVALID_VALUE, of_other_tables
from inbox.api.http.problems import problem_bytes
from inbox.api.http.requests import answer_headers, count, request_id, safety_headers
from inbox.api.senders import shown_refusals
from inbox.config import settings
from inbox.domain.events.fields import EventWarning, WarningCode
from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.events.validation import BATCH_LIMIT
from inbox.domain.senders import keys
from inbox.domain.values import body_text
from inbox.domain.values.refusals import Refusal, Unauthenticated
from inbox.flow.ingest.group_commit import count_events, groups
from inbox.flow.ingest.key_lookups import key_lookups
from inbox.flow.ingest.request import Accepted, IngestRequest
from inbox.flow.unit_of_work import sqlstate
from inbox.runtime import metrics, work_budget

log = structlog.get_logger("inbox.ingest")

Matched = TypeVar("Matched")
Warnings = Sequence[Sequence[EventWarning]]
"""The warnings of each event. An empty sequence means none at all."""

PATH = "/v1/events"
PATHS = (PATH, f"{PATH}/")
CAP = 2 * 1024 * 1024
BODY_SECONDS = 10.0
SENT = "inbox.sent_body"
"""The name in the environment of a request of its body, for the sample of a refusal."""

GUESSED = "inbox.charset_guessed"
"""The name in the environment of a request whose character set is a guess."""

GUESS = EventWarning(WarningCode.CHARSET_GUESSED, "", "no UTF-8 and no charset declared: read as Windows-1252")
SMALLER_BODY = "Send a smaller body, or send it in UTF-8."
SLOW_SECONDS = 1.0
"""A request that took longer is logged even when it succeeded."""

LINES = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}

room = ByteBudget()


class Translation(NamedTuple):
    """What an intake of another format knows of events beside their fields."""

    warnings: Warnings = ()
    time: TimeMeaning | None = None
    """The meaning of their `occurredAt`; None stands for `POST /v1/events`."""
    group: str = ""
    """The group of the tool to which they belong; empty without one."""


UNTRANSLATED = Translation()


@dataclass(frozen=True, slots=True)
class Reply:
    """A finished answer."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Front(Generic[Matched]):
    """Answers some requests before Flask, and passes all others to the app behind it."""

    log: ClassVar[Any]

    def __init__(self, app: Callable[..., Iterable[bytes]]) -> None:
        self.app = app

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        found = self.find(environ)
        if found is None:
            return self.app(environ, start_response)
        started, method, (route, matched) = time.monotonic(), environ["REQUEST_METHOD"], found
        reply = self.respond(environ, matched)
        seconds = time.monotonic() - started
        count(method, route, reply.status, seconds)
        if reply.status >= 400 or seconds > SLOW_SECONDS:
            log_request(self.log, environ, route, reply, seconds)
        start_response(LINES[reply.status], reply.headers)
        return [] if method == "HEAD" else [reply.body]

    def find(self, environ: dict[str, Any]) -> tuple[str, Matched] | None:
        """Returns the pattern of the view and the values in the path, if the request is answered here."""
        raise NotImplementedError

    def respond(self, environ: dict[str, Any], matched: Matched) -> Reply:
        """Returns the answer. Raises nothing."""
        raise NotImplementedError


def log_request(logger: Any, environ: dict[str, Any], route: str, reply: Reply, seconds: float) -> None:
    """Logs a request that failed or was slow."""
    method, ms, rid = environ["REQUEST_METHOD"], round(seconds * 1000, 1), request_id(environ)
    logger.info("request", method=method, route=route, status=reply.status, ms=ms, request_id=rid)


class Ingest(Front[None]):
    """Answers `POST /v1/events`."""

    log = log

    def find(self, environ: dict[str, Any]) -> tuple[str, None] | None:
        return (PATH, None) if environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"] in PATHS else None

    def respond(self, environ: dict[str, Any], matched: None) -> Reply:
        return _answered(environ)


def respond(environ: dict[str, Any]) -> Reply:
    """Returns the answer to a request to store events that came through Flask. Raises nothing."""
    started = time.monotonic()
    reply = _answered(environ)
    seconds = time.monotonic() - started
    if reply.status >= 400 or seconds > SLOW_SECONDS:
        log_request(log, environ, PATH, reply, seconds)
    return reply


def _answered(environ: dict[str, Any]) -> Reply:
    rid = request_id(environ)
    try:
        answer = _received(environ)
    except Exception as fault:  # noqa: BLE001 - the outermost frame: every failure is an answer, none is an HTML page
        if isinstance(fault, shown_refusals.SHOWN):
            shown_refusals.show_of_bearer(environ, environ.get(SENT, b""), fault)
        return problem_reply(fault, rid)
    count_events(answer)
    return Reply(202, _headers(answer, rid), answer.body)


def _received(environ: dict[str, Any]) -> Accepted:
    key_digest = keys.bearer_digest(environ.get("HTTP_AUTHORIZATION", "")).hex()
    refuse_compressed(environ)
    with Body(environ, cap=CAP, seconds=BODY_SECONDS) as body:
        _begin(body, key_digest)
        offer = IngestRequest(
            key_digest=key_digest,
            body=_text(environ, body.finish(room, settings.current().ingest_bytes_in_flight)),
            idempotency_key=environ.get("HTTP_IDEMPOTENCY_KEY"),
            received_at=datetime.now(UTC),
            client=(environ.get("REMOTE_ADDR", ""), environ.get("HTTP_USER_AGENT", "")),
        )
        offer.warnings = [[GUESS]] * BATCH_LIMIT if environ.get(GUESSED) else ()
        return groups().submit(offer)


def _text(environ: dict[str, Any], body: bytes) -> bytes:
    environ[SENT] = text = in_utf8(environ, body)
    return text


def in_utf8(environ: dict[str, Any], body: bytes) -> bytes:
    """Returns the body in UTF-8. Notes in the environment where its character set is a guess."""
    declared = environ.get("CONTENT_TYPE", "")
    if body.isascii() and "charset" not in declared.lower() and b"\0" not in body[:2]:
        return body
    read = body_text.in_utf8(body, body_text.charset(declared), partial(work_budget.spend, SMALLER_BODY))
    if read.is_guessed:
        environ[GUESSED] = True
    return read.body


def _begin(body: Body, key_digest: str) -> None:
    """Reads a small body, and a large one only with a live key. Events are stored only with a live key."""
    if not body.begin() and not key_lookups().is_live(key_digest):
        raise Unauthenticated()


def read_body(environ: dict[str, Any], key_digest: str | None = None, *, cap: int = CAP) -> bytes:
    """Returns the body of a request in another format. The digest is None for a key that is not known to be live."""
    refuse_compressed(environ)
    with Body(environ, cap=cap, seconds=BODY_SECONDS) as body:
        if key_digest is not None:
            _begin(body, key_digest)
        return body.finish(room, settings.current().ingest_bytes_in_flight)


def submit(
    environ: dict[str, Any],
    key_digest: str,
    document: dict[str, Any],
    idempotency_key: str | None,
    translation: Translation = UNTRANSLATED,
) -> Accepted:
    """Stores a document of events that was made from the request of another format."""
    warnings = translation.warnings
    offer = IngestRequest(
        key_digest=key_digest,
        body=orjson.dumps(document),
        document=document,
        idempotency_key=idempotency_key,
        received_at=datetime.now(UTC),
        client=(environ.get("REMOTE_ADDR", ""), environ.get("HTTP_USER_AGENT", "")),
        warnings=_with_guess(warnings, document) if environ.get(GUESSED) else warnings,
        time=translation.time,
        group=translation.group,
    )
    answer = groups().submit(offer)
    count_events(answer)
    return answer


def _with_guess(warnings: Warnings, document: dict[str, Any]) -> Warnings:
    events = len(document.get("events") or (document,))
    return [[*each, GUESS] for each, _ in zip_longest(warnings, range(events), fillvalue=())]


def _headers(answer: Accepted, rid: str) -> list[tuple[str, str]]:
    headers = answer_headers("application/json", answer.body, rid)
    if answer.replayed:
        headers.append(("Idempotent-Replayed", "true"))
    return headers


def problem_reply(fault: Exception, rid: str) -> Reply:
    """Returns the problem of a request to store events, and counts it."""
    problem, reply = problem_and_reply(fault, rid)
    metrics.INGEST_REFUSED.labels(problem.code if isinstance(problem, Refusal) else problem).inc()
    return reply


def problem_and_reply(fault: Exception, rid: str) -> tuple[Refusal | str, Reply]:
    """Returns the problem as `inbox.api.http.errors` answers it elsewhere."""
    problem: Refusal | str
    if isinstance(fault, Refusal):
        problem, detail = fault, ""
    elif isinstance(fault, INVALID_VALUE):
        metrics.DATA_ERRORS.inc()
        log.error("invalid value rejected by the database", request_id=rid, exc_info=fault)
        problem, detail = "bad_request", "A value is outside the range that can be stored."
    elif isinstance(fault, ENDED):
        log.warning("database unavailable", request_id=rid, fault=type(fault).__name__, sqlstate=sqlstate(fault))
        problem, detail = "unavailable", ""
    elif text := of_other_tables(fault):
        problem, detail = "unavailable", text
    else:
        log.error("request failed", request_id=rid, exc_info=fault)
        problem, detail = "internal_error", ""
    status, headers, body = problem_bytes(problem, rid, settings.current().problems_url, detail=detail)
    present = {name for name, _ in headers}
    safety = [(name, value) for name, value in safety_headers() if name not in present]
    return problem, Reply(status, [*headers, ("X-Request-Id", rid), *safety], body)
