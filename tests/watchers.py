"""Watchers for tests: check-ins as agents send them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from inbox.domain.heartbeats.watchers import CheckStatus, ReportedCheck
from inbox.domain.senders import keys
from inbox.flow.watchers.check_in import Report
from inbox.models.heartbeats.watchers import Watcher
from inbox.models.senders.sources import Source
from inbox.services.heartbeats import watchers
from inbox.services.heartbeats.watchers import CheckedIn
from tests.cast import make_key, present

CLIENT = ("127.0.0.1", "agent/1")


def check_in(key: str, at: datetime, watcher_id: str = "web-1", /, **statuses: str) -> CheckedIn:
    """A check-in each minute with these checks and their statuses: `disk="fail"`."""
    checks = tuple(ReportedCheck(name, CheckStatus(status), f"{name} text") for name, status in statuses.items())
    return send(key, at, watcher_id=watcher_id, checks=checks)


def send(key: str, at: datetime, **fields: Any) -> CheckedIn:
    """A check-in with these fields of its report."""
    report = Report(**{"watcher_id": "web-1", "name": "Web 1", "hostname": "web-1.example.org", **fields})
    return watchers.receive(keys.digest(key).hex(), report, CLIENT, at)


def make_watcher(source: Source, now: datetime | None = None, watcher_id: str = "web-1") -> Watcher:
    """A watcher that has checked in."""
    return check_in(make_key(source), now or present(), watcher_id, disk="ok").watcher


def reread(watcher: Watcher) -> Watcher:
    """The watcher as it is stored now."""
    found: Watcher = Watcher.get_by_id(watcher.id)
    return found
