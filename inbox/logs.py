"""Structured logs: one JSON line a record, with the request's id, without secrets or paths that hold one."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

SECRETS = re.compile(
    r"svc_[a-z]+_[A-Za-z0-9_-]+|whsec_[A-Za-z0-9+/=_-]+|(?<=://)[^\s/?#@:]{0,256}:[^\s/?#@]{1,256}(?=@)"
    r"|(?<=token=)[^\s&]+|(?<=/heartbeats/)[^\s/?]+"
)
LONGEST = 1_000


def start(level: str, *, application: str) -> None:
    """Send all records of this process, ours and the libraries', to standard error as JSON lines."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _named(application),
            without_secrets,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level)),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers = [_Bridge()]
    root.setLevel(level)
    for noisy in ("rq", "urllib3", "rq_scheduler", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    # It warns, with the receiver's address, of each connection that it does not keep.
    logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)


def without_secrets(_: Any, __: str, record: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The last processor before rendering: credentials become `[REDACTED]`, texts are cut at 1,000 characters."""
    for name, value in record.items():
        if isinstance(value, str):
            limit = LONGEST * 8 if name == "exception" else LONGEST
            record[name] = SECRETS.sub("[REDACTED]", value)[:limit]
    return record


def _named(application: str) -> Any:
    def name(_: Any, __: str, record: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        record["application"] = application
        return record

    return name


class _Bridge(logging.Handler):
    """Records of libraries that use the standard logging take the same way out."""

    def emit(self, record: logging.LogRecord) -> None:
        logger = structlog.get_logger()
        exc = record.exc_info if record.exc_info and record.exc_info[0] else None
        logger.log(record.levelno, record.getMessage(), logger=record.name, **({"exc_info": exc} if exc else {}))
