"""The dump of a release: its tables with the rows of the sample workspace, which the tests of later versions migrate."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from inbox.runtime.distribution import ROOT
from ops.binaries import postgres_programs
from ops.embedded import Servers

DUMPS = ROOT / "tests" / "ops" / "dumps"
"""The dumps of all releases, each with the name of its version."""

ADMINISTRATOR = ("olga@example.org", "a long enough passphrase")
"""The mail address and the password of the instance administrator in a dump."""

KEYS = {
    "INBOX_SECRET_KEYS": "dump:ZHVtcHMgYXJlIHNlYWxlZCBieSBhIHB1YmxpYyBrZXk=",
    "INBOX_SIGNING_KEY": "dumps are signed by a public key, not by a secret one",
}
"""The keys of a dump. They are public, because a dump has no secret of anybody."""


def program(name: str) -> str:
    """Returns the path of a program of PostgreSQL, such as `pg_dump`."""
    found = postgres_programs()
    return str((found.root / found.program).with_name(name))


def write(path: Path, root: Path = ROOT) -> Path:
    """Writes the dump of the version in the directory `root`; returns its path. Raises CalledProcessError.

    1. Start servers of its own, and migrate an empty database.
    2. Make the sample workspace, which has the same records in every run.
    3. Write the tables in the format of `pg_restore`, without owners and rights.
    """
    with tempfile.TemporaryDirectory(prefix="inbox-dump-") as place:
        directory = Path(place)
        directory.chmod(0o755)
        with Servers.start(directory / "servers", durable=False) as servers:
            environment = {
                "PATH": os.environ.get("PATH", os.defpath),
                "PYTHONPATH": str(root),
                "PYTHONSAFEPATH": "1",
                "DATABASE_URL": servers.database_url,
                "REDIS_URL": servers.redis_url,
                "INBOX_DATA_DIR": str(directory / "data"),
                "INBOX_ADMIN_EMAIL": ADMINISTRATOR[0],
                "INBOX_ADMIN_PASSWORD": ADMINISTRATOR[1],
                "INBOX_ALLOW_LOOPBACK_DESTINATIONS": "on",
                **KEYS,
            }
            for command in ("migrate", "demo"):
                words = [sys.executable, "-m", "cli", command]
                subprocess.run(words, cwd=root, env=environment, check=True, stdout=subprocess.DEVNULL)
            options = ["--format=custom", "--compress=gzip:9", "--no-owner", "--no-privileges"]
            path.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([program("pg_dump"), *options, f"--file={path}", servers.database_url], check=True)
    return path


def restore(path: Path, database_url: str) -> None:
    """Restores a dump into an empty database. Raises CalledProcessError."""
    options = ["--exit-on-error", "--no-owner", "--no-privileges"]
    subprocess.run([program("pg_restore"), *options, f"--dbname={database_url}", str(path)], check=True)
