"""One SMTP session: `aiosmtpd` with bounds on connections, commands, lines and bytes (specification 19.16)."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from ipaddress import IPv6Address, ip_address
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Session, syntax

from inbox.runtime import metrics

COMMANDS = {"MAIL": 100, "RCPT": 200, "DATA": 100, "RSET": 200, "*": 40}
"""The maximum number of each command in one session. The next one is answered 421.

A mail has one MAIL, one DATA and often a RSET.
"""

SECONDS = 120.0
"""The time from a command of the sender to the next one, including the text of a mail."""

LONGEST_LINE = 64 * 1024
"""The longest line. Appliances send longer lines than the 1,000 bytes of the standard."""

MOST_PER_PEER = 10

BUSY = b"421 4.3.2 Too many connections\r\n"
TOO_LARGE = b"552 5.3.4 The mail is too large\r\n"
NOT_ENCRYPTED = "538 5.7.11 Use STARTTLS first"

_AUTH_PARAMETER = re.compile(r"\sAUTH=\S*", re.IGNORECASE)
"""The parameter with which a client that has signed in begins a mail. The library refuses it."""


def takes_credentials(session: Session) -> bool:
    """Return whether the sender may sign in: over TLS, or from this machine."""
    if session.ssl is not None:
        return True
    try:
        address = ip_address(str((session.peer or ("",))[0]))
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


class Connections:
    """The open connections, in all and of each address."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._peers: Counter[str] = Counter()

    @property
    def count(self) -> int:
        """The number of open connections."""
        return self._peers.total()

    def enter(self, peer: str) -> bool:
        """Count a new connection. Return False at the maximum of open connections."""
        if self.count >= self._most or self._peers[peer] >= MOST_PER_PEER:
            metrics.MAIL_CONNECTIONS_REFUSED.inc()
            return False
        self._peers[peer] += 1
        metrics.MAIL_CONNECTIONS.set(self.count)
        return True

    def leave(self, peer: str) -> None:
        """Count a connection that has ended."""
        self._peers[peer] -= 1
        if self._peers[peer] <= 0:
            del self._peers[peer]
        metrics.MAIL_CONNECTIONS.set(self.count)


class MailSession(SMTP):
    """A session of one sender. A connection beyond the limits is answered 421 and closed."""

    line_length_limit = LONGEST_LINE
    AuthLoginUsernameChallenge = "Username:"
    AuthLoginPasswordChallenge = "Password:"

    def __init__(self, hooks: object, connections: Connections, *, most_bytes: int, **options: Any) -> None:
        super().__init__(
            hooks,
            data_size_limit=most_bytes,
            enable_SMTPUTF8=True,
            timeout=SECONDS,
            command_call_limit=COMMANDS,
            authenticator=_accept,
            auth_require_tls=False,
            **options,
        )
        self._connections = connections
        self._most_bytes = 2 * most_bytes + LONGEST_LINE
        self._received = 0
        self._peer: str | None = None
        self._is_refused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection, once: STARTTLS calls this again."""
        if self._peer is None:
            peer = str((transport.get_extra_info("peername") or ("",))[0])
            if not self._connections.enter(peer):
                self._refuse(transport)
                return
            self._peer = peer
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        """Count the end of the connection."""
        if self._is_refused:
            return
        if self._peer is not None:
            self._connections.leave(self._peer)
            self._peer = ""
        super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        """End a session that sends more than a mail may have: a line without an end would fill the memory."""
        if self._is_refused:
            return
        self._received += len(data)
        if self._received > self._most_bytes and isinstance(self.transport, asyncio.Transport):
            self._received = 0
            self.transport.write(TOO_LARGE)
            self.transport.close()
            return
        super().data_received(data)

    def eof_received(self) -> bool | None:
        """End the session of a sender that has left."""
        return None if self._is_refused else super().eof_received()

    async def smtp_MAIL(self, arg: str | None) -> None:
        """Begin a mail. The bytes are counted from here."""
        self._received = 0
        await super().smtp_MAIL(None if arg is None else _AUTH_PARAMETER.sub("", arg))

    @syntax("AUTH <mechanism>")
    async def smtp_AUTH(self, arg: str) -> None:
        """Accept any credentials, because some appliances insist on sending them. The recipient is the credential."""
        if self.session is not None and not takes_credentials(self.session):
            await self.push(NOT_ENCRYPTED)
            return
        mechanism, blank, rest = (arg or "").partition(" ")
        await super().smtp_AUTH(f"{mechanism.upper()}{blank}{rest}")

    def _refuse(self, transport: asyncio.BaseTransport) -> None:
        self._is_refused = True
        if isinstance(transport, asyncio.Transport):
            transport.write(BUSY)
            transport.close()


def _accept(*_: object) -> AuthResult:
    """Accept the credentials, and keep none of them."""
    return AuthResult(success=True)
