"""A next version in a folder: this one with a second migration, and with code that uses its column."""

from __future__ import annotations

import shutil
from pathlib import Path

from inbox import __version__
from inbox.runtime.distribution import ROOT

PARTS = (
    "agent",
    "app.py",
    "cli",
    "docs/destinations",
    "gunicorn.conf.py",
    "inbox",
    "jobs",
    "migrations",
    "ops",
    "wsgi.py",
)
VERSION = "1.1.0"
MIGRATION = "0100_routed_by"

EXPAND = '''"""Routed events name the version that routed them. Version 1.0 leaves the column empty."""


def up(migrator, db):
    db.execute_sql("ALTER TABLE routed_events ADD COLUMN routed_by text")
'''

CHANGES = (
    ("inbox/__init__.py", f'__version__ = "{__version__}"', f'__version__ = "{VERSION}"'),
    ("inbox/models/routing/routing_results.py", '"trace", "trace_id")', '"trace", "trace_id", "routed_by")'),
    ("inbox/models/routing/routing_results.py", "{copy_value(one.incident_id)}\\t{trace}", f"\\g<0>\\t{VERSION}"),
)
"""By file: a text, and its replacement. `\\g<0>` stands for the text."""


def make(folder: Path) -> Path:
    """Write the next version into a folder, and return the folder."""
    copy(folder)
    for name, text, replacement in CHANGES:
        changed = folder / name
        before = changed.read_text()
        assert before.count(text) == 1, f"{name} has no longer one {text!r}"
        changed.write_text(before.replace(text, replacement.replace("\\g<0>", text)))
    add_migration(folder / "migrations")
    return folder


def copy(folder: Path) -> None:
    """Write the present version into a folder."""
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / part, folder / part)


def add_migration(migrations: Path) -> None:
    """Write the second migration beside the first one."""
    (migrations / f"{MIGRATION}.py").write_text(EXPAND)
