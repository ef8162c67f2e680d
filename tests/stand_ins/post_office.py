"""Uses links as a person does: real jobs send mails to a real server, where tests read them."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from jobs import mail
from tests.mail.servers import MailServer, Taken

MAIL_FROM = "Inbox <inbox@example.org>"
LINK = re.compile(r"^(https?://[^\s#]+)#token=([\w-]+)\s*$", re.MULTILINE)


class PostOffice:
    """The mail server of an instance, with the job that hands mails in."""

    def __init__(self, server: MailServer) -> None:
        self.server = server

    def delivered(self) -> list[Taken]:
        """Run the mail job, in a thread and with its own connection; answers what came since the last time."""
        before = len(self.server.mails)
        with ThreadPoolExecutor(1) as worker:
            worker.submit(mail.run).result()
        return self.server.mails[before:]

    def links(self) -> list[tuple[str, str, str]]:
        """To whom, page and token of each link that is delivered."""
        found = [(taken.to[0], LINK.search(taken.text)) for taken in self.delivered()]
        return [(to, match[1], match[2]) for to, match in found if match is not None]

    def token(self) -> str:
        """The token of the one link that is delivered."""
        [(_, _, token)] = self.links()
        return token


def statements(act: Callable[[], Any]) -> list[str]:
    """The SQL of everything that `act` asks the database in this thread, in order, without its values.

    Threads that earlier tests started in this process may still write: their statements are not those of `act`.
    """
    reported: list[str] = []
    here = threading.get_ident()

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.thread != here:
                return
            sql = record.msg[0] if isinstance(record.msg, tuple) else record.getMessage()
            reported.append(str(sql))

    logger, listener = logging.getLogger("peewee"), Listener()
    level = logger.level
    logger.addHandler(listener)
    logger.setLevel(logging.DEBUG)
    try:
        act()
    finally:
        logger.removeHandler(listener)
        logger.setLevel(level)
    return reported
