"""What `bin/up` does before the service starts: migrate, make the first administrator, ask for a set-up link.

Prints one JSON object, `{"applied": [...], "link": "..."}`, for `bin/up` alone: the link is a secret.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime

import peewee

from inbox.domain.refusals import ValidationFailed
from inbox.migrate import MigrationsStuck
from inbox.models.base import db
from inbox.services import setup
from inbox.settings import Settings, SettingsInvalid
from ops.migrate import apply


def main() -> int:
    """What is wrong goes to standard error, in words for the operator."""
    try:
        settings = Settings.from_env()
        applied = apply(settings)
        now = datetime.now(UTC)
        with db.connection_context():
            setup.create_first_administrator(settings, now)
            link = setup.setup_link(now)
    except SettingsInvalid as invalid:
        print("\n".join(["the settings cannot be used:", *invalid.faults]), file=sys.stderr)
        return 2
    except ValidationFailed as refused:
        print("\n".join(f"INBOX_ADMIN_PASSWORD: {fault.detail}" for fault in refused.errors), file=sys.stderr)
        return 2
    except (peewee.OperationalError, MigrationsStuck) as fault:
        print(f"the database cannot be reached or migrated: {fault}", file=sys.stderr)
        return 1
    print(json.dumps({"applied": applied, "link": link or ""}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
