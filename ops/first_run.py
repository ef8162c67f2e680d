"""Prepares the service: migrates, checks the keys, creates the first administrator, offers a set-up link.

`bin/migrate` prints the result in words. `bin/up` asks for `--json`: one object, `{"applied": "...", "link": "...",
"unknown": [...]}`, whose link is a secret. `bin/web` asks for `--before-web`: nothing is migrated, and a database that
is unreachable is no obstacle.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import peewee
import psycopg2

from inbox.config.settings import Settings, SettingsInvalid
from inbox.config.unknown import unknown_settings
from inbox.database.base import db
from inbox.database.migrate import MigrationLockTimeout, TablesDoNotFit
from inbox.domain.values.refusals import ValidationFailed
from inbox.runtime import redis_client
from inbox.runtime.distribution import typed
from inbox.services.instance import bootstrap, key_check, setup
from inbox.services.instance.key_check import KeyMismatch
from ops.migrate import apply
from ops.run import KEYS_DO_NOT_FIT

WHAT_TO_RESTORE = f"""\
the keys do not open the secrets in the database: they were sealed with other keys.
Restore the keys of the database: the file "keys" of the data directory, or INBOX_SECRET_KEYS, from the backup.
Without them the secrets of destinations and the authenticator apps of people are lost. To continue without them, add
--new-keys to {typed("up")} or {typed("migrate")}, and enter these secrets again."""

NEW_KEYS_HELP = "continue although the keys open none of the stored secrets"


@dataclass(frozen=True, slots=True)
class Prepared:
    """The applied migrations, and whether an account exists."""

    applied: list[str]
    setup_required: bool


def prepare(settings: Settings, *, migrates: bool = True, new_keys: bool = False) -> Prepared:
    """Does everything but the link. Raises `KeyMismatch`, `ValidationFailed`, and the errors of the database."""
    if migrates:
        applied = apply(settings)
    else:
        applied = []
        bootstrap.configure(settings, application="inbox-web")
    now = datetime.now(UTC)
    with db.connection_context():
        if new_keys:
            key_check.renew(now)
        key_check.check(now)
        setup.create_first_administrator(settings, now)
        return Prepared(applied, setup.is_required())


def summary(applied: Sequence[str]) -> str:
    """Returns the migrations in one line."""
    if len(applied) < 2:
        return f"migration {applied[0]} applied" if applied else "no migration to apply"
    return f"{len(applied)} migrations applied, {applied[0]} to {applied[-1]}"


def main(arguments: Sequence[str]) -> int:
    """Prints faults on standard error, in words for the operator."""
    parser = argparse.ArgumentParser(prog=typed("migrate"), description="Migrates the database to this version.")
    parser.add_argument("--new-keys", action="store_true", help=NEW_KEYS_HELP)
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--before-web", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    unknown = unknown_settings(os.environ)
    if not options.json:
        print("\n".join(unknown), file=sys.stderr, end="\n" if unknown else "")
    try:
        settings = Settings.from_env()
        redis_client.refuse_unusable(settings.redis_url)
        prepared = prepare(settings, migrates=not options.before_web, new_keys=options.new_keys)
    except SettingsInvalid as invalid:
        print("\n".join(["the settings cannot be used:", *invalid.faults]), file=sys.stderr)
        return 2
    except ValidationFailed as refused:
        print("\n".join(f"INBOX_ADMIN_PASSWORD: {fault.detail}" for fault in refused.errors), file=sys.stderr)
        return 2
    except KeyMismatch:
        print(WHAT_TO_RESTORE, file=sys.stderr)
        return KEYS_DO_NOT_FIT
    except (peewee.DatabaseError, peewee.InterfaceError, psycopg2.OperationalError, MigrationLockTimeout) as fault:
        if options.before_web:
            return 0  # the web processes answer 503 until the database is there and migrated
        print(f"the database cannot be reached or migrated: {fault}", file=sys.stderr)
        return 1
    except TablesDoNotFit as fault:
        print(fault, file=sys.stderr)
        return 1
    _say(prepared, options)
    return 0


def _say(prepared: Prepared, options: argparse.Namespace) -> None:
    """Prints the link to `bin/up` or to a terminal, never to a log."""
    link = ""
    if prepared.setup_required and (options.json or sys.stdout.isatty()):
        with db.connection_context():
            link = setup.setup_link(datetime.now(UTC)) or ""
    if options.json:
        print(
            json.dumps(
                {
                    "applied": summary(prepared.applied) if prepared.applied else "",
                    "link": link,
                    "unknown": unknown_settings(os.environ),
                }
            )
        )
        return
    if not options.before_web:
        print(summary(prepared.applied))
    if link:
        print(f"No account exists yet. Create the first one here (the link works once):\n\n    {link}\n")
    elif prepared.setup_required:
        print(f"No account exists yet: {typed('setup-link')} prints a link to create the first one.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
