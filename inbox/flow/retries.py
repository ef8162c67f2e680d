"""Trying once more what the database gave up for the sake of somebody else's transaction."""

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
"""Serialization failure, deadlock, and a unique key that another transaction took first."""


OUTAGES = (peewee.OperationalError, peewee.InterfaceError, psycopg2.OperationalError, psycopg2.InterfaceError)
"""Psycopg's families of what the server or the way to it is to blame for, but for these:"""

MORE_OUTAGES = frozenset({"25006", "25P03"})
"""Read-only, as a server is that another has taken over from; and the end of a transaction that stood still with its process."""

OTHER_TABLES = frozenset({"42P01", "42703", "42883", "42704", "23502"})
"""No such table, column, function or type, and a column that must be filled in: what the tables of another version lead to."""

PROGRAM_LIMIT = "54"
"""The class of what exceeds a limit of PostgreSQL, as a row may that is too long for an index."""


def retry_on_conflict(act: Callable[[], Result]) -> Result:
    """Call `act`, a whole unit of work, and again up to three times when it lost against another transaction."""
    for _ in range(TRIES - 1):
        try:
            return act()
        except (peewee.DatabaseError, psycopg2.Error) as fault:
            if sqlstate(fault) not in RETRYABLE:
                raise
            log.info("transaction retried", sqlstate=sqlstate(fault))
    return act()


def sqlstate(error: BaseException) -> str | None:
    """The five characters by which PostgreSQL names a fault; None when it did not speak."""
    return getattr(getattr(error, "orig", error), "pgcode", None)


def is_outage(error: BaseException) -> bool:
    """Whether the database rather than the work is to blame: gone, out of time, out of connections."""
    state = sqlstate(error) or ""
    return state in MORE_OUTAGES or (isinstance(error, OUTAGES) and not state.startswith(PROGRAM_LIMIT))
