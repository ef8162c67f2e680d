"""The location of this copy of the product, a checkout or an installed wheel, and the command lines there."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
"""The folder of `app.py`, `inbox/` and `migrations/`: the checkout, or `site-packages`."""

IS_CHECKOUT = (ROOT / "bin" / "inbox").is_file()

PROGRAMS = ("up", "web", "worker", "scheduler", "migrate")
"""The commands that have separate programs in a checkout's `bin/`."""


def typed(command: str) -> str:
    """Return the command line for `command`. In a checkout: `bin/up`, `bin/inbox doctor`.

    Installed: `inbox up`, `inbox doctor`.
    """
    if not IS_CHECKOUT:
        return f"inbox {command}".rstrip()
    return f"bin/{command}" if command.split(" ")[0] in PROGRAMS else f"bin/inbox {command}".rstrip()
