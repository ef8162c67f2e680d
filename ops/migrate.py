"""Brings the database to this version's tables; waits for a database that is still starting."""

from __future__ import annotations

import sys
import time

import peewee

from inbox import migrate, wiring
from inbox.models.base import db
from inbox.settings import Settings, SettingsInvalid

PATIENCE_SECONDS = 30.0


def apply(settings: Settings) -> list[str]:
    """The names of the migrations applied now. Raises peewee.OperationalError when the database stays out of reach."""
    wiring.wire(settings, application="inbox-migrate")
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return migrate.migrate(db)
        except peewee.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.5)


def main() -> int:
    """`bin/migrate`."""
    try:
        applied = apply(Settings.from_env())
    except SettingsInvalid as invalid:
        print("\n".join(["The settings cannot be used:", *invalid.faults]), file=sys.stderr)
        return 2
    except (peewee.OperationalError, migrate.MigrationsStuck) as fault:
        print(f"The database cannot be migrated: {fault}", file=sys.stderr)
        return 1
    print("\n".join(f"applied {name}" for name in applied) or "nothing to apply")
    return 0


if __name__ == "__main__":
    sys.exit(main())
