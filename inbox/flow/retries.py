"""Retries of units of work after conflicts between transactions, and the classification of database errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import peewee
import psycopg2
import structlog

log = structlog.get_logger(__name__)

Result = TypeVar("Result")

TRIES = 4
RETRYABLE = frozenset({"40001", "40P01", "23505"})
"""Serialization failure, deadlock, and a unique key that another transaction inserted first."""


OUTAGES = (peewee.OperationalError, peewee.InterfaceError, psycopg2.OperationalError, psycopg2.InterfaceError)
"""The exception classes for failures of the server or of its connection; `PROGRAM_LIMIT` is excepted."""

MORE_OUTAGES = frozenset({"25006", "25P03"})
"""A read-only server after a failover; a transaction that was idle for too long because its process stood still."""

OTHER_TABLES = frozenset({"42P01", "42703", "42883", "42704", "23502"})
"""Unknown table, column, function or type, or a missing required column: the schema is of another version."""

PROGRAM_LIMIT = "54"
"""The class of PostgreSQL's limits, for example a row that is too long for an index."""


def retry_on_conflict(act: Callable[[], Result]) -> Result:
    """Call `act`, a whole unit of work, and up to three times again after a conflict with another transaction."""
    for _ in range(TRIES - 1):
        try:
            return act()
        except (peewee.DatabaseError, psycopg2.Error) as fault:
            if sqlstate(fault) not in RETRYABLE:
                raise
            log.info("transaction retried", sqlstate=sqlstate(fault))
    return act()


def sqlstate(error: BaseException) -> str | None:
    """The SQLSTATE of an error; None when PostgreSQL did not answer."""
    return getattr(getattr(error, "orig", error), "pgcode", None)


def is_outage(error: BaseException) -> bool:
    """Whether the database is unavailable: no connection, a timeout, or no free connections."""
    state = sqlstate(error) or ""
    return state in MORE_OUTAGES or (isinstance(error, OUTAGES) and not state.startswith(PROGRAM_LIMIT))
