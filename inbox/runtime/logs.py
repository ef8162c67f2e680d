"""Structured logs: one JSON line for each record, with the request id, without secrets or paths that contain one."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import MutableMapping
from contextlib import suppress
from types import TracebackType
from typing import Any, TextIO, cast

import structlog

SECRETS = re.compile(
    r"svc_[a-z]+_[A-Za-z0-9_-]+|whsec_[A-Za-z0-9+/=_-]+|(?<=://)[^\s/?#@:]{0,256}:[^\s/?#@]{1,256}(?=@)"
    r"|(?<=token=)[^\s&]+|(?<=/heartbeats/)[^\s/?<]+"
)
ROWS = re.compile(r"(COPY \S+, line \d+(?:, column \S+)?): .*")
"""PostgreSQL quotes the row at which a `COPY` failed."""

MAX_TEXT_LENGTH = 1_000


def start(level: str, *, application: str) -> None:
    """Send all records of this process, including records of libraries, to standard error as JSON lines."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _add_application(application),
            without_secrets,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level)),
        logger_factory=structlog.WriteLoggerFactory(file=cast(TextIO, _UnfailingStream(sys.stderr))),
        cache_logger_on_first_use=False,
    )
    sys.excepthook = _uncaught
    root = logging.getLogger()
    root.handlers = [_Bridge()]
    root.setLevel(level)
    for noisy in ("rq", "urllib3", "rq_scheduler", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    # urllib3 warns, with the receiver's address, about each connection that it closes.
    logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)


class _UnfailingStream:
    """A stream that drops text that cannot be written, so that events are accepted even on a full disk."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()


def without_secrets(_: object, __: str, record: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Remove secrets from a record; the last processor before rendering.

    Credentials become `[REDACTED]`, quoted rows are removed, texts are cut at 1,000 characters.
    """
    for name, value in record.items():
        if isinstance(value, str):
            limit = MAX_TEXT_LENGTH * 8 if name == "exception" else MAX_TEXT_LENGTH
            record[name] = ROWS.sub(r"\1", SECRETS.sub("[REDACTED]", value))[:limit]
    return record


def _uncaught(kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
    """Log an exception that ends the process, or that C code prints and cannot raise.

    When a connection is cut within a `COPY`, psycopg prints the second of two errors with the first as cause. It also
    raises the first one, and the code that catches that error handles it.
    """
    if isinstance(fault, SystemError) and fault.__cause__ is not None:
        structlog.get_logger(__name__).warning("a library failed at a fault", fault=type(fault.__cause__).__name__)
    elif isinstance(fault, Exception):
        structlog.get_logger(__name__).critical("uncaught", exc_info=(kind, fault, trace))
    else:
        sys.__excepthook__(kind, fault, trace)


def _add_application(application: str) -> Any:
    def name(_: object, __: str, record: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        record["application"] = application
        return record

    return name


class _Bridge(logging.Handler):
    """Sends records of libraries with standard logging through the same processors."""

    def emit(self, record: logging.LogRecord) -> None:
        logger = structlog.get_logger()
        exc = record.exc_info if record.exc_info and record.exc_info[0] else None
        logger.log(record.levelno, record.getMessage(), logger=record.name, **({"exc_info": exc} if exc else {}))
