"""Outages of PostgreSQL and Redis in the log: one line per cause during an outage, and one at its end."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator

import psycopg2
import structlog
from playhouse.pool import MaxConnectionsExceeded
from redis import exceptions as redis_faults

log = structlog.get_logger(__name__)

MAX_DETAIL_LENGTH = 200
MAX_CHAIN_LENGTH = 8

CAUSES: tuple[tuple[type[BaseException], str], ...] = (
    (ssl.SSLCertVerificationError, "TLS: the certificate of the server is not trusted"),
    (ssl.SSLError, "TLS: the handshake failed; does the server speak TLS?"),
    (redis_faults.AuthenticationError, "authentication failed"),
    (redis_faults.AuthorizationError, "authentication failed"),
    (redis_faults.NoPermissionError, "the account may not do this"),
    (redis_faults.BusyLoadingError, "the server is loading its data"),
    (redis_faults.ReadOnlyError, "the server is read-only"),
    (redis_faults.OutOfMemoryError, "the server is out of memory"),
    (redis_faults.MaxConnectionsError, "too many connections"),
    (ConnectionRefusedError, "connection refused"),
    (FileNotFoundError, "connection refused: there is no socket at this path"),
    (PermissionError, "this account may not open the socket"),
    (socket.gaierror, "the name of the host does not resolve"),
    (ConnectionResetError, "the server closed the connection"),
    (BrokenPipeError, "the server closed the connection"),
    (TimeoutError, "no answer in time"),
    (redis_faults.TimeoutError, "no answer in time"),
)
TEXT_CAUSES = (
    ("No master found", "no sentinel names a master"),
    ("MOVED", "the server is in cluster mode"),
    ("CROSSSLOT", "the server is in cluster mode"),
    ("NOAUTH", "authentication failed"),
    ("WRONGPASS", "authentication failed"),
    ("MISCONF", "the server takes no writes: it cannot save its data"),
    ("closed by server", "the server closed the connection; does it want TLS?"),
    ("password authentication failed", "authentication failed"),
    ("no password supplied", "authentication failed"),
    ("SSL", "TLS: the handshake failed"),
    ("Connection refused", "connection refused"),
    ("No such file", "connection refused: there is no socket at this path"),
    ("could not translate host name", "the name of the host does not resolve"),
    ("timeout", "no answer in time"),
    ("timed out", "no answer in time"),
    ("did not answer", "no answer in time"),
    ("starting up", "the server is starting"),
    ("shutting down", "the server is stopping"),
    ("terminating connection", "the server ended the connection"),
    ("too many clients", "too many connections"),
    ("closed the connection", "the server closed the connection"),
)
"""Causes that only the text of an error reveals, each with a part of that text."""


UNAVAILABLE_SQLSTATES = ("08", "53", "57P", "25006", "25P03", "28")
"""Prefixes of the SQLSTATEs of a server that is unavailable, full, stopping, read-only or refuses the service. They are
no errors of a statement."""


class Outage:
    """The availability of a server, as this process observes it."""

    def __init__(self, server: str) -> None:
        self.server = server
        self._logged: set[str] = set()

    def record_failure(self, fault: BaseException) -> None:
        """Log the cause, once per outage."""
        cause = cause_of(fault)
        if cause not in self._logged:
            self._logged.add(cause)
            lines = str(fault).strip().splitlines() or [""]
            log.warning(
                f"{self.server} is unavailable",
                cause=cause,
                fault=type(fault).__name__,
                detail=lines[0][:MAX_DETAIL_LENGTH],
            )

    def record_success(self) -> None:
        """Log that the server responds again. The call costs nothing without an outage."""
        if self._logged:
            self._logged.clear()
            log.warning(f"{self.server} is available again")


redis = Outage("redis")
postgres = Outage("postgres")


def is_postgres_unavailable(fault: BaseException) -> bool:
    """Return whether the server or the connection caused an error of psycopg2, also when Peewee wraps it."""
    origin = getattr(fault, "orig", fault)
    if not isinstance(origin, psycopg2.OperationalError | psycopg2.InterfaceError):
        return isinstance(fault, MaxConnectionsExceeded)
    return origin.pgcode is None or origin.pgcode.startswith(UNAVAILABLE_SQLSTATES)


def cause_of(fault: BaseException) -> str:
    """Return why a server could not be used, in a few words without any address or credential."""
    chain = list(_chain(fault))
    for each in chain:
        for kind, cause in CAUSES:
            if isinstance(each, kind):
                return cause
    for each in chain:
        for word, cause in TEXT_CAUSES:
            if word in str(each):
                return cause
    return "the connection failed"


def _chain(fault: BaseException) -> Iterator[BaseException]:
    """Iterate over the error and its causes, the innermost first, because it is the most specific."""
    found: list[BaseException] = []
    current: BaseException | None = fault
    while current is not None and len(found) < MAX_CHAIN_LENGTH:
        found.append(current)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return reversed(found)
