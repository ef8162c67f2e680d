"""Runs one part of the service alone: `bin/web`, `bin/worker`, `bin/scheduler`, `bin/mail-in`, `bin/migrate`.

Settings that the environment lacks come from the data directory of a running `bin/up`. So more workers can join it with
its settings.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

from inbox.config import secret_files
from inbox.config.server_addresses import without_credentials
from inbox.runtime.distribution import ROOT
from ops.datadir import FIRST_ONLY, DataDir, Unreadable
from ops.sockets import metrics_directory

MIGRATIONS = "INBOX_MIGRATION_DATABASE_URL"
"""The address for changes of the tables. The services need its hosts, because no destination may be there."""

KEYS_DO_NOT_FIT = 3
"""The exit code of `ops.first_run` where the keys do not open the sealed values of the database."""

PARTS: dict[str, list[str]] = {
    "web": ["-m", "gunicorn", "--config", str(ROOT / "gunicorn.conf.py"), "--chdir", str(ROOT)],
    "worker": ["-m", "jobs.worker"],
    "scheduler": ["-m", "jobs.scheduler"],
    "mail-in": ["-m", "jobs.mail_in"],
    "migrate": ["-m", "ops.first_run"],
}


def main(arguments: Sequence[str]) -> None:
    """Becomes the part that the first argument names, with the other arguments."""
    part, *rest = arguments
    if faults := secret_files.adopt(os.environ):
        sys.exit("; ".join(faults))
    data = DataDir.of(os.environ)
    try:
        environment = data.join(os.environ)
    except Unreadable as unreadable:
        sys.exit(str(unreadable))
    if not environment.get("INBOX_METRICS_DIR"):
        environment["INBOX_METRICS_DIR"] = str(metrics_directory(data.path))
    if part == "web":
        before = [sys.executable, "-m", "ops.first_run", "--before-web"]
        if code := subprocess.run(before, env=environment, cwd=ROOT, check=False).returncode:
            sys.exit(code)
    if part != "migrate":
        environment = of_services(environment)
    os.execve(sys.executable, [sys.executable, *PARTS[part], *rest], environment)


def of_services(environment: Mapping[str, str]) -> dict[str, str]:
    """Returns the environment of the services: no first account, and no credentials that may change tables."""
    child_environment = {name: value for name, value in environment.items() if name not in FIRST_ONLY}
    if child_environment.get(MIGRATIONS):
        with suppress(ValueError):  # the settings refuse an address that cannot be read
            child_environment[MIGRATIONS] = without_credentials(child_environment[MIGRATIONS])
    return child_environment


if __name__ == "__main__":
    main(sys.argv[1:])
