"""`bin/mail-in`: the process that receives mails for sources."""

from __future__ import annotations

import asyncio
import sys

from inbox.mail_in.listener import NotListening, serve
from jobs import startup

OFF = "INBOX_MAIL_IN_PORT is not set: mails are received only on a port that you choose."


def main() -> int:
    """Receive mails until a signal. Return 2 when the settings cannot be used."""
    settings = startup.read_settings()
    if settings is None:
        return startup.UNUSABLE_SETTINGS
    if not settings.can_receive_mail:
        print(OFF, file=sys.stderr)
        return 2
    startup.start(settings, "mail-in")
    try:
        asyncio.run(serve(settings))
    except NotListening as fault:
        print(fault, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
