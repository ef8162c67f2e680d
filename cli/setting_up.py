"""`bin/inbox setup-link`: creates the link for the first account."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import Any

from cli.command import Failed, command
from inbox.config import settings
from inbox.runtime.distribution import typed
from inbox.services.instance import setup


def add_to(commands: Any) -> None:
    """Adds `setup-link`."""
    made = command(
        commands,
        "setup-link",
        link,
        "Print a new one-time link to create the first account; earlier links stop working.",
    )
    made.add_argument("--token", action="store_true", help="print only the token of the link, for POST /v1/setup")


def link(options: argparse.Namespace) -> None:
    """Prints the link, or its token."""
    found = setup.setup_link(datetime.now(UTC))
    if found is None:
        raise Failed(
            f"An account already exists: sign in at {settings.current().base_url}."
            f" {typed('user reset-password')} resets a lost password."
        )
    print(found.partition("#token=")[2] if options.token else found)
