"""`bin/mail-in`: the process that receives mails for sources."""

from __future__ import annotations

import asyncio
import os
import sys

import structlog

from inbox import bootstrap
from inbox.mail_in.listener import NotListening, serve
from inbox.migrate import report_difference
from inbox.models.sql.base import db
from inbox.settings import Settings, SettingsInvalid
from inbox.unknown_settings import unknown_settings
from jobs import metrics_server

log = structlog.get_logger(__name__)

OFF = "INBOX_MAIL_IN_PORT is not set: mails are received only on a port that you choose."


def main() -> int:
    """Receive mails until a signal; 2 when the settings cannot be used."""
    try:
        settings = Settings.from_env()
    except SettingsInvalid as invalid:
        print("\n".join(["The settings cannot be used:", *invalid.faults]), file=sys.stderr)
        return 2
    if not settings.can_receive_mail:
        print(OFF, file=sys.stderr)
        return 2
    bootstrap.configure(settings, application="inbox-mail-in")
    report_difference(db)
    for sentence in unknown_settings(os.environ):
        log.warning("unknown setting", detail=sentence)
    metrics_server.start(settings, kind="mail-in")
    try:
        asyncio.run(serve(settings))
    except NotListening as fault:
        print(fault, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
