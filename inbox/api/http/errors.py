"""Answers every error of the web app as problem details (specification 15.1)."""

from __future__ import annotations

from contextlib import suppress

import peewee
import psycopg2
import structlog
from flask import Flask, Response, current_app, request
from playhouse.pool import MaxConnectionsExceeded
from werkzeug.exceptions import HTTPException

from inbox.api.http.base_path import below
from inbox.api.http.connections import borrowed
from inbox.api.http.pages import for_a_browser, problem_page
from inbox.api.http.problems import problem_bytes
from inbox.api.http.requests import request_id
from inbox.api.http.wrong_addresses import nearest
from inbox.config import settings
from inbox.database.base import db
from inbox.database.migrate import difference
from inbox.domain.values.refusals import Refusal
from inbox.flow.unit_of_work import OTHER_TABLES, is_outage, sqlstate
from inbox.runtime import metrics

log = structlog.get_logger("inbox.errors")

CODES = {
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    408: "request_timeout",
    409: "conflict",
    413: "payload_too_large",
    415: "unsupported_media_type",
    429: "rate_limited",
    503: "unavailable",
}
"""The codes of the framework's own errors. Any other 4xx is a bad request, any other 5xx an internal error."""

# Peewee wraps the driver's errors, except those that the driver raises while a connection is opened or awaited.
INVALID_VALUE: tuple[type[Exception], ...] = (peewee.DataError, psycopg2.DataError)
ENDED: tuple[type[Exception], ...] = (
    peewee.OperationalError,
    peewee.InterfaceError,
    psycopg2.OperationalError,
    psycopg2.InterfaceError,
    MaxConnectionsExceeded,
)


def install(app: Flask) -> None:
    """Answers refusals, the framework's errors, the database's errors and crashes as problem details."""
    app.log_exception = _log_unanswered  # type: ignore[method-assign]
    app.register_error_handler(Refusal, _refused)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _crashed)
    for unfit in INVALID_VALUE:
        app.register_error_handler(unfit, _invalid_value)
    for gone in ENDED:
        app.register_error_handler(gone, _ended)


def problem(refusal: Refusal | str, *, detail: str = "") -> Response:
    """Returns the answer to a refusal, or to a bare code, within a request."""
    rid = request_id(request.environ)
    status, headers, body = problem_bytes(refusal, rid, settings.current().problems_url, detail=detail)
    if for_a_browser():
        return problem_page(status, headers, body)
    return current_app.response_class(body, status=status, headers=headers)


def _refused(refusal: Refusal) -> Response:
    return problem(refusal)


def _http(fault: HTTPException) -> Response:
    status = fault.code or 500
    code = CODES.get(status, "bad_request" if status < 500 else "internal_error")
    if status == 405:
        methods = ", ".join(sorted(getattr(fault, "valid_methods", None) or ()))
        answer = problem(code, detail=f"This address accepts {methods}.")
        answer.headers["Allow"] = methods
        return answer
    return problem(code, detail=_suggestion() if status == 404 else "")


def _suggestion() -> str:
    """Returns the address that was probably meant by one that does not exist; empty when none is similar."""
    suggestion = nearest(current_app, request.path)
    return (
        ""
        if suggestion is None or suggestion == request.path
        else f"There is nothing here. Did you mean `{below(suggestion)}`?"
    )


def _ended(fault: Exception) -> Response:
    log.warning("database unavailable", fault=type(fault).__name__, sqlstate=sqlstate(fault))
    return problem("unavailable")


def _invalid_value(fault: Exception) -> Response:
    metrics.DATA_ERRORS.inc()
    log.error("invalid value rejected by the database", exc_info=fault)
    return problem("bad_request", detail="A value is outside the range that can be stored.")


def _log_unanswered(exc_info: object) -> None:
    """Logs a crash outside of all views, such as in `after_request`. The framework would log a path with secrets."""
    log.error("request failed after its view", exc_info=exc_info)


def _crashed(fault: Exception) -> Response:
    if is_outage(fault):
        return _ended(fault)
    if text := of_other_tables(fault):
        return problem("unavailable", detail=text)
    log.error("request failed", exc_info=fault)
    return problem("internal_error")


def of_other_tables(fault: Exception) -> str:
    """Returns why the tables do not fit this version, if that caused the fault; else an empty text."""
    if sqlstate(fault) not in OTHER_TABLES:
        return ""
    with suppress(*ENDED), borrowed():
        if text := str(difference(db)):
            log.error("the tables are those of another version", detail=text, sqlstate=sqlstate(fault))
            return text
    return ""
