"""Starts a worker, the scheduler or the mail receiver: settings, connections, warnings and metrics."""

from __future__ import annotations

import os
import sys

import structlog

from inbox.config.settings import Settings, SettingsInvalid
from inbox.config.unknown import unknown_settings
from inbox.database.base import db
from inbox.database.migrate import report_difference
from inbox.database.role_settings import report_lacking
from inbox.runtime import redis_client
from inbox.services.instance import bootstrap
from jobs import metrics_server

log = structlog.get_logger(__name__)

UNUSABLE_SETTINGS = 2
"""The exit code of a process whose settings cannot be used."""


def read_settings() -> Settings | None:
    """Return the settings of the environment; None after their faults were printed."""
    try:
        settings = Settings.from_env()
        redis_client.refuse_unusable(settings.redis_url)
        return settings
    except SettingsInvalid as invalid:
        print("\n".join(["The settings cannot be used:", *invalid.faults]), file=sys.stderr)
        return None


def start(settings: Settings, kind: str, *, uses_tables: bool = True) -> None:
    """Prepare this process.

    1. It is configured.
    2. If it uses tables, it reports migrations that it does not know or that are missing.
    3. It reports unknown settings of the environment.
    4. It serves its metrics.
    """
    bootstrap.configure(settings, application=f"inbox-{kind}")
    if uses_tables:
        report_difference(db)
        if settings.database_pooler:
            report_lacking(db)
    for sentence in unknown_settings(os.environ):
        log.warning("unknown setting", detail=sentence)
    metrics_server.start(settings, kind=kind)
