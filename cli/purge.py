"""`bin/inbox purge` and `bin/inbox migrate`: the tables."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime, timedelta
from typing import Any

import peewee
import psycopg2

from cli.command import Failed, add_json_option, command, show
from inbox.config.settings import Settings
from inbox.database import migrate as migrations
from inbox.database.base import db
from inbox.flow.upkeep.purge import dry_run, purge
from inbox.services.instance.key_check import KeyMismatch
from ops import first_run


def add_to(commands: Any) -> None:
    """Adds `purge` and `migrate`."""
    made = command(commands, "purge", remove, "Remove data past its retention, as the scheduler does every hour.")
    made.add_argument("--dry-run", action="store_true", help="only count the rows")
    made.add_argument(
        "--older-than",
        type=_days,
        metavar="DAYS",
        help="retention of events, resolved incidents, deliveries and deleted records, in all workspaces",
    )
    add_json_option(made)
    made = command(commands, "migrate", migrate, "Migrate the database to this version.", on_database=False)
    made.add_argument("--new-keys", action="store_true", help=first_run.NEW_KEYS_HELP)


def remove(options: argparse.Namespace) -> int:
    """Removes or counts expired rows. Returns 1 when a step failed, which the log describes."""
    now = datetime.now(UTC)
    if options.dry_run:
        with db.atomic():
            db.execute_sql("SET LOCAL statement_timeout = 0")
            counts, failed = dry_run(now, older_than=options.older_than), False
    else:
        purged = purge(now, older_than=options.older_than)
        counts, failed = dict(purged), purged.failed
    rows = [{"table": table, "rows": count} for table, count in sorted(counts.items()) if count]
    show(rows, as_json=options.json)
    if not options.json:
        print(f"{sum(counts.values())} rows {'would be removed' if options.dry_run else 'were removed'}")
    return 1 if failed else 0


def migrate(options: argparse.Namespace) -> None:
    """Applies pending migrations."""
    try:
        prepared = first_run.prepare(Settings.from_env(options.environment), new_keys=options.new_keys)
    except KeyMismatch:
        raise Failed(first_run.WHAT_TO_RESTORE) from None
    except (migrations.MigrationLockTimeout, migrations.TablesDoNotFit) as stuck:
        raise Failed(str(stuck)) from None
    except (peewee.DatabaseError, peewee.InterfaceError, psycopg2.OperationalError) as fault:
        raise Failed(f"The database cannot be reached or migrated: {str(fault).strip()}") from None
    print(first_run.summary(prepared.applied))


def _days(text: str) -> timedelta:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 36_500:
        raise argparse.ArgumentTypeError("must be a number of days, 1 or more")
    return timedelta(days=int(text))
