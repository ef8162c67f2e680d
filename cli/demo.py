"""`bin/inbox demo`: the sample workspace, its live events, and its removal."""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import time
from datetime import UTC, datetime
from typing import Any

import peewee

from cli import sample_events
from cli.command import Failed, command, connect
from cli.instance import post, takes_address
from inbox.config import settings
from inbox.database.base import db
from inbox.domain.incidents.incident import Actor
from inbox.domain.values.refusals import ValidationFailed
from inbox.models.workspaces.tables import Workspace
from inbox.runtime.distribution import typed
from inbox.services.records import audit
from ops.demo import live, receiver, workspace
from ops.demo.company import DAYS, PEOPLE, PORT

PAUSE_SECONDS = 8.0


def add_to(commands: Any) -> None:
    """Adds `demo`."""
    about = (
        "Make the workspace Demo with two weeks of history. Its destinations lead to 127.0.0.1 alone."
        " With a source key in INBOX_SOURCE_KEY, send example events to that source instead."
    )
    made = command(commands, "demo", demo, about, on_database=False)
    what = made.add_mutually_exclusive_group()
    what.add_argument("--live", action="store_true", help="run the receiver and send events until Ctrl-C")
    what.add_argument("--remove", action="store_true", help="remove the workspace and its members; nothing is sent")
    made.add_argument("--owner", metavar="EMAIL", help="instance administrator who owns it (default: the oldest one)")
    made.add_argument("--port", type=int, default=PORT, help="port of the receiver (default %(default)s)")
    made.add_argument("--every", type=float, default=PAUSE_SECONDS, help="seconds between live events")
    made.add_argument("--events", type=int, help="end --live after so many events")
    made.add_argument("--hours", type=int, default=12, help="with a source key: how far back, 1 to 160")
    takes_address(made)


def demo(options: argparse.Namespace) -> None:
    """Creates, plays or removes the workspace. Raises `Failed`."""
    if os.environ.get("INBOX_SOURCE_KEY", "").strip():
        sample_events.fill(options)
        return
    connect(options.environment)
    audit.set_actor(Actor("system", "", "bin/inbox"))
    with db.connection_context():
        if options.remove:
            _remove()
            return
        made = _make(options)
        if options.live:
            _play(options, made)


def _make(options: argparse.Namespace) -> Workspace:
    if not 1 <= options.port <= 65_535:
        raise Failed("--port is 1 to 65535.")
    began = time.monotonic()
    try:
        made = workspace.make(receiver.address(options.port), datetime.now(UTC), owner_email=options.owner)
    except workspace.NoAdministrator:
        raise Failed(
            "No instance administrator exists who could own the workspace."
            f" Run {typed('setup-link')} or {typed('user make-admin')} first."
        ) from None
    except ValidationFailed as refused:
        raise Failed(
            "The destinations of the workspace lead to 127.0.0.1, which this instance refuses:"
            f" {refused.errors[0].detail}. Set INBOX_ALLOW_LOOPBACK_DESTINATIONS=on for the sample workspace."
        ) from None
    except peewee.IntegrityError:
        addresses = " or ".join(person.email for person in PEOPLE.values())
        raise Failed(f"Another account has the address {addresses}.") from None
    if made.existed:
        print(f"The workspace {made.workspace.name} exists: {_link(made.workspace)}")
    else:
        print(
            f"The workspace {made.workspace.name} has {made.events} events of {DAYS} days"
            f" ({time.monotonic() - began:.0f} s): {_link(made.workspace)}"
        )
    return made.workspace


def _link(of: Workspace) -> str:
    return f"{settings.current().base_url}/w/{of.slug}/inbox"


def _remove() -> None:
    removed = workspace.remove(datetime.now(UTC))
    if removed is None:
        print("There is no workspace Demo.")
    else:
        print(f"The workspace Demo is removed: {sum(removed.values())} rows. Nothing was sent.")


def _play(options: argparse.Namespace, of: Workspace) -> None:
    """Run the receiver and send events until Ctrl-C or the number of events; then revoke the keys."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    events = live.Live(random.Random())
    try:
        with receiver.running(receiver.port_of(of), _say), live.source_keys(of, _now) as keys:
            _say(f"Sending an event every {options.every:g} s. Ctrl-C ends it.")
            number = 0
            while options.events is None or number < options.events:
                sent = events.next(_now())
                if sent.source not in keys:
                    continue  # a person deleted the source
                post(options, keys[sent.source], sent.event)
                _say(f"{'sent':<14} {sent.event['severity']}  {sent.event['title']}")
                number += 1
                time.sleep(options.every)
    except receiver.NoReceiver as fault:
        raise Failed(str(fault)) from None
    except KeyboardInterrupt:
        _say("Stopped.")


def _say(line: str) -> None:
    print(line, flush=True, file=sys.stdout)


def _now() -> datetime:
    return datetime.now(UTC)
